import { expect, test } from 'vitest';
import { fitsGlob } from './glob.ts';

test.each([
  ['a.com', 'a.com', true],
  ['a.com', 'b.com', false],
  ['*', '', true],
  ['*.com', 'a.com', true],
  ['a*', 'abc', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['ab*ba', 'aba', false],
  ['a**c', 'abc', true],
])('%s and %s: %s', (glob, text, fits) => {
  expect(fitsGlob(glob, text)).toBe(fits);
});
