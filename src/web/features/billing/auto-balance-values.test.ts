import { expect, test } from 'vitest';
import { autoBalanceLimits } from '#contracts/values/topup-limits.ts';
import { problemsOf, settingOf } from './auto-balance-values.ts';

test('the sum to reload and the mark are sent in cents, each as itself', () => {
  expect(settingOf({ reload: 100, threshold: '50.55' })).toEqual({
    enabled: true,
    amount: 10_000,
    mark: 5_055,
  });
});

test('sums that a computer holds a little below their cents are sent as they were typed', () => {
  for (const [typed, cents] of [
    ['19.99', 1_999],
    [128.2, 12_820],
    ['256.03', 25_603],
  ] as const) {
    const same = { enabled: true, amount: cents, mark: cents };
    expect(settingOf({ reload: typed, threshold: typed })).toEqual(same);
  }
});

test('each sum has its own least; nothing typed, or no number, is too little', () => {
  const least = { amount: autoBalanceLimits.leastAmountCents, mark: autoBalanceLimits.leastMarkCents };
  expect(problemsOf(least)).toEqual({ amount: null, mark: null });
  const [amount, mark] = ['Minimum of $100', 'Minimum of $10'];
  expect(problemsOf({ ...least, amount: least.amount - 1 })).toEqual({ amount, mark: null });
  expect(problemsOf({ ...least, mark: least.mark - 1 })).toEqual({ amount: null, mark });
  const none = problemsOf(settingOf({ reload: '', threshold: 'x' }));
  expect(none).toEqual({ amount, mark });
});
