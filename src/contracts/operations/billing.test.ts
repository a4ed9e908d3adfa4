import { expect, test } from 'vitest';
import { setAutoBalance, topUp } from './billing.ts';

test.each([
  [20, true],
  [19.99, true],
  [0.01, true],
  [1_000_000, true],
  [0, false],
  [-20, false],
  [1_000_000.01, false],
  [20.005, false],
  ['20', false],
])('a top-up of %s dollars is well formed: %s; how much it may be is decided later', (amount, taken) => {
  expect(topUp.body.safeParse({ amount }).success).toBe(taken);
});

const set = (change: object) =>
  setAutoBalance.body.safeParse({ enabled: true, amount: 100_00, mark: 10_00, ...change });

test.each([
  [{ amount: 100_00 }, true],
  [{ amount: 99_99 }, false],
  [{ amount: 100_000_00 }, true],
  [{ amount: 100_000_01 }, false],
  [{ amount: 100_00.5 }, false],
  [{ amount: undefined }, false],
  [{ mark: 10_00 }, true],
  [{ mark: 9_99 }, false],
  [{ mark: 100_000_00 }, true],
  [{ mark: 100_000_01 }, false],
  [{ mark: 10_00.5 }, false],
  [{ mark: undefined }, false],
])('auto balance with %j in cents is taken: %s', (change, taken) => {
  expect(set(change).success).toBe(taken);
});

test('auto balance is turned off without amounts, and what is too little says what is the least', () => {
  expect(setAutoBalance.body.parse({ enabled: false, amount: 1, mark: 1 })).toEqual({ enabled: false });
  const said = (change: object) => JSON.stringify(set(change).error?.issues);
  expect(said({ amount: 1 })).toContain('Minimum of $100');
  expect(said({ mark: 1 })).toContain('Minimum of $10');
});
