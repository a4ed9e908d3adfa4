import { describe, expect, test } from 'vitest';
import {
  type AttentionCause,
  type AttentionContext,
  type AttentionFacts,
  attentionCauses,
  attentionRules,
  isAttentionCause,
  ruleOf,
} from './attention.ts';
import { machineLateDays } from './certificate-life.ts';

const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();

/** What is said of an item, with its severity and its act. */
function said<C extends AttentionCause>(
  cause: C,
  facts: AttentionFacts[C],
  change: Partial<AttentionContext> = {},
) {
  const rule = attentionRules[cause] as unknown as (typeof attentionRules)['renewal'];
  const context = { address: 'acme.com', customer: 'Acme', deadline: null, now, ...change };
  const known = facts as never;
  return {
    ...rule.words(known, context),
    severity: rule.severity(known, context),
    action: rule.action(known, context.address),
  };
}

const renewal = (days: number, change: Partial<AttentionFacts['renewal']> = {}) =>
  said('renewal', {
    ...{ state: 'manual', reason: null, priceCents: 1231, autoRenew: false, expiresAt: inDays(days) },
    ...change,
  });

describe('a name that lapses', () => {
  test('is pressing below a week, and says price and reason', () => {
    expect(renewal(6.9)).toMatchObject({
      ...{ severity: 'now', title: 'expires in 6 days' },
      detail: 'Acme · auto renew is off · renewing costs $12.31',
    });
    expect(renewal(7)).toMatchObject({ severity: 'soon', when: '7 days left' });
  });

  test.each([
    [0.5, 'expires within a day', 'today'],
    [1, 'expires in 1 day', '1 day left'],
    [-1, 'has expired', '1 day ago'],
  ])('in %s days', (days, title, when) => expect(renewal(days)).toMatchObject({ title, when }));

  test('says why nobody renews it, and no price when there is none', () => {
    expect(renewal(5, { state: 'planned', priceCents: null }).detail).toBe(
      'Acme · the balance does not cover it',
    );
    expect(renewal(5, { state: 'unable', reason: 'Card declined' }).detail).toContain('Card declined');
    expect(renewal(5, { state: 'unable' }).detail).toContain('it could not be renewed');
  });
});

test('a certificate says its worst notice; how much time there is only when it ends soon', () => {
  const flag = { kind: 'expired', level: 'danger', text: 'Order a new one.' } as const;
  const facts = { ...flag, orderId: '7', validTo: inDays(-4) };
  expect(said('certificate', facts)).toMatchObject({
    ...{ severity: 'now', title: 'has an expired certificate', when: '4 days ago' },
    ...{ detail: 'Acme · Order a new one.', action: { to: '/SSL/7' } },
  });
  const shrinks = { kind: 'shrinks', level: 'warning', text: 'x' } as const;
  expect(said('certificate', { ...shrinks, orderId: '7', validTo: inDays(60) })).toMatchObject({
    ...{ severity: 'soon', title: 'has a certificate that needs you', when: '' },
  });
  expect(said('certificate', { ...shrinks, orderId: '7', validTo: null }).when).toBe('');
});

describe('a machine that does not get its certificate', () => {
  const facts = (change: Partial<AttentionFacts['acme']> = {}) => ({
    ...{ accessId: 'x', name: 'Web server', text: 'Ask the provider.', advice: 'Top up the balance.' },
    ...{ others: 0, at: inDays(-0.5), validTo: null },
    ...change,
  });

  test('is told by name, in words for the MSP, and is opened from there', () => {
    expect(said('acme', facts())).toEqual({
      ...{ severity: 'soon', title: 'got no certificate by ACME', detail: 'Acme · Top up the balance.' },
      ...{ when: 'today', action: { label: 'Open', to: '/certificates/acme/x' } },
    });
    const answer = 'Acme · The server received this reply: Ask the provider.';
    expect(said('acme', facts({ advice: '' })).detail).toBe(answer);
    expect(said('acme', facts(), { isCustomers: true }).detail).toBe(answer);
    expect(said('acme', facts({ others: 1 })).detail).toContain(' · and one other request');
    expect(said('acme', facts({ others: 2 })).detail).toContain(' · and 2 other requests');
    expect(said('acme', facts(), { address: null }).title).toBe(
      'A server could not register by the ACME access “Web server”',
    );
  });

  test('is as pressing as the end of the certificate that it has', () => {
    const left = (days: number) => said('acme', facts({ validTo: inDays(days) }));
    expect(left(machineLateDays + 1)).toMatchObject({ severity: 'soon', title: 'was not renewed by ACME' });
    expect(left(machineLateDays)).toMatchObject({ severity: 'now', when: `${machineLateDays} days left` });
    expect(left(0.5)).toMatchObject({ title: 'was not renewed by ACME', when: 'today' });
    expect(left(-1)).toMatchObject({
      ...{ severity: 'now', title: 'was not renewed by ACME and has expired', when: '1 day ago' },
    });
  });

  test('what is of this hour is of today, also by a clock that runs late', () => {
    const whens = [0.1, 0, -0.9, -1, -1.9, -2, -6.9].map(
      (days) => said('acme', facts({ at: inDays(days) })).when,
    );
    expect(whens).toEqual(['today', 'today', 'today', '1 day ago', '1 day ago', '2 days ago', '6 days ago']);
  });
});

test('a charge and a refund say the sum, the customer, and whether they need somebody', () => {
  const disputed = { cents: 4820, error: null, retries: false, disputed: true } as const;
  expect(said('charge', disputed)).toMatchObject({
    ...{ title: 'Acme disputed a payment of $48.20', when: 'needs you' },
    detail: expect.stringContaining('Nothing more is charged to this customer until you allow it'),
  });
  const leads = (facts: object) => ruleOf('charge').action(facts as never, null).to;
  expect(leads(disputed)).toBe('/direct-billing');
  expect(leads({ ...disputed, chargeId: 'c1' })).toBe('/direct-billing?charge=c1');
  expect(leads({ cents: 4820, error: null, retries: false, chargeId: 'c1' })).toBe(
    '/direct-billing?charge=c1',
  );
  expect(said('charge', { cents: 4820, error: null, retries: false })).toMatchObject({
    ...{ severity: 'now', title: 'Payment of $48.20 by Acme failed', when: 'needs you' },
    detail: 'The payment did not succeed.',
  });
  expect(said('charge', { cents: 4820, error: 'Declined', retries: true })).toMatchObject({
    ...{ detail: 'Declined', when: 'will be retried' },
  });
  const refunds = (facts: object) => ruleOf('refund').action(facts as never, null).to;
  expect([
    refunds({ cents: 100, error: null }),
    refunds({ cents: 100, error: null, chargeId: 'c1' }),
  ]).toEqual([...['/direct-billing', '/direct-billing?charge=c1']]);
  expect(said('refund', { cents: 100, error: null })).toMatchObject({
    ...{ severity: 'now', title: 'Refund of $1.00 to Acme failed' },
    detail: 'The payment provider did not send it.',
  });
  expect(said('refund', { cents: 100, error: 'Account closed' }).detail).toBe('Account closed');
});

test('a transfer says who it waits for; a late and a failed one are pressing', () => {
  const facts = { state: 'approval', late: false, reason: null, at: inDays(-2) } as const;
  expect(said('transfer', facts, { deadline: new Date(inDays(5)) })).toMatchObject({
    ...{ severity: 'soon', title: 'is being transferred to you', when: 'by Nov 27, 2026' },
    ...{ detail: 'Acme · the owner or the admin contact has to approve it' },
    action: { to: '/domain/transfer/acme.com' },
  });
  expect(said('transfer', { ...facts, state: 'release', late: true })).toMatchObject({
    ...{ severity: 'now', when: '2 days ago', detail: expect.stringContaining('within five days') },
  });
  expect(said('transfer', { ...facts, state: 'failed', reason: 'Wrong code' })).toMatchObject({
    ...{ severity: 'now', title: 'was not transferred', detail: 'Acme · Wrong code' },
  });
});

test('a suspended name is pressing at once, an unconfirmed one in its last five days', () => {
  const waiting = (days: number) =>
    said('registrant', { suspended: false, bounced: false }, { deadline: new Date(inDays(days)) });
  const suspended = { suspended: true, bounced: false };
  expect(said('registrant', suspended)).toMatchObject({ severity: 'now', when: '' });
  expect(said('registrant', suspended, { deadline: new Date(inDays(-2)) }).when).toBe('2 days ago');
  expect(said('registrant', { ...suspended, suspended: false }).when).toBe('');
  expect([waiting(5).severity, waiting(5.1).severity]).toEqual(['now', 'soon']);
  // As the page of the domain and the letters count: a day that has begun is one more.
  expect([5.1, 0.5, -1].map((days) => waiting(days).when)).toEqual([
    ...['6 days left', '1 day left', '0 days left'],
  ]);
  expect(said('registrant', { suspended: false, bounced: true }).detail).toBe(
    'Acme · the email could not be delivered · otherwise the registry suspends it',
  );
});

test.each([
  ['ready', 2, 'soon', 'is not applied yet', '2 domains would be changed'],
  ['paused', 1, 'now', 'is paused', '1 domain is not changed yet'],
  ['partly', 2, 'now', 'is done in part', '2 domains were not changed'],
] as const)(
  'a change of many domains that is %s says so, and leads to itself',
  (state, left, severity, how, what) => {
    const facts = {
      changeId: 'c',
      title: 'Old server',
      state,
      left,
      note: 'The registrar is away',
      at: inDays(-1),
    };
    expect(said('change', facts)).toEqual({
      ...{ severity, title: `The change “Old server” ${how}`, detail: `${what} · The registrar is away` },
      ...{ when: '1 day ago', action: { label: 'Open', to: '/changes/c' } },
    });
  },
);

test('a file, a change of DNS, a payment, an order and a deleted name say what waits and since when', () => {
  const at = inDays(-1.5);
  const file = (faulty: number) =>
    said('import', { importId: 'f', good: 3, faulty, at }, { address: null, customer: '' });
  expect(file(1)).toEqual({
    ...{ severity: 'soon', title: 'A checked file of customers is not imported yet', when: '1 day ago' },
    ...{ detail: '3 of its rows can be imported · 1 has faults' },
    action: { label: 'Open', to: '/customers/import/f' },
  });
  expect([file(0).detail, file(2).detail]).toEqual([
    '3 of its rows can be imported',
    '3 of its rows can be imported · 2 have faults',
  ]);
  expect(said('zone-write', { at })).toMatchObject({
    ...{ severity: 'now', when: '1 day ago', action: { to: '/domain/acme.com/dns' } },
  });
  const payment = { topUpId: 't', cents: 10_000, at };
  expect(said('payment', { ...payment, waits: 'person' })).toMatchObject({
    title: 'The top-up of $100.00 needs your confirmation',
    detail: 'The bank needs your confirmation before it pays',
  });
  expect(said('payment', { ...payment, waits: 'declined' })).toMatchObject({
    ...{ severity: 'now', title: 'The automatic top-up of $100.00 was declined' },
    detail: 'Until a payment succeeds, the balance is not topped up',
  });
  expect(said('order', { orderId: 'o', at })).toMatchObject({
    ...{ severity: 'soon', action: { to: '/orders/o' } },
  });
  expect(said('restore', { until: inDays(3) })).toMatchObject({
    ...{ severity: 'now', when: '3 days left', detail: 'Acme · it can be restored until Nov 25, 2026' },
  });
});

test('a list of transfers says how many names are ready, and a name that came with it what is wrong with its DNS', () => {
  const at = inDays(-1.5);
  const ready = (names: number) => said('move', { moveId: 'm', names, at }, { address: null });
  expect(ready(1)).toEqual({
    ...{ severity: 'soon', title: 'A checked list of transfers is not ordered yet', when: '1 day ago' },
    ...{ detail: 'Acme · 1 name is ready', action: { label: 'Open', to: '/domain/moves/m' } },
  });
  expect(ready(2).detail).toBe('Acme · 2 names are ready');
  const dns = (held: string | null, differs: number) => said('move-dns', { moveId: 'm', held, differs, at });
  expect(dns('the zone is too large', 0)).toEqual({
    ...{ severity: 'now', title: 'has arrived, but its DNS could not be set up', when: '1 day ago' },
    ...{ detail: 'Acme · the zone is too large', action: { label: 'Open', to: '/domain/moves/m' } },
  });
  expect(dns(null, 1)).toMatchObject({
    ...{ title: 'has different DNS answers after its transfer', detail: 'Acme · 1 answer differs' },
  });
  expect(dns(null, 2).detail).toBe('Acme · 2 answers differ');
});

test('a domain with faults names them, and opens where they are', () => {
  const facts = { kinds: 'spf-open dmarc-two of-a-later-version', since: inDays(-2) };
  expect(said('health', facts)).toEqual({
    ...{ severity: 'soon', title: 'has 2 problems that others can see', when: '2 days ago' },
    detail: 'Acme · SPF allows every server; More than one DMARC record',
    action: { label: 'Open', to: '/domain/acme.com?tab=health' },
  });
  expect(said('health', { ...facts, kinds: 'spf-open' }).title).toBe('has a problem that others can see');
});

test('a cause that this version does not know is none', () => {
  expect(attentionCauses.every(isAttentionCause)).toBe(true);
  expect(['toString', 'of-a-later-version'].some(isAttentionCause)).toBe(false);
  expect(ruleOf('renewal')).toBe(attentionRules.renewal);
});
