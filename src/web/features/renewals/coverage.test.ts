import { expect, test } from 'vitest';
import type { DueRenewal } from '#contracts/operations/renewals.ts';
import { costText, countedText, coverageText, uncountedTexts } from './coverage.ts';

const plan = (unpriced: number, more: boolean) => ({
  rows: new Array<DueRenewal>(more ? 5_000 : 4),
  unpriced,
  more,
});

test('every automatic renewal is said to be covered only where each has a price and none was left out', () => {
  expect(coverageText(plan(0, false), 90)).toBe(
    'Your balance covers every automatic renewal of the next 90 days.',
  );
  expect(uncountedTexts(plan(0, false))).toEqual([]);
});

test.each([
  [
    3,
    false,
    'Your balance covers the automatic renewals whose price is known. 3 have no price at the moment.',
  ],
  [
    1,
    false,
    'Your balance covers the automatic renewals whose price is known. 1 has no price at the moment.',
  ],
  [
    0,
    true,
    'Your balance covers the automatic renewals that are shown. Only the first 5,000 renewals are shown.',
  ],
  [
    2,
    true,
    'Your balance covers the automatic renewals that are shown and whose price is known. ' +
      '2 have no price at the moment. Only the first 5,000 renewals are shown.',
  ],
])('%i without a price, more than were read: %s', (unpriced, more, text) => {
  expect(coverageText(plan(unpriced, more), 90)).toBe(text);
});

test('what the sums have reads as the object of any sentence', () => {
  expect(countedText(plan(0, false))).toBe('every automatic renewal');
  expect(countedText(plan(2, false))).toBe('the automatic renewals whose price is known');
});

test.each([
  [[], '$0.00'],
  [[10, 12.31], '$22.31'],
  [[10, null], 'at least $10.00'],
  [[null, null], 'a price that is not known at the moment'],
])('%j cost together %s', (prices, text) => {
  expect(costText(prices.map((price) => ({ price })))).toBe(text);
});
