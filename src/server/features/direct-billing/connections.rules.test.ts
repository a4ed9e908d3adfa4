import { expect, test } from 'vitest';
import { mostInTurn, turnOf } from './connections.rules.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 22, hour));
const waiting = (count: number) => Array.from({ length: count }, (_, place) => place);

test('where few wait, everybody is asked about in each hour', () => {
  expect(turnOf(waiting(mostInTurn), at(7))).toEqual(waiting(mostInTurn));
  expect(turnOf([], at(7))).toEqual([]);
});

test('where many wait, each comes once in a round, and no hour has more than it can take', () => {
  const all = waiting(2 * mostInTurn + 1);
  const hours = [7, 8, 9].map((hour) => turnOf(all, at(hour)));
  expect(hours.every(({ length }) => length > 0 && length <= mostInTurn)).toBe(true);
  expect(hours.flat().toSorted((a, b) => a - b)).toEqual(all);
});
