import { expect, test } from 'vitest';
import { sellingCents, withMargin } from './selling-price.ts';

test('the list decides, never below cost; without an entry cost and margin do', () => {
  expect(sellingCents(1_000, 1_500, 25)).toBe(1_500);
  expect(sellingCents(1_000, 1_000, 25)).toBe(1_000);
  expect(sellingCents(1_000, 999, 25)).toBe(1_000);
  expect(sellingCents(1_000, 0, 25)).toBe(1_000);
  expect(sellingCents(1_000, null, 25)).toBe(1_250);
});

test('a margin is rounded half up to the cent', () => {
  expect(withMargin(998, 25)).toBe(1_248);
  expect(withMargin(999, 25)).toBe(1_249);
  expect(withMargin(1_000, 0)).toBe(1_000);
});
