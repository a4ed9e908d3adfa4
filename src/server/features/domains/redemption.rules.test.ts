import { expect, test } from 'vitest';
import { deletedUntil, restorableUntil } from './redemption.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const dayMs = 86_400_000;
const periods = { graceDays: 40, redemptionDays: 30 };
const known = (change: Partial<Parameters<typeof deletedUntil>[0]>) => ({
  ...{ expires_at: null, restorable_until: null, missing_since: null },
  ...change,
});

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
  const end = deletedUntil(known({ expires_at: inMs(expiredMs) }), periods, now);
  expect(end).toEqual(expected ? inMs(expiredMs + 70 * dayMs) : null);
});

test('without an expiry date nothing was expected', () => {
  expect(deletedUntil(known({}), periods, now)).toBeNull();
});

test('the registrar’s own word counts until its last moment, whatever was expected', () => {
  const grace = { expires_at: inMs(-40 * dayMs) };
  expect(deletedUntil(known({ ...grace, restorable_until: inMs(1) }), periods, now)).toEqual(inMs(1));
  expect(deletedUntil(known({ ...grace, restorable_until: now }), periods, now)).toBeNull();
});

test('a name that was missing before is not deleted later, unless the registrar says so', () => {
  const left = { expires_at: inMs(-40 * dayMs), missing_since: inMs(-90 * dayMs) };
  expect(deletedUntil(known(left), periods, now)).toBeNull();
  expect(deletedUntil(known({ ...left, restorable_until: inMs(1) }), periods, now)).toEqual(inMs(1));
});
