import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Marks work as an organisation's, so that a limiter in front of an outside system serves all in turn. */
export function withFairnessKey<T>(key: string, work: () => Promise<T>): Promise<T> {
  return current.run(key, work);
}

/** The organisation whose work this is; work of nobody in particular shares one turn. */
export function fairnessKey(): string {
  return current.getStore() ?? '';
}

const background = new AsyncLocalStorage<true>();

/** Marks work that nobody waits for: what people do goes before it. */
export function inBackground<T>(work: () => Promise<T>): Promise<T> {
  return background.run(true, work);
}

export function isInBackground(): boolean {
  return background.getStore() === true;
}

const patient = new AsyncLocalStorage<true>();

/**
 * Marks work that holds no claim and that nobody waits for: it may wait longer for its turn at an outside system. To give up
 * and begin again would send what it has asked already a second time.
 */
export function patiently<T>(work: () => Promise<T>): Promise<T> {
  return patient.run(true, work);
}

export function isPatient(): boolean {
  return patient.getStore() === true;
}

/**
 * Runs at most `parallel` works at once, organisations in turn: one that brings fifty does not keep another that
 * brings one waiting behind all of them.
 */
export function createFairQueue(parallel: number): <T>(work: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, (() => void)[]>();
  let running = 0;

  function next(): void {
    while (running < parallel) {
      const first = lines.entries().next();
      if (first.done) return;
      const [key, line] = first.value;
      // To the end: the next organisation's turn comes first.
      lines.delete(key);
      const start = line.shift();
      if (line.length > 0) lines.set(key, line);
      if (!start) continue;
      running += 1;
      start();
    }
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const key = fairnessKey();
      const line = lines.get(key) ?? [];
      if (line.length === 0) lines.set(key, line);
      line.push(() => {
        work()
          .then(resolve, reject)
          .finally(() => {
            running -= 1;
            next();
          });
      });
      next();
    });
}
