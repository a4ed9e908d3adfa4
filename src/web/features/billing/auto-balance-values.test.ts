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

test('each sum has its own least; nothing typed, or no number, is too little', () => {
  const least = { amount: autoBalanceLimits.leastAmountCents, mark: autoBalanceLimits.leastMarkCents };
  expect(problemsOf(least)).toEqual({ amount: null, mark: null });
  const [amount, mark] = ['Minimum of $100', 'Minimum of $10'];
  expect(problemsOf({ ...least, amount: least.amount - 1 })).toEqual({ amount, mark: null });
  expect(problemsOf({ ...least, mark: least.mark - 1 })).toEqual({ amount: null, mark });
  const none = problemsOf(settingOf({ reload: '', threshold: 'x' }));
  expect(none).toEqual({ amount, mark });
});
