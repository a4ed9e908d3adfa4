import { expect, test } from 'vitest';
import { pendingText } from './pending-text.ts';

test.each([
  [0, 100_00, 'no payment is pending'],
  [50_00, 150_00, 'you can already spend it'],
  [50_00, 149_99, 'you can already spend $49.99 of it'],
  [50_00, 100_01, 'you can already spend $0.01 of it'],
  [50_00, 100_00, 'you can spend it when it has arrived'],
])('of $100.00 and %i cents on their way %i cents can be spent: %s', (pendingBalance, spendable, text) => {
  expect(pendingText({ balance: 100_00, pendingBalance, spendable })).toBe(text);
});
