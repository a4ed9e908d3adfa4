import type { PaymentIntent, StripeError } from '@stripe/stripe-js';
import type { ReplyOf } from '#contracts/operation.ts';
import type { cancelTopUp } from '#contracts/operations/billing.ts';
import { isRefusal } from '../../lib/api-error.ts';

/** What came of asking the provider to take a payment. */
export type Confirmation =
  | { kind: 'paid'; processing: boolean }
  /** The form shows what is wrong with it. */
  | { kind: 'invalid' }
  /** An answer that is no: the person chooses another way to pay. */
  | { kind: 'declined'; message: string }
  | { kind: 'failed' };

const attempts = 3;

/** P2 §4: pauses of 1 s, then 3 s: 1000 + failures² × 2000 ms, counted from 0. */
export const retryPauseMs = (failures: number) => 1_000 + failures ** 2 * 2_000;

/** Three attempts in all at one payment, which can be taken only once; what is an answer ends them. */
export async function confirmWithRetries(
  confirm: () => Promise<Confirmation>,
  pause: (ms: number) => Promise<unknown>,
): Promise<Confirmation> {
  for (let failures = 0; ; failures += 1) {
    // Where the provider's script itself breaks, nobody knows either what became of the payment.
    const outcome = await confirm().catch((): Confirmation => ({ kind: 'failed' }));
    if (outcome.kind !== 'failed' || failures + 1 >= attempts) return outcome;
    await pause(retryPauseMs(failures));
  }
}

/** Reads the provider's reply. An earlier attempt may have gone through although its answer was lost. */
export function confirmationOf(reply: {
  error?: StripeError | undefined;
  paymentIntent?: PaymentIntent | undefined;
}): Confirmation {
  const { error } = reply;
  const status = (reply.paymentIntent ?? error?.payment_intent)?.status;
  if (status === 'succeeded' || status === 'processing') {
    return { kind: 'paid', processing: status === 'processing' };
  }
  if (error?.type === 'validation_error') return { kind: 'invalid' };
  if (error && isDecline(error)) {
    return { kind: 'declined', message: error.message ?? 'The payment was declined.' };
  }
  if (error) return { kind: 'failed' };
  return {
    kind: 'declined',
    message:
      'The payment is not complete. The bank account must be confirmed first. Please use a card in the meantime.',
  };
}

/** A declined card, or a bank that the person did not convince (an `invalid_request_error`; checked 2026-11-21). */
const isDecline = (error: StripeError) =>
  error.type === 'card_error' || error.code === 'payment_intent_authentication_failure';

type TopUp = ReplyOf<typeof cancelTopUp>;

/** How often a payment without an answer is asked about. */
const askEveryMs = 5_000;

/**
 * What became of a payment that had no answer: it is cancelled, and read then. Without an answer to that, as without a network, it is
 * asked again until there is one: before, nobody can say whether money was taken. `onSilence` says whether to go on.
 */
export async function endOf(
  cancel: () => Promise<TopUp>,
  pause: (ms: number) => Promise<unknown>,
  onSilence: () => boolean,
): Promise<Extract<Confirmation, { kind: 'paid' }> | { kind: 'not charged' | 'unknown' }> {
  for (;;) {
    try {
      const { charged, state } = await cancel();
      return charged ? { kind: 'paid', processing: state !== 'succeeded' } : { kind: 'not charged' };
    } catch (error) {
      if (isRefusal(error as Error) || !onSilence()) return { kind: 'unknown' };
    }
    await pause(askEveryMs);
  }
}
