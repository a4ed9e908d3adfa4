import { expect, test } from 'vitest';
import { keyFault, markOf, sealKeysOf } from './seal-keys.ts';

const said = { sealKeys: ['1', '2'], sealKeyMarks: { 1: markOf('first'), 2: markOf('second') } };

test('the same keys open a backup, among others too', () => {
  expect(keyFault(said, sealKeysOf('1:first, 2:second'))).toBeNull();
  expect(keyFault(said, sealKeysOf('3:third,2:second,1:first'))).toBeNull();
});

test('a key that is missing is named, and one that is another key under the same number', () => {
  expect(keyFault(said, sealKeysOf('1:first'))).toContain('does not have: 2');
  expect(keyFault(said, sealKeysOf('1:first,2:a new disk made another one'))).toContain('numbers: 2');
  expect(keyFault(said, sealKeysOf(''))).toContain('does not have: 1, 2');
});

test('a backup that has no marks is judged by the numbers', () => {
  expect(keyFault({ sealKeys: ['1'], sealKeyMarks: {} }, sealKeysOf('1:anything'))).toBeNull();
});

test('a secret may hold colons', () => {
  expect(sealKeysOf('1:a:b').get('1')).toBe('a:b');
});
