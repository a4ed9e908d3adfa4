import { expect, test } from 'vitest';
import { freshForSeconds, isFreshSignIn } from './fresh-sign-in.ts';

const now = new Date('2026-11-22T12:00:00Z');
const ago = (seconds: number) => now.getTime() / 1_000 - seconds;

test.each([
  [0, true],
  [899, true],
  [900, true],
  [901, false],
  [-60, true],
  [-61, false],
])('a sign-in of %i seconds ago is fresh: %s', (seconds, expected) => {
  expect(isFreshSignIn(ago(seconds), now)).toBe(expected);
});

test('a provider that does not say when a person signed in cannot vouch that it was just now', () => {
  expect(isFreshSignIn(null, now)).toBe(false);
  expect(freshForSeconds(null, now)).toBe(0);
});

test.each([
  [0, 900],
  [899.5, 0],
  [600, 300],
  [901, 0],
  [3_600, 0],
  [-61, 0],
])('a sign-in of %d seconds ago stays fresh for %i more', (seconds, left) => {
  expect(freshForSeconds(ago(seconds), now)).toBe(left);
});
