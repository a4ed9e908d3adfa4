import { expect, test } from 'vitest';
import { lookBack } from './sweeps.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const daysAgo = (days: number, ms = 0) => new Date(now.getTime() - days * 86_400_000 - ms);

test.each<[string, Date | null, { payments: Date; events: Date }]>([
  ['an hour ago', daysAgo(0, 3_600_000), { payments: daysAgo(3, 3_600_000), events: daysAgo(3, 3_600_000) }],
  ['this moment', now, { payments: daysAgo(3), events: daysAgo(3) }],
  ['in the future, by a clock that was wrong', daysAgo(-5), { payments: daysAgo(3), events: daysAgo(3) }],
  ['five days ago', daysAgo(5), { payments: daysAgo(8), events: daysAgo(8) }],
  [
    '27 days ago, the last moment with all events',
    daysAgo(27),
    { payments: daysAgo(30), events: daysAgo(30) },
  ],
  ['a moment longer ago', daysAgo(27, 1), { payments: daysAgo(207, 1), events: daysAgo(30, 1) }],
  ['never', null, { payments: daysAgo(30), events: daysAgo(30) }],
])('the last whole sweep was %s', (_when, reachedAt, expected) => {
  expect(lookBack(reachedAt, now)).toEqual(expected);
});
