import { expect, test } from 'vitest';
import { rowOf } from './table-keys.ts';

const names = ['alder.com', 'Anchor.com', 'bluefig.com', 'anvil.com'];

test.each([
  ['a letter goes to the next row that begins with it', 'a', 0, 1],
  ['and from the last to the first again', 'a', 3, 0],
  ['a word stays on the row that still fits', 'an', 1, 1],
  ['and leaves one that does not', 'an', 0, 1],
  ['capitals do not matter', 'anc', 3, 1],
  ['a single row that fits is found from itself', 'b', 2, 2],
])('%s', (_title, word, at, expected) => expect(rowOf(word, names, at)).toBe(expected));

test('what no row begins with goes nowhere', () => {
  expect(rowOf('z', names, 0)).toBeNull();
  expect(rowOf('a', [], -1)).toBeNull();
});
