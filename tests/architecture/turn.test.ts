import { describe, expect, test } from 'vitest';
import { inTurn, shares, turnOf } from '../support/turn.ts';

describe('long matrices take turns', () => {
  const turns = Array.from({ length: shares }, (_, turn) => String(turn));

  test.each([1, 2, 3, 4, 7, 11])(
    'all turns together run each of %i cases, and none runs nothing',
    (count) => {
      const cases = Array.from({ length: count }, (_, index) => index);
      const taken = turns.map((turn) => inTurn(cases, turn));
      expect([...new Set(taken.flat())].sort((one, other) => one - other)).toEqual(cases);
      for (const one of taken) expect(one.length).toBeGreaterThan(0);
    },
  );

  test('without a turn every case is run, in its order', () => {
    expect(inTurn(['a', 'b', 'c', 'd'], '')).toEqual(['a', 'b', 'c', 'd']);
  });

  test('the turn of a commit follows from its hash', () => {
    expect(['00000000a', '00000001a', '00000002a', '00000003a'].map(turnOf)).toEqual([0, 1, 2, 0]);
  });
});
