import type { DirectChargeState } from '#kernel/db/schema.ts';

/** What becomes of a wanted refund: pure, from the refund, what was charged for its item, and the state of that charge. */
export type RefundStep =
  /** It has ended, or failed and is a person's. */
  | { do: 'nothing' }
  | { do: 'end'; state: 'none' }
  /** Given back on the provider's dashboard before. */
  | { do: 'end'; state: 'done' }
  /** Nothing was taken, and nothing is under way: the item leaves the charge. */
  | { do: 'take out'; cents: number }
  /** Under way: what is taken in the end is given back then. */
  | { do: 'wait'; cents: number }
  | { do: 'send'; cents: number; sentBefore: boolean };

export function refundStep(
  refund: { state: string; cents: number } | undefined,
  charged: { price_cents: number; markup_cents: number } | undefined,
  charge: { state: DirectChargeState; cents: number; refunded_cents: number } | undefined,
): RefundStep {
  if (refund?.state !== 'wanted' && refund?.state !== 'sending') return { do: 'nothing' };
  if (!charged || !charge) return { do: 'end', state: 'none' };
  const full = charged.price_cents + charged.markup_cents;
  switch (charge.state) {
    case 'collecting':
    case 'failed':
      return { do: 'take out', cents: full };
    case 'waived':
      return { do: 'end', state: 'none' };
    case 'sending':
    case 'processing':
      return { do: 'wait', cents: full };
    case 'succeeded': {
      const sentBefore = refund.state === 'sending';
      // A repeat asks for what the first one asked for; a first one for no more than is left of the charge.
      const cents = sentBefore ? refund.cents : Math.min(full, charge.cents - charge.refunded_cents);
      return cents > 0 ? { do: 'send', cents, sentBefore } : { do: 'end', state: 'done' };
    }
  }
}
