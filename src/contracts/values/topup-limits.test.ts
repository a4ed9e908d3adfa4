import { expect, test } from 'vitest';
import { autoBalanceLimits, maximumText, minimumText, topupLimits } from './topup-limits.ts';

test('the limits of top-ups are those that were specified, and are said in whole dollars', () => {
  expect(minimumText(topupLimits.leastCents)).toBe('Minimum of $20');
  expect(maximumText(topupLimits.mostCents)).toBe('Maximum of $9,999');
  expect(minimumText(topupLimits.initialCents)).toBe('Minimum of $100');
  expect(minimumText(autoBalanceLimits.leastAmountCents)).toBe('Minimum of $100');
  expect(minimumText(autoBalanceLimits.leastMarkCents)).toBe('Minimum of $10');
});
