import type Stripe from 'stripe';
import type { Payment } from '../../ports/payments.ts';

/** What is read along with a payment: its charge with the fee, refunds and disputes. */
export const paymentExpand = ['latest_charge', 'latest_charge.balance_transaction', 'latest_charge.dispute'];

const states: Record<string, Payment['state']> = {
  requires_payment_method: 'requires_payment_method',
  requires_confirmation: 'requires_payment_method',
  requires_capture: 'processing',
  requires_action: 'requires_action',
  processing: 'processing',
  succeeded: 'succeeded',
  canceled: 'cancelled',
};

/** The provider's payment in the port's words. Amounts are integer cents on both sides. */
export function toPayment(intent: Stripe.PaymentIntent): Payment {
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const transaction =
    charge && typeof charge.balance_transaction === 'object' ? charge.balance_transaction : null;
  const type = charge?.payment_method_details?.type ?? null;
  const error = intent.last_payment_error;
  return {
    id: intent.id,
    // A state that we do not know moves no money: it is being processed until we read one that we know.
    state: states[intent.status] ?? 'processing',
    amountCents: intent.amount,
    feeCents: transaction?.fee ?? null,
    reversedCents: (charge?.amount_refunded ?? 0) + disputedCents(charge),
    method: type === 'card' || type === 'us_bank_account' ? type : null,
    paymentMethod: idOf(intent.payment_method),
    failure: error?.message ?? null,
    failureCode: error?.code ?? null,
    createdAt: new Date(intent.created * 1000),
    topupId: intent.metadata.topup ?? null,
    organisationId: intent.metadata.organisation ?? null,
  };
}

/** A dispute takes the money until it is won; an inquiry (`warning_…`) takes none. */
function disputedCents(charge: Stripe.Charge | null): number {
  const dispute = charge && 'dispute' in charge ? (charge.dispute as Stripe.Dispute | string | null) : null;
  if (!dispute || typeof dispute === 'string') return 0;
  if (dispute.status === 'won' || dispute.status.startsWith('warning_')) return 0;
  return dispute.amount;
}

export function idOf(reference: string | { id: string } | null | undefined): string | null {
  if (!reference) return null;
  return typeof reference === 'string' ? reference : reference.id;
}
