import { pause } from './clock.ts';

/** Acts that take turns: so many at the same time at most, and so many begun in a second. */
export function createTurns(limits: { parallel: number; perSecond: number }) {
  let running = 0;
  let nextAt = 0;
  const waiting: (() => void)[] = [];
  return async function inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (running >= limits.parallel) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      const now = performance.now();
      const startAt = Math.max(now, nextAt);
      nextAt = startAt + 1_000 / limits.perSecond;
      if (startAt > now) await pause(startAt - now);
      return await act();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
