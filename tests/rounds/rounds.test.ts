import { expect, test } from 'vitest';
import { kinds } from './harm.ts';
import { newMemory } from './memory.ts';
import { runRound } from './round.ts';
import { openStand } from './stand.ts';

/** A short one of each kind; `npm run rounds` runs as many as one likes, and freezes the database itself. */
test('one MSP at work while a process is stopped, one is killed, connections are cut and the database falls silent: all that must hold holds', async () => {
  await using stand = await openStand();
  const memory = newMemory();
  for (const [index, kind] of kinds.entries()) {
    const { faults } = await runRound(stand, memory, { kind, seed: 1_000 + index, msps: 1 });
    expect(faults, `${kind}\n${stand.stack.log().slice(-5_000)}`).toEqual([]);
  }
  expect(memory.acknowledged.size).toBeGreaterThan(0);
});
