import { describe, expect, test } from 'vitest';
import { slices } from './give-way.ts';

/** A step of the work takes a quarter of a millisecond. Others wait for their turn, and then need 100. */
async function worked(steps: number): Promise<{ pauses: number; turns: number }> {
  let nowMs = 0;
  let turns = 0;
  let others = setImmediate(theirTurn);
  function theirTurn() {
    turns += 1;
    nowMs += 100;
    others = setImmediate(theirTurn);
  }
  const giveWay = slices(() => nowMs);
  let pauses = 0;
  for (let step = 0; step < steps; step += 1) {
    nowMs += 0.25;
    const wait = giveWay();
    if (!wait) continue;
    pauses += 1;
    await wait;
  }
  clearImmediate(others);
  return { pauses, turns };
}

describe('long work', () => {
  test('gives way after each millisecond of its own, and who waits has a turn', async () => {
    expect(await worked(1_000)).toEqual({ pauses: 250, turns: 250 });
  });

  test('that is short is not held up', async () => {
    expect(await worked(3)).toEqual({ pauses: 0, turns: 0 });
  });
});
