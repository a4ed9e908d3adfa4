import { expect, test } from 'vitest';
import { yearlyCents } from './pricing.rules.ts';

test('the list decides, never below cost; without an entry cost and margin do', () => {
  expect(yearlyCents(1_000, 1_500, 25)).toBe(1_500);
  expect(yearlyCents(1_000, 1_000, 25)).toBe(1_000);
  expect(yearlyCents(1_000, 999, 25)).toBe(1_000);
  expect(yearlyCents(1_000, null, 25)).toBe(1_250);
  expect(yearlyCents(999, undefined, 25)).toBe(1_249);
  expect(yearlyCents(1_000, 0, 25)).toBe(1_000);
});
