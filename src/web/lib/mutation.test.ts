import { describe, expect, test } from 'vitest';
import { sameInput } from './mutation.ts';

describe('whether two presses mean the same', () => {
  const file = new File(['a'], 'a.csv');
  test.each([
    [undefined, undefined],
    ['id', 'id'],
    [
      { id: 'a', body: { rows: [1, 2] } },
      { id: 'a', body: { rows: [1, 2] } },
    ],
    [file, file],
  ])('%o and %o do', (a, b) => expect(sameInput(a, b)).toBe(true));

  test.each([
    ['id', 'other'],
    [{ id: 'a' }, { id: 'b' }],
    [{ id: 'a' }, { id: 'a', also: undefined }],
    [{ a: undefined }, { b: undefined }],
    [[1, 2], [1]],
    [[], {}],
    [null, undefined],
    // Of one name and size: only the bytes differ, and nobody reads them to find out.
    [file, new File(['b'], 'a.csv')],
  ])('%o and %o do not', (a, b) => expect(sameInput(a, b)).toBe(false));
});
