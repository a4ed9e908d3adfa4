import { expect, test } from 'vitest';
import { canonicalJson, changedParts } from './changed-parts.rules.ts';

test('equal contents have one form, whatever the order of their keys', () => {
  expect(canonicalJson({ b: 1, a: [{ d: 1, c: 2 }] })).toBe('{"a":[{"c":2,"d":1}],"b":1}');
  expect(canonicalJson([2, 1])).toBe('[2,1]');
  expect(canonicalJson(null)).toBe('null');
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
