import { expect, test } from 'vitest';
import type { DueRenewal } from '#contracts/operations/renewals.ts';
import { plannedWithin, runwayOf } from './runway.ts';

const now = new Date('2026-11-22T00:00:00Z');
const day = (count: number) => new Date(now.getTime() + count * 86_400_000);
const row = (renewAt: number, price: number | null, state: DueRenewal['state'] = 'planned') =>
  ({
    state,
    price,
    renewAt: day(renewAt).toISOString(),
    expireDate: day(renewAt + 30).toISOString(),
    autoRenew: state !== 'manual',
  }) as DueRenewal;

test('the balance goes down by each planned renewal, in the order of time; what nothing renews costs nothing', () => {
  const rows = [row(20, 12.31), row(10, 10), row(5, 9, 'manual'), row(6, 9, 'ordered'), row(7, null)];
  expect(runwayOf({ rows, spendable: 5_000 }, now, 90)).toEqual([
    { at: now, cents: 5_000 },
    { at: day(10), cents: 4_000 },
    { at: day(20), cents: 2_769 },
    { at: day(90), cents: 2_769 },
  ]);
});

test('a renewal that is late already counts from now; the line may go below zero', () => {
  expect(runwayOf({ rows: [row(-3, 12)], spendable: 1_000 }, now, 90)).toEqual([
    { at: now, cents: 1_000 },
    { at: now, cents: -200 },
    { at: day(90), cents: -200 },
  ]);
});

test('what failed and is tried again still takes from the balance, from now on', () => {
  expect(runwayOf({ rows: [row(-2, 20, 'unable')], spendable: 1_000 }, now, 90)).toEqual([
    { at: now, cents: 1_000 },
    { at: now, cents: -1_000 },
    { at: day(90), cents: -1_000 },
  ]);
});

test('within a month renews what is planned alone, up to the last moment', () => {
  const rows = [row(-1, 1), row(29.9, 12.31), row(30, 100), row(5, 9, 'manual'), row(6, null)];
  expect(plannedWithin(rows, now, 30)).toEqual([rows[0], rows[1], rows[4]]);
});
