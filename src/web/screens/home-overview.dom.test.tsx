import { describe, expect, test } from 'vitest';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import type { DueRenewals } from '#contracts/operations/renewals.ts';
import type { Role } from '#contracts/permissions.ts';
import {
  type Answers,
  openScreen,
  paged,
  refused,
  screen,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import HomeOverview from './home-overview.tsx';

const of = (n: number): AttentionItem => ({
  ...{ id: uuid(n), cause: 'health', severity: 'soon', name: `d${n}.com`, title: 'is lost', detail: 'Two' },
  ...{ when: '3 days', deadline: null, openedAt: '2026-11-01T00:00:00Z', customerId: null, customer: '' },
  ...{ owner: null, snoozedUntil: null, version: 1, renewal: null },
  action: { label: 'Open', to: `/domain/d${n}.com` },
});
const counts = { now: 0, soon: 0, snoozed: 0, mine: 0, causes: [] };
const figures = {
  domains: { held: 3, expiring: 0, lapsing: 0, unverified: 0, manual: 0, unlocked: 0, transferring: 0 },
  ...{ certificates: null, customers: { total: 0, billedDirectly: 0 }, people: null, charges: null },
  attention: null,
};
const none = { ...figures.domains, held: 0 };
const due: DueRenewals = {
  ...{ rows: [], spendable: 0, total: 0, automaticTotal: 31.5, automaticCount: 3, unpriced: 0 },
  ...{ more: false, shortFrom: null, missing: 0 },
};
const money = { balance: 12_345, pendingBalance: 0, held: 1_250, spendable: 12_345 };
const list = 'GET /attention';
const balance = 'GET /account/balancev2';

const open = (answers: Answers = {}, role: Role = 'MSP_OWNER') =>
  openScreen(HomeOverview, {
    role,
    answers: {
      [list]: { items: [], more: false },
      'GET /attention/counts': counts,
      'GET /overview': figures,
      [balance]: money,
      'GET /renewals/due': due,
      'GET /audit': paged([]),
      ...answers,
    },
  });
const card = (name: string) => within(screen.getByRole('region', { name }));
const text = (name: string) => screen.getByRole('region', { name }).textContent;

describe('what needs attention', () => {
  test('is shown as far as six entries, with how many there are, and where the rest is', async () => {
    const items = [1, 2, 3, 4, 5, 6, 7].map(of);
    const { sent } = await open({
      ...{ [list]: { items, more: true }, 'GET /attention/counts': { ...counts, now: 2, soon: 5 } },
    });
    expect(sent(list).map(({ query }) => query)).toEqual([{ limit: '6' }]);
    expect(card('Needs attention').getAllByRole('listitem')).toHaveLength(6);
    expect(text('Needs attention')).toMatch(/2 now.*5 soon/);
    expect(card('Needs attention').getByRole('link', { name: 'All 7' }).getAttribute('href')).toBe(
      '/attention',
    );
    const [first] = card('Needs attention').getAllByRole('listitem');
    expect(first?.textContent).toMatch(/d1\.com.*is lost.*Two/);
    const open1 = within(first as HTMLElement).getByRole('link', { name: 'Open: d1.com' });
    expect(open1.getAttribute('href')).toBe('/domain/d1.com');
  });

  test.each([
    ['nothing is put off', 0, /No domain lapses in the next 30 days/],
    ['something is', 1, /^Needs attentionNothing needs your attention.$/],
  ])('that is nothing promises no more than is known: %s', async (_what, snoozed, expected) => {
    await open({ 'GET /attention/counts': { ...counts, snoozed } });
    expect(text('Needs attention')).toMatch(expected);
    expect(screen.queryByText('Your first domain takes three steps.')).toBeNull();
  });

  test.each<[string, object, object, string[]]>([
    ['nothing at all', {}, { balance: 0 }, ['Add Customer', 'Top up', 'Search', 'Transfer']],
    [
      'a customer',
      { customers: { total: 1, billedDirectly: 0 } },
      { balance: 0 },
      ['Top up', 'Search', 'Transfer'],
    ],
    ['money on its way', {}, { balance: 0, pendingBalance: 100 }, ['Add Customer', 'Search', 'Transfer']],
  ])('leads a person who has %s and no domain to the first one', async (_what, more, wallet, links) => {
    await open({
      'GET /overview': { ...figures, domains: none, ...more },
      [balance]: { ...money, ...wallet },
    });
    const shown = card('Needs attention')
      .getAllByRole('link')
      .map(({ textContent }) => textContent);
    expect(shown).toEqual(links);
    // Of the first two steps, those that are done are marked.
    expect(card('Needs attention').queryAllByRole('img', { name: 'Done' })).toHaveLength(4 - links.length);
  });

  test('is no first step while a transfer is on its way, nor for somebody who may not buy', async () => {
    await open({ 'GET /overview': { ...figures, domains: { ...none, transferring: 1 } } });
    expect(screen.queryByText('Your first domain takes three steps.')).toBeNull();
  });

  test('that cannot be read is not called nothing, and is read again', async () => {
    const opened = await open({ [list]: refused(500, 'internal', { message: 'Out of order' }) });
    expect(screen.queryByText(/Nothing needs/)).toBeNull();
    opened.answer(list, { items: [of(1)], more: false });
    await opened.user.click(card('Needs attention').getByRole('button', { name: 'Try again' }));
    expect(text('Needs attention')).toContain('d1.com');
  });
});

describe('the balance', () => {
  test('is told in dollars and cents, with what is held and what renews', async () => {
    await open();
    expect(text('Balance')).toContain('$123.45');
    expect(text('Balance')).toContain('Held for open orders$12.50Renews in 90 days$31.50');
    expect(text('Balance')).toContain('Covers every automatic renewal of the next 90 days');
    expect(text('Balance')).not.toContain('Being processed');
  });

  test('says what is being processed, until when it lasts, and what its sums lack', async () => {
    await open({
      [balance]: { ...money, pendingBalance: 5_000 },
      'GET /renewals/due': { ...due, shortFrom: '2026-12-24T12:00:00Z', unpriced: 1 },
    });
    expect(text('Balance')).toContain('Being processed$50.00');
    expect(text('Balance')).toContain(
      'Covers the automatic renewals whose price is known until Dec 24, 2026. 1 has no price at the moment.',
    );
  });

  test.each<[string, string]>([
    ['the balance', balance],
    ['the renewals', 'GET /renewals/due'],
  ])('says that %s cannot be read, and reads it again', async (_what, name) => {
    const opened = await open({ [name]: refused(500, 'internal', { message: 'Out of order' }) });
    expect(text('Balance')).toContain('Out of order');
    opened.answer(name, name === balance ? money : due);
    await opened.user.click(card('Balance').getByRole('button', { name: 'Try again' }));
    expect(text('Balance')).toContain('Covers every automatic renewal');
  });

  test.each<[Role, string | null]>([
    ['MSP_ADMIN', 'Top up'],
    ['MSP_EMPLOYEE', 'Billing'],
    ['MSP_CUSTOMER', null],
  ])('is shown to %s with the way to %s', async (role, way) => {
    const { sent } = await open({}, role);
    expect(screen.queryByRole('link', { name: /^(Top up|Billing)$/ })?.textContent ?? null).toBe(way);
    expect(sent(balance)).toHaveLength(way === null ? 0 : 1);
  });
});

test('the latest changes say what was done, of what and by whom; none, and an unread log, say so', async () => {
  const row = {
    ...{ sequence: 7, at: '2026-11-01T12:00:00Z', actor: 'bob@msp.example', actorId: uuid(11), ip: null },
    ...{ action: 'tokens.create', objectKind: 'api token', object: uuid(77), customerId: null, customer: '' },
    ...{ before: null, after: null },
  };
  const opened = await open({ 'GET /audit': refused(500, 'internal', { message: 'Out of order' }) });
  expect(text('Latest changes')).toContain('Out of order');
  opened.answer(
    'GET /audit',
    paged([row, { ...row, sequence: 6, action: 'customers.update', object: 'Acme' }]),
  );
  await opened.user.click(card('Latest changes').getByRole('button', { name: 'Try again' }));
  expect(
    card('Latest changes')
      .getAllByRole('listitem')
      .map(({ firstChild }) => firstChild?.textContent),
  ).toEqual(['Made an API token by bob', 'Changed a customer Acme by bob']);
});
