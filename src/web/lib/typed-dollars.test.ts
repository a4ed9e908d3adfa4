import { expect, test } from 'vitest';
import { typedDollars } from './typed-dollars.ts';

test('a field of dollars shows cents with both digits, and whole dollars without', () => {
  expect([6_000, 6_050, 6_005, 0, 1].map(typedDollars)).toEqual([60, '60.50', '60.05', 0, '0.01']);
});
