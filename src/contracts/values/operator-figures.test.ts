import { expect, test } from 'vitest';
import type { OperatorFigures } from '../operations/operator.ts';
import { figureLines } from './operator-figures.ts';

const figures: OperatorFigures = {
  ...{
    review: 0,
    oldestReviewSeconds: 0,
    waiting: 1_234,
    failedCharges: 0,
    refusedRenewals: 0,
    stuckEvents: 0,
  },
  ...{ debts: 2, debtCents: 1_250, differences: 0, reconciledSecondsAgo: null },
  ...{ registrarAvailableCents: -5_00, registrarReadSecondsAgo: 7_199 },
};

test('figures are told in words: counts, money, and how long ago', () => {
  const lines = figureLines(figures);
  expect(lines).toHaveLength(12);
  expect(lines).toContain('  1,234  Order items whose outcome the registrar has not reported for an hour');
  expect(lines).toContain(' $12.50  What they owe together');
  expect(lines).toContain(
    ' −$5.00  Spendable balance of the account at the registrar, less the orders under way',
  );
  expect(lines).toContain('  never  Time since the last complete comparison');
});

test.each([
  [119, '119 s'],
  [120, '2 min'],
  [7_199, '119 min'],
  [7_200, '2 h'],
  [172_799, '47 h'],
  [172_800, '2 d'],
])('%i seconds are "%s"', (seconds, text) => {
  const line = figureLines({ ...figures, registrarReadSecondsAgo: seconds }).at(-1);
  expect(line?.trim()).toBe(`${text}  Time since the account at the registrar was read`);
});
