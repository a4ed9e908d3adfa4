import { expect, test } from 'vitest';
import { mostWatchedAtOnce, watchedTextMost } from '#contracts/values/watched-names.ts';
import { problemOf } from './watch-form.tsx';

const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}.net`).join(' ');

test('names that are to be watched are at least one and at most a thousand, in a text as long as one may be', () => {
  expect(problemOf(' , ')).toBe('Please enter at least one name');
  expect([problemOf('a.net'), problemOf(names(mostWatchedAtOnce))]).toEqual([null, null]);
  expect(problemOf(names(mostWatchedAtOnce + 1))).toBe(
    'At most 1000 names are added at once; these are 1001',
  );
  expect(problemOf(`a.net${' '.repeat(watchedTextMost - 5)}`)).toBeNull();
  expect(problemOf(`a.net${' '.repeat(watchedTextMost - 4)}`)).toBe('This is too much text for one list');
});
