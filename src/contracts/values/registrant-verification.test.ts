import { expect, test } from 'vitest';
import { isVerificationUrgent, verificationDaysLeft } from './registrant-verification.ts';

const now = new Date('2026-11-22T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const dayMs = 86_400_000;

test.each([
  [15 * dayMs, 15],
  [14 * dayMs + 1, 15],
  [dayMs, 1],
  [1, 1],
  [0, 0],
  [-dayMs, 0],
])('a deadline in %d ms leaves %d days: a day that has begun counts', (ms, days) => {
  expect(verificationDaysLeft(inMs(ms), now)).toBe(days);
});

test('without a deadline there are no days to count, and nothing is urgent', () => {
  expect(verificationDaysLeft(null, now)).toBeNull();
  expect(isVerificationUrgent(null, now)).toBe(false);
});

test('the last five days are urgent, the sixth is not', () => {
  expect(isVerificationUrgent(inMs(5 * dayMs), now)).toBe(true);
  expect(isVerificationUrgent(inMs(5 * dayMs + 1), now)).toBe(false);
});
