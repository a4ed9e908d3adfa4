import type Stripe from 'stripe';
import { isUuid } from '#kernel/uuid.rules.ts';
import type { Dispute, Payment } from '../../ports/payments.ts';

/** What is read along with a payment: its charge with the fee. Disputes are a list of their own. */
export const paymentExpand = ['latest_charge', 'latest_charge.balance_transaction'];

const states: Record<string, Payment['state']> = {
  requires_payment_method: 'requires_payment_method',
  requires_confirmation: 'requires_payment_method',
  requires_capture: 'processing',
  requires_action: 'requires_action',
  processing: 'processing',
  succeeded: 'succeeded',
  canceled: 'cancelled',
};

/** The provider's payment in the port's words. Amounts are integer cents on both sides. Null: its disputes were not read. */
export function toPayment(
  intent: Stripe.PaymentIntent,
  disputes: readonly Stripe.Dispute[] | null = null,
): Payment {
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const transaction =
    charge && typeof charge.balance_transaction === 'object' ? charge.balance_transaction : null;
  const type = charge?.payment_method_details?.type ?? null;
  const error = intent.last_payment_error;
  const taken = disputes && takenBy(disputes);
  return {
    id: intent.id,
    // A state that we do not know moves no money: it is being processed until we read one that we know.
    state: states[intent.status] ?? 'processing',
    amountCents: intent.amount,
    feeCents: transaction?.fee ?? null,
    reversedCents: (charge?.amount_refunded ?? 0) + (taken ?? []).reduce((sum, { cents }) => sum + cents, 0),
    disputes: taken,
    method: type === 'card' || type === 'us_bank_account' ? type : null,
    paymentMethod: idOf(intent.payment_method),
    failure: error?.message ?? null,
    failureCode: error?.code ?? null,
    createdAt: new Date(intent.created * 1000),
    topupId: ownId(intent.metadata.topup),
    organisationId: ownId(intent.metadata.organisation),
    chargeId: ownId(intent.metadata.charge),
  };
}

/**
 * Whether a dispute has the money: each status that the vendor has published (Disputes.d.ts of its SDK, checked 2026-11-26). An
 * inquiry (`warning_…`) takes none. One that was prevented never became a dispute: what was given back for it is a refund.
 */
const takesMoney: Record<string, boolean> = {
  needs_response: true,
  under_review: true,
  appeal_needs_response: true,
  appeal_under_review: true,
  lost: true,
  won: false,
  prevented: false,
  warning_needs_response: false,
  warning_under_review: false,
  warning_closed: false,
};

/** A status that we do not know takes it, until we read one that we know: what is spent at the registrar does not come back. */
function takenBy(disputes: readonly Stripe.Dispute[]): Dispute[] {
  return disputes
    .filter(({ status }) => takesMoney[status] ?? !status.startsWith('warning_'))
    .map(({ amount, created }) => ({ cents: amount, createdAt: new Date(created * 1000) }));
}

/** Anybody may write anything there, as another program that is paid by the same account does: what is no id of ours names nothing of ours. */
export function ownId(named: string | undefined): string | null {
  return named !== undefined && isUuid(named) ? named : null;
}

export function idOf(reference: string | { id: string } | null | undefined): string | null {
  if (!reference) return null;
  return typeof reference === 'string' ? reference : reference.id;
}
