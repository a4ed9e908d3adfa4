import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * A process serves all organisations: nobody's long work may keep the others waiting longer than this at a time. An answer waits for some
 * four turns: for its question to be read, and for each question of its own to the database.
 */
const sliceMs = 1;

/** Undefined while the slice lasts; afterwards to be awaited, while timers, sockets and other requests go first. */
export type Slices = () => Promise<void> | undefined;

/**
 * Long work in slices. The work calls it once a step: `const wait = giveWay(); if (wait !== undefined) await wait;` (a bare `await`
 * would cost a turn of the queue each time).
 */
export function slices(nowMs: () => number = () => performance.now()): Slices {
  let endMs = nowMs() + sliceMs;
  return () => {
    if (nowMs() < endMs) return undefined;
    return nextTurn().then(() => {
      endMs = nowMs() + sliceMs;
    });
  };
}

/**
 * Lets what was just asked of the database or of others leave this process. Code that goes on at once has it leave at its next wait,
 * and nobody works on it meanwhile.
 */
export async function hasLeft(): Promise<void> {
  await nextTurn();
}

/** Work that yields after each step, done in slices. */
export async function inSlices<T>(work: Iterator<unknown, T>, giveWay: Slices = slices()): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const wait = giveWay();
    if (wait !== undefined) await wait;
  }
}
