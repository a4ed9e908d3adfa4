import { AsyncLocalStorage } from 'node:async_hooks';
import type { Position } from '#contracts/values/position.ts';

/** What is known of a request's reading while it runs. */
export interface ReadingRequest {
  /** Whether its operation may read of replicas at all. */
  readonly mayRead: boolean;
  /** What the caller was shown before; null: unknown, or the primary was asked meanwhile, so that everything counts. */
  shown: Position | null;
  askedPrimary: boolean;
  /** The latest that replicas have read for it; null: none has read anything. */
  read: Position | null;
}

const requests = new AsyncLocalStorage<ReadingRequest>();

export function duringRequest<T>(request: ReadingRequest, work: () => Promise<T>): Promise<T> {
  return requests.run(request, work);
}

export function presentRequest(): ReadingRequest | undefined {
  return requests.getStore();
}

/**
 * The primary is about to be asked. What it says, or what it is told, is newer than what the caller had seen: a later reading of
 * this request must not be older.
 */
export function notePrimary(): void {
  const request = requests.getStore();
  if (!request) return;
  request.askedPrimary = true;
  request.shown = null;
}
