import type { ReplyOf } from '#contracts/operation.ts';
import type { PurchaseBody, purchaseOutcome } from '#contracts/operations/orders.ts';
import { answeredWithinMs } from '#contracts/values/answer-times.ts';
import { ApiError, type ApiErrorCode, isRefusal } from '../../lib/api-error.ts';

/** An order that was sent and whose result nobody has seen yet: asked for again under its key, it is the same one. */
export interface SentOrder {
  key: string;
  body: PurchaseBody;
  /** When it was sent last; 0 once the person was told that it has not arrived. */
  atMs: number;
  /** An earlier try of it got no answer, and may have been taken. */
  again?: true;
}

/** There was no network: it did not go out. */
export const isUnsent = (error: Error) => error instanceof ApiError && error.code === 'offline';

/** With these the order itself was looked at, its key first: there is none under that key. */
const refusals: ReadonlySet<ApiErrorCode> = new Set([
  ...(['validation_failed', 'insufficient_funds', 'price_changed', 'daily_limit'] as const),
  ...(['not_found', 'unprocessable', 'registrar_unfunded'] as const),
]);

/**
 * Whether there is no order, for certain. Of a repeat, a sign-in that has ended, a limit of requests or a lost network says
 * nothing of the earlier try.
 */
export function isNotPlaced(error: Error, { again }: Pick<SentOrder, 'again'>): boolean {
  if (!again) return isRefusal(error) || isUnsent(error);
  return isRefusal(error) && error instanceof ApiError && refusals.has(error.code);
}

/** An order that the server does not know after this time, and that it cannot be at work on any more, has not reached it. */
const arrivesWithinMs = 30_000;
/** Who comes back within this time still has the press in mind; later nothing of it can arrive any more. */
const recentMs = 10 * 60_000;

/**
 * What an answer about a sent order means. `forgotten`: it has not arrived, and it was so long ago that nothing needs to be
 * said. `sinceMs`: when the asking began.
 */
export function meaningOf(
  { state }: Pick<ReplyOf<typeof purchaseOutcome>, 'state'>,
  { atMs }: Pick<SentOrder, 'atMs'>,
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): 'result' | 'wait' | 'not arrived' | 'forgotten' {
  if (state === 'done') return 'result';
  if (state === 'running') return 'wait';
  if (sinceMs - atMs >= recentMs) return 'forgotten';
  // The server knows an order when it has been priced, which the registrar is asked for.
  const mayBeAtWork = nowMs - atMs <= answeredWithinMs.write;
  return nowMs - sinceMs > arrivesWithinMs && !mayBeAtWork ? 'not arrived' : 'wait';
}

/**
 * What follows once an earlier order was asked about, of which nobody has seen the result. `outcome`: undefined when there was no
 * answer. Only what has not arrived may be followed by another order: under another key the same things would be bought again.
 */
export function afterEarlier(
  outcome: Pick<ReplyOf<typeof purchaseOutcome>, 'state'> | undefined,
  earlier: Pick<SentOrder, 'atMs'>,
  nowMs: number,
): 'order' | 'say that it is open' | 'show its result' | 'say that nobody knows' {
  if (!outcome) return 'say that nobody knows';
  switch (meaningOf(outcome, earlier, { sinceMs: nowMs, nowMs })) {
    case 'forgotten':
      return 'order';
    case 'wait':
      return 'say that it is open';
    default:
      return 'show its result';
  }
}
