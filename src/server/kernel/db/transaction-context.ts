import { AsyncLocalStorage } from 'node:async_hooks';

const inside = new AsyncLocalStorage<true>();

/** Runs with the mark that a transaction is open in this async context. */
export function markTransaction<T>(run: () => Promise<T>): Promise<T> {
  return inside.run(true, run);
}

/**
 * Throws when a transaction is open in this async context. The HTTP client calls it before every request: a call to
 * an outside system inside a transaction would hold locks for as long as that system likes.
 */
export function assertNoTransaction(what: string): void {
  if (inside.getStore()) throw new Error(`outside call inside a transaction: ${what}`);
}
