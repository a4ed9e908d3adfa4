import { expect, test } from 'vitest';
import { type DueDomain, planOf } from './plan.rules.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const dayMs = 86_400_000;
const inDays = (days: number) => new Date(now.getTime() + days * dayMs);

function domain(address: string, days: number, more: Partial<DueDomain> = {}): DueDomain {
  const attempt = null;
  const base = { address, customerId: null, customer: '', expiresAt: inDays(days), autoRenew: true, attempt };
  return { ...base, priceCents: 1_000, ...more };
}

const plan = (due: readonly DueDomain[], spendableCents: number) =>
  planOf(due, { spendableCents, renewDays: 30, now });
const covered = (due: readonly DueDomain[], spendableCents: number) =>
  plan(due, spendableCents).rows.map((row) => [row.address, row.covered]);

test('automatic renewals take the money in the order in which they expire', () => {
  const due = [domain('b.com', 60), domain('a.com', 50), domain('c.com', 70)];
  expect(covered(due, 2_000)).toEqual([
    ['a.com', true],
    ['b.com', true],
    ['c.com', false],
  ]);
  expect(covered(due, 1_999).filter(([, yes]) => yes)).toEqual([['a.com', true]]);
});

test('the first that the money does not cover says from when it falls short, and how much is missing', () => {
  const due = [domain('a.com', 50), domain('b.com', 60), domain('c.com', 70)];
  expect(plan(due, 1_500)).toMatchObject({ shortFrom: inDays(30).toISOString(), missing: 15 });
  expect(plan(due, 3_000)).toMatchObject({ shortFrom: null, missing: 0 });
});

test('one by hand takes no money from the others, and is measured against what they leave', () => {
  const due = [domain('a.com', 50, { autoRenew: false }), domain('b.com', 60)];
  expect(covered(due, 1_000)).toEqual([
    ['a.com', true],
    ['b.com', true],
  ]);
  expect(covered([domain('a.com', 50), domain('b.com', 60, { autoRenew: false })], 1_999)).toEqual([
    ['a.com', true],
    ['b.com', false],
  ]);
  expect(plan(due, 1_000)).toMatchObject({ total: 20, automaticTotal: 10, automaticCount: 1, missing: 0 });
});

test('what is ordered has its money held already, and takes none again', () => {
  const ordered = domain('a.com', 50, { attempt: { state: 'ordered', reason: null } });
  expect(plan([ordered, domain('b.com', 60)], 1_000)).toMatchObject({ shortFrom: null, missing: 0 });
  expect(covered([ordered], -1)).toEqual([['a.com', true]]);
});

test('a renewal is planned so many days before expiry, and never in the past', () => {
  const [early, late] = plan([domain('late.com', 10), domain('early.com', 31)], 0).rows.toReversed();
  expect(early?.renewAt).toBe(inDays(1).toISOString());
  expect(late?.renewAt).toBe(now.toISOString());
  expect(plan([domain('a.com', 31, { autoRenew: false })], 0).rows[0]?.renewAt).toBeNull();
});

test('each domain is planned, ordered, stuck with its reason, or a matter for a person', () => {
  const state = (autoRenew: boolean, attempt: DueDomain['attempt']) => {
    const [row] = plan([domain('a.com', 10, { autoRenew, attempt })], 0).rows;
    return [row?.state, row?.reason];
  };
  expect(state(true, null)).toEqual(['planned', null]);
  expect(state(true, { state: 'dropped', reason: 'gone' })).toEqual(['planned', null]);
  expect(state(true, { state: 'intended', reason: null })).toEqual(['ordered', null]);
  expect(state(true, { state: 'unable', reason: 'refused' })).toEqual(['unable', 'refused']);
  expect(state(false, { state: 'unable', reason: 'refused' })).toEqual(['manual', null]);
  expect(state(false, { state: 'ordered', reason: null })).toEqual(['ordered', null]);
  // Nobody orders it any more.
  expect(state(false, { state: 'intended', reason: null })).toEqual(['manual', null]);
});

test('an automatic renewal that takes from the balance without a price is counted; priced, ordered and manual ones are not', () => {
  const priceCents = null;
  const ordered = { state: 'ordered', reason: null } as const;
  const due = [
    ...[domain('a.com', 10, { priceCents }), domain('b.com', 20, { priceCents, attempt: null })],
    domain('unable.com', 25, { priceCents, attempt: { state: 'unable', reason: 'refused' } }),
    domain('priced.com', 30),
    domain('ordered.com', 40, { priceCents, attempt: ordered }),
    domain('manual.com', 50, { priceCents, autoRenew: false }),
  ];
  expect(plan(due, 1_000)).toMatchObject({ unpriced: 3, shortFrom: null, missing: 0, automaticTotal: 10 });
  expect(plan([domain('a.com', 10)], 0).unpriced).toBe(0);
});

test('a price that nobody knows counts as nothing, and is not shown as one', () => {
  const { rows, total } = plan([domain('a.com', 10, { priceCents: null })], 0);
  expect([rows[0]?.price, rows[0]?.covered, total]).toEqual([null, true, 0]);
  expect(plan([domain('a.com', 10)], 0).rows[0]?.price).toBe(10);
});
