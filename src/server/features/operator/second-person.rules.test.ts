import { expect, test } from 'vitest';
import { needsSecondPerson } from './second-person.rules.ts';

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
  expect(needsSecondPerson(cents, today, limit)).toBe(expected);
});

test('with a limit of nothing every correction takes two people', () => {
  expect(needsSecondPerson(1, none, 0)).toBe(true);
});
