import { expect, test } from 'vitest';
import { keyFault, manifest, markOf, sealKeysOf } from './manifest.ts';

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

test('a backup from before knows no marks and is a dump', () => {
  const old = manifest.parse({
    at: '2026-11-22T10:00:00.000Z',
    migrations: [],
    sealKeys: ['1'],
    counts: {},
  });
  expect(old.cluster).toBeNull();
  expect(keyFault(old, sealKeysOf('1:anything'))).toBeNull();
});

test('a secret may hold colons', () => {
  expect(sealKeysOf('1:a:b').get('1')).toBe('a:b');
});
