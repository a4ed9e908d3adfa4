import { expect, test } from 'vitest';
import { needsSecondPerson } from '#contracts/values/second-person.ts';
import { aloneLeft } from './second-person.rules.ts';

const none = { ofOrganisation: 0, byOperator: 0 };
const limit = 100_000;

test.each([
  [100_000, none, false],
  [100_001, none, true],
  [-100_000, none, false],
  [-100_001, none, true],
  [1, { ofOrganisation: 99_999, byOperator: 0 }, false],
  [2, { ofOrganisation: 99_999, byOperator: 0 }, true],
  [-2, { ofOrganisation: 99_999, byOperator: 0 }, true],
  [1, { ofOrganisation: 0, byOperator: 100_000 }, true],
])('%i cents after %j of one day: a second person %s', (cents, today, expected) => {
  expect(needsSecondPerson(cents, aloneLeft(today, limit))).toBe(expected);
});

test('with a limit of nothing every correction takes two people', () => {
  expect(needsSecondPerson(1, aloneLeft(none, 0))).toBe(true);
});

test.each([
  [none, 100_000],
  [{ ofOrganisation: 30_000, byOperator: 40_000 }, 60_000],
  [{ ofOrganisation: 50_000, byOperator: 40_000 }, 50_000],
  // The limit was lowered meanwhile.
  [{ ofOrganisation: 0, byOperator: 100_001 }, 0],
])('after %j of one day %i cents are left', (today, left) => {
  expect(aloneLeft(today, limit)).toBe(left);
});
