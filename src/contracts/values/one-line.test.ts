import { expect, test } from 'vitest';
import { asOneLine } from './one-line.ts';

test('what a server says becomes one line that can be stored, and is cut', () => {
  expect(asOneLine('a\nb\u202ec\ud800', 10)).toBe('a b c\ufffd');
  expect(asOneLine('abcdef', 3)).toBe('abc');
});
