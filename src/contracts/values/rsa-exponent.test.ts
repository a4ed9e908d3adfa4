import { expect, test } from 'vitest';
import { isSafeExponent } from './rsa-exponent.ts';

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

test.each([
  ['', false],
  ['00', false],
  ['00'.repeat(32), false],
  ['01', false],
  ['03', false],
  ['ffff', false],
  ['010000', false],
  ['010001', true],
  ['00010001', true],
  ['010002', false],
  [`${'ff'.repeat(32)}`, true],
  [`00${'ff'.repeat(32)}`, true],
  [`01${'00'.repeat(31)}01`, false],
])('the public exponent %s is safe: %s', (hex, safe) => {
  expect(isSafeExponent(bytes(hex))).toBe(safe);
});
