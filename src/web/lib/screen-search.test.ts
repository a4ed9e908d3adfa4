import { describe, expect, test } from 'vitest';
import { parseSearchText, readSearch, writeSearchText } from './screen-search.ts';

describe('the state of a screen in its address', () => {
  test('comes back as it was written', () => {
    const search = { page: 3, sort: '-expireDate', search: 'a&b=c 100% ü', customer: 'x', name: 'acme.com' };
    expect(readSearch(parseSearchText(writeSearchText(search)))).toEqual(search);
  });

  test('a number that was searched for stays a text', () => {
    expect(readSearch(parseSearchText('?search=123'))).toEqual({ search: '123' });
  });

  test.each(['0', '-1', '1', '1.5', 'abc', '', '1e9', 'NaN', 'Infinity'])(
    'page %j is the first one',
    (page) => {
      expect(readSearch(parseSearchText(`?page=${page}`))).toEqual({});
    },
  );

  test('what is none of ours is left out, and nothing is longer than a name can be', () => {
    const read = readSearch(parseSearchText(`?__proto__=1&utm=2&search=${'x'.repeat(5_000)}`));
    expect(Object.keys(read)).toEqual(['search']);
    expect(read.search).toHaveLength(300);
  });

  test('an empty state leaves the address clean', () => {
    expect(writeSearchText({ search: '', page: undefined })).toBe('');
  });
});
