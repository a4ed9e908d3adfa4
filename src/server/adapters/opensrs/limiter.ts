import { nextTurn, nobodyPassed, type Urgency, urgencies } from './turn.rules.ts';

/** The turn did not come in time. Nothing was sent. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
}

export interface Limiter {
  /** Runs `work` when it is its urgency's turn, and `key`'s. Throws `NoTurn` when that has not come after `maxWaitMs`. */
  run<T>(key: string, maxWaitMs: number, work: () => Promise<T>, urgency?: Urgency): Promise<T>;
  /** Starts nothing for a while: the registrar has asked for a slower pace. */
  rest(durationMs: number): void;
}

/**
 * At most `parallel` at a time and `perSecond` a second: by urgency (`turn.rules.ts`), and among the equally urgent in turn
 * between the keys. One organisation's five hundred orders delay another's single one by one place, not by five hundred
 * (design: order engine no. 9).
 */
export function createLimiter(limits: { parallel: number; perSecond: number }): Limiter {
  /** Who waits, by urgency and key; keys stand in the order of their next turn. */
  const waiting: Record<Urgency, Map<string, (() => void)[]>> = {
    ...{ change: new Map(), 'look-up': new Map(), sweep: new Map() },
  };
  let passed = nobodyPassed;
  let running = 0;
  let tokens = limits.perSecond;
  let refilledAtMs = performance.now();
  let restUntilMs = 0;
  let waking: NodeJS.Timeout | undefined;

  /** How long until the next may start; 0 when one may now. */
  function delayMs(): number {
    const nowMs = performance.now();
    tokens = Math.min(limits.perSecond, tokens + ((nowMs - refilledAtMs) / 1000) * limits.perSecond);
    refilledAtMs = nowMs;
    const token = tokens >= 1 ? 0 : ((1 - tokens) / limits.perSecond) * 1000;
    return Math.max(0, restUntilMs - nowMs, token);
  }

  const urgenciesThatWait = () => new Set(urgencies.filter((urgency) => waiting[urgency].size > 0));

  function next(): (() => void) | undefined {
    const turn = nextTurn(urgenciesThatWait(), passed);
    if (!turn) return undefined;
    ({ passed } = turn);
    const queues = waiting[turn.urgency];
    const [key, queue] = queues.entries().next().value ?? [];
    if (key === undefined || queue === undefined) return undefined;
    const start = queue.shift();
    // To the end of the round, if there is more.
    queues.delete(key);
    if (queue.length > 0) queues.set(key, queue);
    return start;
  }

  function pump(): void {
    while (running < limits.parallel && urgenciesThatWait().size > 0) {
      const delay = delayMs();
      if (delay > 0) {
        clearTimeout(waking);
        waking = setTimeout(pump, Math.ceil(delay));
        return;
      }
      tokens -= 1;
      running += 1;
      next()?.();
    }
  }

  function turn(key: string, maxWaitMs: number, urgency: Urgency): Promise<void> {
    const queues = waiting[urgency];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      clearTimeout(late);
      resolve();
    };
    const late = setTimeout(() => {
      const left = (queues.get(key) ?? []).filter((entry) => entry !== start);
      if (left.length > 0) queues.set(key, left);
      else queues.delete(key);
      reject(new NoTurn('too much is waiting for the registrar'));
    }, maxWaitMs);
    const queue = queues.get(key);
    if (queue) queue.push(start);
    else queues.set(key, [start]);
    pump();
    return promise;
  }

  return {
    async run(key, maxWaitMs, work, urgency = 'look-up') {
      await turn(key, maxWaitMs, urgency);
      try {
        return await work();
      } finally {
        running -= 1;
        pump();
      }
    },
    rest(durationMs) {
      restUntilMs = Math.max(restUntilMs, performance.now() + durationMs);
    },
  };
}
