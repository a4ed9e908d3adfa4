import { expect, test } from 'vitest';
import { expectedDeletion, restorableUntil } from './redemption.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const dayMs = 86_400_000;
const periods = { graceDays: 40, redemptionDays: 30 };

test('a deleted domain can be had back until its last moment, and no living one', () => {
  const row = (until: Date | null, status = 'expired') => ({ status, restorable_until: until });
  expect(restorableUntil(row(inMs(1)), now)).toEqual(inMs(1));
  expect(restorableUntil(row(now), now)).toBeNull();
  expect(restorableUntil(row(null), now)).toBeNull();
  expect(restorableUntil(row(inMs(1), 'active'), now)).toBeNull();
});

test.each([
  ['before the grace ends', -40 * dayMs + 1, false],
  ['when the grace ends', -40 * dayMs, true],
  ['on the last moment of the redemption', -70 * dayMs + 1, true],
  ['after it', -70 * dayMs, false],
])('a name that is gone %s was deleted as expected: %3$s', (_when, expiredMs, expected) => {
  const end = expectedDeletion(inMs(expiredMs), periods, now);
  expect(end).toEqual(expected ? inMs(expiredMs + 70 * dayMs) : null);
});

test('without an expiry date nothing was expected', () => {
  expect(expectedDeletion(null, periods, now)).toBeNull();
});
