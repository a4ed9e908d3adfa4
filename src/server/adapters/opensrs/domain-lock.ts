import { NoTurn } from './limiter.ts';

export interface DomainLock {
  /** Runs `work` after all earlier writes to the domain; throws `NoTurn` when they take longer than `maxWaitMs`. */
  run<T>(domain: string, maxWaitMs: number, work: () => Promise<T>): Promise<T>;
}

/**
 * Writes to one domain go one after the other, in the order they came: the registrar answers 437 and 486 to the second
 * of two, and of two zone writes the last one wins (§14). Between processes those answers are the guard.
 */
export function createDomainLock(): DomainLock {
  const tails = new Map<string, Promise<void>>();
  return {
    async run(domain, maxWaitMs, work) {
      const before = tails.get(domain) ?? Promise.resolve();
      const mine = Promise.withResolvers<void>();
      const tail = before.then(() => mine.promise);
      tails.set(domain, tail);
      try {
        await withinTime(before, maxWaitMs);
        return await work();
      } finally {
        mine.resolve();
        if (tails.get(domain) === tail) void tail.then(() => forget(domain, tail));
      }
    },
  };

  function forget(domain: string, tail: Promise<void>): void {
    if (tails.get(domain) === tail) tails.delete(domain);
  }
}

async function withinTime(turn: Promise<void>, maxWaitMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new NoTurn('an earlier change to this domain takes long')),
    maxWaitMs,
  );
  try {
    await Promise.race([turn, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
