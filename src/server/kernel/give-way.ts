import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * A process serves all organisations: nobody's long work may keep the others waiting longer than this at a time. An answer waits for some
 * four turns: for its question to be read, and for each question of its own to the database.
 */
const sliceMs = 1;
/** Most answers take less, on a busy machine too. What takes longer is long work itself, or waits for somebody else's answer. */
const quickMs = 16;
/** However many requests come, long work waits for them for no more of its time than this. */
const mostOfTime = 1 / 3;

/** Undefined while the slice lasts; afterwards to be awaited, while timers, sockets and other requests go first. */
export type Slices = () => Promise<void> | undefined;

/** Requests of the last few milliseconds that are not answered yet. */
export interface Answers {
  /** A request has come. Returns what to call when it is answered, or given up. */
  begin: () => () => void;
  /** Resolves when none is left, or after so many milliseconds. Undefined: there is none. */
  ended: (mostMs: number) => Promise<void> | undefined;
}

export function createAnswers(nowMs: () => number = () => performance.now()): Answers {
  // The earliest first.
  const quick = new Set<{ sinceMs: number }>();
  const waiting = new Set<() => void>();

  function drop(answer: { sinceMs: number }): void {
    quick.delete(answer);
    if (quick.size > 0) return;
    for (const goOn of waiting) goOn();
  }

  function dropOld(): void {
    const oldest = nowMs() - quickMs;
    for (const answer of quick) {
      if (answer.sinceMs > oldest) return;
      drop(answer);
    }
  }

  return {
    begin: () => {
      dropOld();
      const answer = { sinceMs: nowMs() };
      quick.add(answer);
      return () => drop(answer);
    },
    ended: (mostMs) => {
      dropOld();
      if (quick.size === 0) return undefined;
      return new Promise((resolve) => {
        const timer = setTimeout(goOn, mostMs);
        function goOn() {
          clearTimeout(timer);
          waiting.delete(goOn);
          resolve();
        }
        waiting.add(goOn);
      });
    },
  };
}

/** The requests of this process. */
export const answers = createAnswers();

/**
 * Long work in slices. The work calls it once a step: `const wait = giveWay(); if (wait !== undefined) await wait;` (a bare `await`
 * would cost a turn of the queue each time).
 *
 * Work that has taken longer than most answers do lets them end first, between its slices (docs/decisions/0326). The request that it
 * is part of is no longer among them by then.
 */
export function slices(nowMs: () => number = () => performance.now(), others: Answers = answers): Slices {
  const beganMs = nowMs();
  let endMs = beganMs + sliceMs;
  let waitedMs = 0;
  /** As long as all quick answers need that are there by now; less when it has waited for many. */
  const mayWaitMs = () => Math.min(quickMs, Math.floor((nowMs() - beganMs) * mostOfTime - waitedMs));

  async function otherTurns(): Promise<void> {
    await nextTurn();
    const fromMs = nowMs();
    const mostMs = fromMs - beganMs < quickMs ? 0 : mayWaitMs();
    if (mostMs > 0) await others.ended(mostMs);
    waitedMs += nowMs() - fromMs;
    endMs = nowMs() + sliceMs;
  }

  return () => (nowMs() < endMs ? undefined : otherTurns());
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
