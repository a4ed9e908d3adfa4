import { describe, expect, test } from 'vitest';
import type { DueRenewal } from '#contracts/operations/renewals.ts';
import { lapses } from '#contracts/values/domain-life.ts';
import { weeksOf } from './weeks.ts';

const now = new Date('2026-11-22T12:00:00Z');
const row = (days: number, change: Partial<DueRenewal> = {}): DueRenewal => ({
  ...{ address: 'a.com', customerId: null, customer: 'A', autoRenew: true, renewAt: null, reason: null },
  ...{ price: 12.31, covered: true, state: 'planned' },
  expireDate: new Date(now.getTime() + days * 86_400_000).toISOString(),
  ...change,
});

describe('what lapses', () => {
  test.each([
    ['planned and covered', row(5), false],
    ['planned without the money', row(5, { covered: false }), true],
    ['by hand', row(5, { state: 'manual' }), true],
    ['tried in vain', row(5, { state: 'unable' }), true],
    ['ordered already, whatever the money', row(5, { state: 'ordered', covered: false }), false],
  ])('%s', (_title, given, expected) => expect(lapses(given)).toBe(expected));
});

test('a name counts into the week of its expiry: the seventh day is the second week, the past is the first', () => {
  const weeks = weeksOf([row(-3), row(0), row(6.9), row(7), row(20, { state: 'manual' })], now, 3);
  expect(weeks.map(({ automatic, lapsing }) => [automatic, lapsing])).toEqual([
    [3, 0],
    [1, 0],
    [0, 1],
  ]);
});

test('what expires after the last week is in none', () => {
  expect(weeksOf([row(21)], now, 3).every(({ automatic, lapsing }) => automatic + lapsing === 0)).toBe(true);
});

test('each week begins seven days after the one before, and the first one now', () => {
  expect(weeksOf([], now, 3).map(({ from }) => from.toISOString())).toEqual([
    ...['2026-11-22T12:00:00.000Z', '2026-11-29T12:00:00.000Z', '2026-12-06T12:00:00.000Z'],
  ]);
});
