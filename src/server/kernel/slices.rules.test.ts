import { expect, test } from 'vitest';
import { minuteMs } from '#contracts/values/time.ts';
import { sliceAt } from './slices.rules.ts';

const people = (count: number) => Array.from({ length: count }, (_, place) => place);
const noon = Date.UTC(2026, 10, 23, 12);
const inMinute = (count: number, minute: number) =>
  sliceAt(people(count), new Date(noon + minute * minuteMs));

test('a small portal is looked at as a whole each minute', () => {
  for (const count of [0, 1, 20]) {
    for (const minute of [0, 1, 59]) expect(inMinute(count, minute)).toEqual(people(count));
  }
});

test('a slice is a part of a larger one: never more than it needs, and nobody is left out', () => {
  for (const [count, minutes] of [
    [21, 2],
    [40, 2],
    [41, 3],
    [1_200, 60],
    [1_201, 60],
    [5_000, 60],
  ] as const) {
    const round = people(minutes).map((minute) => inMinute(count, minute));
    expect(round.flat().toSorted((a, b) => a - b)).toEqual(people(count));
    expect(Math.max(...round.map((slice) => slice.length))).toBe(Math.ceil(count / minutes));
  }
});

test('within a minute it is the same turn', () => {
  const last = sliceAt(people(100), new Date(noon + minuteMs - 1));
  expect(last).toEqual(inMinute(100, 0));
});
