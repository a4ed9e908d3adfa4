import { describe, expect, test } from 'vitest';
import type { CertificateRow } from '#contracts/operations/certificates.ts';
import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import type { DomainRow } from '#contracts/operations/domains.ts';
import type { DueRenewal } from '#contracts/operations/renewals.ts';
import { type AttentionSources, attentionOf } from './attention.ts';

const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();
const none: AttentionSources = {
  ...{ renewals: [], certificates: [], charges: [], domains: [], acme: [], transferring: 0 },
};
const renewal = (days: number, change: Partial<DueRenewal> = {}): DueRenewal => ({
  ...{ address: 'acme.com', customerId: null, customer: 'Acme', autoRenew: false, renewAt: null },
  ...{ state: 'manual', reason: null, price: 12.31, covered: true, expireDate: inDays(days) },
  ...change,
});
const of = (sources: Partial<AttentionSources>) => attentionOf({ ...none, ...sources }, now);

describe('a name that lapses', () => {
  test('is pressing below a week, is shown below 30 days, and says price and reason', () => {
    expect(of({ renewals: [renewal(6.9)] })).toMatchObject([
      {
        level: 'bad',
        title: 'expires in 6 days',
        detail: 'Acme · auto renew is off · renewing costs $12.31',
      },
    ]);
    expect(of({ renewals: [renewal(7)] })).toMatchObject([{ level: 'warn', when: '7 days left' }]);
    expect(of({ renewals: [renewal(29.9)] })).toHaveLength(1);
    expect(of({ renewals: [renewal(30)] })).toEqual([]);
  });

  test.each([
    [0.5, 'expires within a day', 'today'],
    [1, 'expires in 1 day', '1 day left'],
    [-1, 'has expired', '1 day ago'],
  ])('in %s days', (days, title, when) =>
    expect(of({ renewals: [renewal(days)] })).toMatchObject([{ title, when }]),
  );

  test('is not there when it renews and is paid for, or is being renewed', () => {
    expect(of({ renewals: [renewal(5, { state: 'planned' }), renewal(5, { state: 'ordered' })] })).toEqual(
      [],
    );
    expect(of({ renewals: [renewal(5, { state: 'planned', covered: false })] })).toMatchObject([
      { detail: expect.stringContaining('the balance does not cover it') },
    ]);
    expect(of({ renewals: [renewal(5, { state: 'unable', reason: 'Card declined' })] })).toMatchObject([
      { detail: expect.stringContaining('Card declined') },
    ]);
  });
});

test('a certificate counts by its worst flag; without flags, or without an order, it does not', () => {
  const row = (flags: CertificateRow['flags'], orderId: string | null = '7') =>
    ({
      certificateId: 'c',
      address: 'a.com',
      customer: 'A',
      orderId,
      flags,
      validTo: inDays(-4),
    }) as CertificateRow;
  const danger = { kind: 'expired', level: 'danger', text: 'Order a new one.' } as const;
  expect(of({ certificates: [row([danger])] })).toMatchObject([
    { level: 'bad', title: 'has an expired certificate', when: '4 days ago', action: { to: '/SSL/7' } },
  ]);
  expect(of({ certificates: [row([{ kind: 'shrinks', level: 'warning', text: 'x' }])] })).toMatchObject([
    { level: 'warn', title: 'has a certificate that needs you' },
  ]);
  expect(of({ certificates: [row([]), row([danger], null)] })).toEqual([]);
});

test('a failed charge counts, others do not; the sum and the customer are in its title', () => {
  const row = (state: DirectCharge['state']) =>
    ({
      chargeId: state,
      state,
      amount: 48.2,
      customer: 'Firefly',
      error: null,
      createdAt: inDays(0),
    }) as DirectCharge;
  expect(of({ charges: [row('failed'), row('succeeded')] })).toMatchObject([
    { title: 'Payment of $48.20 by Firefly failed', level: 'bad' },
  ]);
});

test('a suspended name is pressing at once, an unconfirmed one in its last five days; a transfer can be followed', () => {
  const row = (change: Partial<DomainRow>) =>
    ({ address: 'a.com', customer: 'A', status: 'active', ...change }) as DomainRow;
  const levels = (change: Partial<DomainRow>) => of({ domains: [row(change)] }).map(({ level }) => level);
  expect(levels({ verification: 'suspended' })).toEqual(['bad']);
  expect(levels({ verification: 'waiting', verificationDeadline: inDays(5) })).toEqual(['bad']);
  expect(levels({ verification: 'waiting', verificationDeadline: inDays(5.1) })).toEqual(['warn']);
  // As the page of the domain and the letters count: a day that has begun is one more.
  const left = (days: number) =>
    of({ domains: [row({ verification: 'waiting', verificationDeadline: inDays(days) })] })[0]?.when;
  expect([left(5.1), left(0.5), left(-1)]).toEqual(['6 days left', '1 day left', '0 days left']);
  expect(levels({ verification: 'verified' })).toEqual([]);
  expect(of({ transferring: 2 })).toMatchObject([{ title: '2 domains are on their way to you' }]);
});

describe('a machine that does not get its certificate', () => {
  const row = (change: object = {}) => ({
    ...{ accessId: 'x', name: 'Web server', customer: 'Blue Fig Ltd', at: inDays(-0.5) },
    ...{ names: ['a.example.com', 'www.a.example.com'], others: 0, validTo: null },
    ...{ text: 'Not ordered. Ask the provider.', advice: 'Top up the balance.' },
    ...change,
  });
  const item = (change: object = {}) => of({ acme: [row(change)] })[0];

  test('is told by name, in words for the MSP, and is opened from there', () => {
    expect(item()).toMatchObject({
      ...{ kind: 'acme', level: 'warn', name: 'a.example.com', title: 'got no certificate by ACME' },
      detail: 'Blue Fig Ltd · Top up the balance.',
      action: { label: 'Open', to: '/certificates/acme/x' },
    });
    expect(item({ advice: '' })?.detail).toBe(
      'Blue Fig Ltd · The server was answered: Not ordered. Ask the provider.',
    );
    expect(item({ others: 1 })?.detail).toContain(' · and one other request');
    expect(item({ others: 2 })?.detail).toContain(' · and 2 other requests');
    expect(item({ names: [] })).toMatchObject({
      ...{ name: null, title: 'A server could not register by the ACME access “Web server”' },
    });
  });

  test('is as pressing as the end of the certificate that it has', () => {
    const until = (days: number) => {
      const { level, title, when } = item({ validTo: inDays(days) }) ?? {};
      return [level, title, when];
    };
    expect(until(30)).toEqual(['warn', 'was not renewed by ACME', '30 days left']);
    expect(until(11)).toEqual(['warn', 'was not renewed by ACME', '11 days left']);
    expect(until(10)).toEqual(['bad', 'was not renewed by ACME', '10 days left']);
    expect(until(-2)).toEqual(['bad', 'was not renewed by ACME and has expired', '2 days ago']);
  });

  test('says when it asked, while it has no certificate', () => {
    const whens = [0, -0.9, -1, -1.9, -2, -6.9].map((days) => item({ at: inDays(days) })?.when);
    expect(whens).toEqual(['today', 'today', '1 day ago', '1 day ago', '2 days ago', '6 days ago']);
    // A clock of the browser that runs late.
    expect(item({ at: inDays(0.1) })?.when).toBe('today');
  });
});

test('the pressing come first, within them the earliest', () => {
  const rows = [
    renewal(20, { address: 'late.com' }),
    renewal(3, { address: 'three.com' }),
    renewal(1, { address: 'one.com' }),
  ];
  expect(of({ renewals: rows }).map(({ name }) => name)).toEqual(['one.com', 'three.com', 'late.com']);
});
