import { setImmediate } from 'node:timers/promises';

/** Long work that leaves others their turn: awaited at each step, it lets go once a slice of time is used up. */
export type Turns = () => Promise<void>;

/** A request waits at most so long for work that is not its own. */
const sliceMs = 10;

export function createTurns(now: () => number = () => performance.now()): Turns {
  let since = now();
  return async () => {
    if (now() - since < sliceMs) return;
    await setImmediate();
    since = now();
  };
}
