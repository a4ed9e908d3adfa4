import { pause } from './clock.ts';

/**
 * Acts that take turns: so many at the same time at most, and so many begun in a second. Two begin at least the second's
 * share apart, also after a delay. `weight`: an act that counts for several begun.
 */
export function createTurns(limits: { parallel: number; perSecond: number }) {
  const apartMs = 1_000 / limits.perSecond;
  let running = 0;
  let nextAt = 0;
  let gate = Promise.resolve();
  const waiting: (() => void)[] = [];

  /** One passes after the other: the moment of the next is known when this one has begun. */
  function begin(weight: number): Promise<void> {
    gate = gate.then(async () => {
      for (let now = performance.now(); now < nextAt; now = performance.now()) await pause(nextAt - now);
      nextAt = performance.now() + weight * apartMs;
    });
    return gate;
  }

  return async function inTurn<T>(act: () => Promise<T>, weight = 1): Promise<T> {
    if (running >= limits.parallel) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      await begin(weight);
      return await act();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
