import type { DirectChargeState } from '#kernel/db/schema.ts';
import type { Payment, PaymentRefund } from '../../ports/payments.ts';
import { failedText } from './charges.rules.ts';

/** What becomes of a wanted refund: pure, from the refund, what was charged for its item, and the state of that charge. */
export type RefundStep =
  /** It has ended, or failed and is a person's. */
  | { do: 'nothing' }
  | { do: 'end'; state: 'none' }
  /** Given back on the provider's dashboard before. */
  | { do: 'end'; state: 'done' }
  /** Nothing was taken, and nothing is under way: the item leaves the charge. */
  | { do: 'take out'; cents: number }
  /** The charge failed, and has a payment: what the provider has of that is not known here. */
  | { do: 'look' }
  /** Money may be there that the charge does not count: a person decides. */
  | { do: 'hand over'; cents: number; why: string }
  /** Under way: what is taken in the end is given back then. */
  | { do: 'wait'; cents: number }
  | { do: 'send'; cents: number };

/** What the provider was found to have of a charge that failed, and of which of its tries that is said. */
export interface SeenPayment {
  paymentId: string;
  attempt: number;
  /** Why nobody may say that nothing was taken; null: nothing was. */
  obstacle: string | null;
}

type FoundPayment = Pick<Payment, 'state' | 'amountCents' | 'reversedCents'> | null;

/** Whether the payment of a charge that failed is under way or made all the same. */
export const isMade = (payment: FoundPayment): boolean =>
  payment?.state === 'succeeded' || payment?.state === 'processing';

/** One of the charge's own amount ends the charge, so that this one has another. What went back whole is in nobody's way. */
export function obstacleIn(payment: FoundPayment): string | null {
  if (!payment || !isMade(payment)) return null;
  return payment.reversedCents < payment.amountCents ? failedText.otherAmount : null;
}

interface RefundedCharge {
  state: DirectChargeState;
  cents: number;
  refunded_cents: number;
  disputed_cents: number;
  payment_intent: string | null;
  attempt: number;
}

export function refundStep(
  refund: { state: string; cents: number } | undefined,
  charged: { price_cents: number; markup_cents: number } | undefined,
  charge: RefundedCharge | undefined,
  seen: SeenPayment | null,
): RefundStep {
  if (refund?.state !== 'wanted' && refund?.state !== 'sending') return { do: 'nothing' };
  if (!charged || !charge) return { do: 'end', state: 'none' };
  const full = charged.price_cents + charged.markup_cents;
  switch (charge.state) {
    case 'collecting':
      return { do: 'take out', cents: full };
    case 'failed':
      if (charge.payment_intent === null) return { do: 'take out', cents: full };
      if (seen?.paymentId !== charge.payment_intent || seen.attempt !== charge.attempt) return { do: 'look' };
      return seen.obstacle === null
        ? { do: 'take out', cents: full }
        : { do: 'hand over', cents: full, why: seen.obstacle };
    case 'waived':
      return { do: 'end', state: 'none' };
    case 'sending':
    case 'processing':
      return { do: 'wait', cents: full };
    case 'succeeded': {
      // The provider refunds nothing of it now. To call it done would keep the customer's money when the MSP wins.
      if (refund.state === 'wanted' && charge.disputed_cents > 0) {
        return { do: 'hand over', cents: full, why: failedText.refundDisputed };
      }
      // A repeat asks for what the first one asked for; a first one for no more than is left of the charge.
      const cents =
        refund.state === 'sending' ? refund.cents : Math.min(full, charge.cents - charge.refunded_cents);
      return cents > 0 ? { do: 'send', cents } : { do: 'end', state: 'done' };
    }
  }
}

export type NextRefund =
  | { do: 'send' }
  /** It was made before, or all of the payment has gone back without the portal: `refundId` null. */
  | { do: 'done'; refundId: string | null }
  /** The provider does not say what a refund of the MSP's own was for. To make another could pay the customer twice. */
  | { do: 'hand over' };

/** What the refund of an item is to be, from what has gone back of its payment by now. What came back since has not gone. */
export function nextRefund(
  itemId: string,
  chargedCents: number,
  refunds: readonly PaymentRefund[],
): NextRefund {
  const ours = refunds.find((refund) => refund.itemId === itemId);
  if (ours) return { do: 'done', refundId: ours.id };
  const gone = refunds.filter(({ returned }) => !returned);
  const outside = gone.filter((refund) => refund.itemId === null);
  if (outside.length === 0) return { do: 'send' };
  const goneCents = gone.reduce((sum, { amountCents }) => sum + amountCents, 0);
  return goneCents >= chargedCents ? { do: 'done', refundId: null } : { do: 'hand over' };
}
