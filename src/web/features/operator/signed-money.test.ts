import { expect, test } from 'vitest';
import { signedMoney } from './signed-money.ts';

test.each([
  [1_250, '+$12.50'],
  [-1_250, '-$12.50'],
  [123_456_789, '+$1,234,567.89'],
])('%i cents are shown as %s', (cents, text) => {
  expect(signedMoney(cents)).toBe(text);
});
