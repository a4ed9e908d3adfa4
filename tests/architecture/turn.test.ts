import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesInTurn, inTurn, leftToOthers, turnOf, turns } from '../support/turn.ts';

const root = join(import.meta.dirname, '../..');

describe('what takes longest takes turns', () => {
  const numbers = Array.from({ length: turns }, (_, turn) => String(turn));

  test.each([1, 2, 5, 6, 7, 13])(
    'all turns together run each of %i cases, and none runs nothing',
    (count) => {
      const cases = Array.from({ length: count }, (_, index) => index);
      const taken = numbers.map((turn) => inTurn(cases, turn));
      expect([...new Set(taken.flat())].sort((one, other) => one - other)).toEqual(cases);
      for (const one of taken) expect(one.length).toBeGreaterThan(0);
    },
  );

  test('each file is run in two turns, and each of its cases in one of them', () => {
    for (const file of filesInTurn) {
      const own = numbers.filter((turn) => !leftToOthers(filesInTurn, turn).includes(file));
      expect(own).toHaveLength(2);
      expect(own.flatMap((turn) => inTurn(['a', 'b', 'c'], turn)).toSorted()).toEqual(['a', 'b', 'c']);
    }
  });

  test('without a turn every case is run, in its order, and every file', () => {
    expect(inTurn(['a', 'b', 'c', 'd'], '')).toEqual(['a', 'b', 'c', 'd']);
    expect(leftToOthers(filesInTurn, '')).toEqual([]);
  });

  test('each file that takes turns is there: one that was renamed would be run each time', () => {
    expect(filesInTurn.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('the turn of a commit follows from its hash', () => {
    expect(['00000000a', '00000001a', '00000017a', '00000018a'].map(turnOf)).toEqual([0, 1, 23, 0]);
  });
});
