import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, changedParts } from './changed-parts.rules.ts';

test('equal contents have one form, whatever the order of their keys', () => {
  expect(canonicalJson({ b: 1, a: [{ d: 1, c: 2 }] })).toBe('{"a":[{"c":2,"d":1}],"b":1}');
  expect(canonicalJson([2, 1])).toBe('[2,1]');
  expect(canonicalJson(null)).toBe('null');
});

test('the form is that in which stored hashes were made: of JSON whose keys a function sorts', () => {
  const asStored = (value: unknown) =>
    JSON.stringify(value, (_key, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
        : inner,
    );
  const values = fc.anything({ withDate: true, withSparseArray: true, withNullPrototype: true });
  fc.assert(
    fc.property(values, (value) => canonicalJson(value) === asStored(value)),
    { numRuns: 2_000 },
  );
  const keys = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 2 }), { maxLength: 40 });
  fc.assert(
    fc.property(keys, (names) => {
      const value = Object.fromEntries(names.map((name, index) => [name, index]));
      return canonicalJson(value) === asStored(value);
    }),
    { numRuns: 500 },
  );
  for (const odd of [
    undefined,
    { a: undefined, b: () => 1 },
    [undefined, Number.NaN],
    Buffer.from('a'),
    new Map(),
  ]) {
    expect(canonicalJson(odd)).toBe(asStored(odd));
  }
});

test('of two states only the parts that differ are kept', () => {
  expect(changedParts({ a: 1, b: { c: 2, d: 3 } }, { a: 1, b: { c: 2, d: 4 }, e: 5 })).toEqual({
    before: { b: { d: 3 }, e: null },
    after: { b: { d: 4 }, e: 5 },
  });
  expect(changedParts({ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } })).toBeNull();
});

test('what is left out is the same as null, and a list is compared as a whole', () => {
  expect(changedParts(undefined, null)).toBeNull();
  expect(changedParts({ a: undefined }, {})).toBeNull();
  expect(changedParts({ a: null }, {})).toEqual({ before: {}, after: {} });
  expect(changedParts([1, 2], [2, 1])).toEqual({ before: [1, 2], after: [2, 1] });
  expect(changedParts(null, { a: 1 })).toEqual({ before: null, after: { a: 1 } });
  expect(changedParts({ a: 1 }, undefined)).toEqual({ before: { a: 1 }, after: null });
});

test('a key that is named like a part of every object is a key like others', () => {
  const odd = JSON.parse('{"b":1,"__proto__":{"a":2}}') as unknown;
  expect(canonicalJson(odd)).toBe('{"__proto__":{"a":2},"b":1}');
  expect(canonicalJson({ toJSON: 1, b: 2 })).toBe('{"b":2,"toJSON":1}');
  expect(canonicalJson({ at: new Date(0), of: { toJSON: () => ({ b: 1, a: 2 }) } })).toBe(
    '{"at":"1970-01-01T00:00:00.000Z","of":{"a":2,"b":1}}',
  );
});

test('a list is never compared key by key, nor with an object', () => {
  expect(changedParts({ a: [1, 2] }, { a: [1, 3] })).toEqual({ before: { a: [1, 2] }, after: { a: [1, 3] } });
  expect(changedParts([1], { 0: 1 })).toEqual({ before: [1], after: { 0: 1 } });
  expect(changedParts({ 0: 1 }, [1])).toEqual({ before: { 0: 1 }, after: [1] });
  expect(changedParts('a', { 0: 'a' })).toEqual({ before: 'a', after: { 0: 'a' } });
  expect(changedParts({ 0: 'a' }, 'a')).toEqual({ before: { 0: 'a' }, after: 'a' });
});
