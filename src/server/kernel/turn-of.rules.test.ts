import { expect, test } from 'vitest';
import { turnOf } from './turn-of.rules.ts';

const [most, everyMs] = [200, 3_600_000];
const at = (hour: number) => new Date(Date.UTC(2026, 10, 22, hour));
const waiting = (count: number) => Array.from({ length: count }, (_, place) => place);

test('where few wait, it is everybody’s turn each time', () => {
  expect(turnOf(waiting(most), at(7), { most, everyMs })).toEqual(waiting(most));
  expect(turnOf([], at(7), { most, everyMs })).toEqual([]);
});

test('where many wait, each comes once in a round, and no time has more than it can take', () => {
  const all = waiting(2 * most + 1);
  const hours = [7, 8, 9].map((hour) => turnOf(all, at(hour), { most, everyMs }));
  expect(hours.every(({ length }) => length > 0 && length <= most)).toBe(true);
  expect(hours.flat().toSorted((a, b) => a - b)).toEqual(all);
});

test('within its time the turn stays the same', () => {
  const all = waiting(most + 1);
  const early = turnOf(all, at(7), { most, everyMs });
  expect(turnOf(all, new Date(at(8).getTime() - 1), { most, everyMs })).toEqual(early);
  expect(turnOf(all, at(8), { most, everyMs })).not.toEqual(early);
});
