import { expect, test } from 'vitest';
import { inPlainWords } from './kept-words.ts';

const owner = { organization: 'as owner', city: 'none' };

test('what the log keeps briefly of a customer is read in plain words, in the order in which it was kept', () => {
  const kept = {
    billing: {},
    contacts: { owner, admin: 'as owner', billing: 'as owner' },
    markups: 'none',
    version: 1,
  };
  const read = inPlainWords(kept);
  expect(read).toEqual({
    ...kept,
    contacts: { owner, admin: 'Same as owner', billing: 'Same as owner' },
    markups: 'No markup',
  });
  expect(Object.keys(read as object)).toEqual(Object.keys(kept));
  // What was kept stays as it is.
  expect(kept.markups).toBe('none');
});

test.each([
  [null],
  ['none'],
  [['as owner', 'none']],
  // What people entered.
  [{ name: 'none', note: 'as owner', contacts: { owner }, markups: { domain: 'none' } }],
])('anything else is read as it was kept: %j', (kept) => expect(inPlainWords(kept)).toEqual(kept));
