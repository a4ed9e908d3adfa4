import { isConnectionLoss } from '#kernel/db/connection-loss.ts';

/**
 * What is known after an irreversible request to an outside system. A closed set: code that acts on a reply
 * handles every kind, and money moves only on `done` (capture) and `refused` (release).
 */
export type Outcome<T> =
  /** The effect happened, once. */
  | { kind: 'done'; value: T }
  /** The effect did not and will not happen. `text` is fit to show to a person. */
  | { kind: 'refused'; reason: RefusalReason; text: string; code: string }
  /** Accepted; the effect comes later (asynchronous registry, transfer). Ask again. */
  | { kind: 'pending'; orderId: string | null; text: string }
  /** Nothing happened; the very same attempt may be sent again after a pause. */
  | { kind: 'busy'; text: string; code: string }
  /** Nobody knows: time-out, reset, garbage. The effect may have happened or may still happen. */
  | { kind: 'unknown'; text: string };

/** Code of the `busy` that says: the claim was lost before the turn came, so nothing was sent and nothing will be. */
export const tooLate = 'too-late';

export type RefusalReason =
  | 'taken'
  | 'invalid'
  | 'not-ours'
  | 'not-found'
  | 'in-use'
  | 'already-done'
  | 'year-mismatch'
  | 'not-transferable'
  | 'registrar-funds'
  | 'forbidden'
  | 'limit'
  | 'other';

/** A read could not be answered. Reads have no effect, so they may be repeated. */
export class UpstreamUnavailable extends Error {
  override readonly name = 'UpstreamUnavailable';
}

/** A read was answered with a refusal, e.g. a bad name or one that is not in the account. */
export class UpstreamRefused extends Error {
  override readonly name = 'UpstreamRefused';
  readonly reason: RefusalReason;
  readonly code: string;
  constructor(reason: RefusalReason, code: string, text: string) {
    super(text);
    this.reason = reason;
    this.code = code;
  }
}

/** It is not about the one thing that was asked for: the other side or the database cannot be reached, and will not be for the next one. */
export function isOutage(error: unknown): boolean {
  return error instanceof UpstreamUnavailable || isConnectionLoss(error);
}

/** Things in a row without an answer. One that the other side cannot answer for, each time, is a matter of its own. */
const isAwayAfter = 3;

/** As `isOutage`, where one thing after the other is asked for or done: so many in a row have failed. */
export function isOutageOfAll(error: unknown, inARow: number): boolean {
  return error instanceof UpstreamUnavailable ? inARow >= isAwayAfter : isConnectionLoss(error);
}
