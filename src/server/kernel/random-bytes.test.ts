import { expect, test } from 'vitest';
import { freshBytes } from './random-bytes.ts';

test('no bytes are given twice, also where a new portion begins', () => {
  const given = Array.from({ length: 2_000 }, () => freshBytes(12).toString('hex'));
  expect(new Set(given).size).toBe(given.length);
});

test('what was given does not change by what is asked for later', () => {
  const first = freshBytes(32);
  const then = first.toString('hex');
  for (let more = 0; more < 500; more += 1) freshBytes(32);
  expect(first.toString('hex')).toBe(then);
});

test('it has the size that was asked for, and bytes of every value', () => {
  expect(freshBytes(16)).toHaveLength(16);
  expect(freshBytes(64)).toHaveLength(64);
  const values = new Set(Array.from({ length: 500 }, () => [...freshBytes(64)]).flat());
  expect(values.size).toBe(256);
});

test('more than 64 bytes are refused, and take nothing', () => {
  expect(() => freshBytes(65)).toThrow(RangeError);
});
