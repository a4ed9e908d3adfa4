import type { Stripe } from 'stripe';
import { newId } from '../database.ts';
import { noSuch, wrongState } from '../errors.ts';
import type { World } from '../world.ts';
import { DISPUTE_FEE_CENTS, moveBalance } from './balance.ts';
import { cardBehind, requireCharge } from './charges.ts';

const RESPONSE_SECONDS = 14 * 86_400;

/**
 * The cardholder, or the account holder's bank, takes the money back. A bank debit's return is final: it is lost
 * at once (reference §2.1, checked 2026-11-21).
 */
export function openDispute(
  world: World,
  account: string,
  chargeId: string,
  reason?: string,
  amountCents?: number,
  inquiry = false,
): Stripe.Dispute {
  const charge = requireCharge(world, account, chargeId, 'charge');
  if (charge.status !== 'succeeded') throw wrongState(`Charge ${charge.id} did not succeed.`);
  if (charge.disputed) throw wrongState(`Charge ${charge.id} is disputed already.`);
  const bank = charge.payment_method_details?.type === 'us_bank_account';
  const amount = Math.min(amountCents ?? charge.amount - charge.amount_refunded, charge.amount);
  const id = newId(bank ? 'pdp' : 'dp');
  const withdrawn = () =>
    moveBalance(world, account, {
      type: 'adjustment',
      category: 'dispute',
      amountCents: -amount,
      feeCents: DISPUTE_FEE_CENTS,
      currency: charge.currency,
      source: id,
      description: `Chargeback withdrawal for ${charge.id}`,
    });
  const why =
    reason ?? cardBehind(world, account, charge)?.dispute ?? (bank ? 'bank_cannot_process' : 'general');
  const dispute: Stripe.Dispute = {
    id,
    object: 'dispute',
    amount,
    // The bank asks first: no money moves.
    balance_transactions: inquiry ? [] : [withdrawn()],
    charge: charge.id,
    created: world.seconds(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence(),
    evidence_details: {
      due_by: bank ? null : world.seconds() + RESPONSE_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    ...(bank ? {} : { payment_method_details: cardDetails(charge) }),
    reason: why,
    status: inquiry ? 'warning_needs_response' : bank ? 'lost' : 'needs_response',
  };
  world.objects.insert('dispute', account, dispute);
  charge.disputed = true;
  world.objects.save('charge', charge);
  world.emit('charge.dispute.created', dispute, account);
  if (inquiry) return dispute;
  world.emit('charge.dispute.funds_withdrawn', dispute, account);
  if (bank) world.emit('charge.dispute.closed', dispute, account);
  return dispute;
}

function cardDetails(charge: Stripe.Charge): Stripe.Dispute.PaymentMethodDetails {
  const brand = charge.payment_method_details?.card?.brand ?? 'visa';
  return {
    card: { brand, case_type: 'chargeback', network: brand, network_reason_code: '10.4' },
    type: 'card',
  };
}

/** The bank's verdict. A won dispute brings the money back, not the fee. */
export function closeDispute(
  world: World,
  account: string,
  dispute: Stripe.Dispute,
  won: boolean,
): Stripe.Dispute {
  if (dispute.status === 'won' || dispute.status === 'lost') {
    throw wrongState(`This dispute is already closed: ${dispute.status}.`);
  }
  dispute.status = won ? 'won' : 'lost';
  if (won) {
    const movement = moveBalance(world, account, {
      type: 'adjustment',
      category: 'dispute_reversal',
      amountCents: dispute.amount,
      currency: dispute.currency,
      source: dispute.id,
      description: 'Chargeback reversal',
    });
    dispute.balance_transactions.push(movement);
  }
  world.objects.save('dispute', dispute);
  if (won) world.emit('charge.dispute.funds_reinstated', dispute, account);
  world.emit('charge.dispute.closed', dispute, account);
  return dispute;
}

export function requireDispute(world: World, account: string, id: string): Stripe.Dispute {
  const held = world.objects.find('dispute', account, id);
  if (!held) throw noSuch('dispute', id);
  return held.object;
}

function noEvidence(): Stripe.Dispute.Evidence {
  return {
    access_activity_log: null,
    billing_address: null,
    cancellation_policy: null,
    cancellation_policy_disclosure: null,
    cancellation_rebuttal: null,
    customer_communication: null,
    customer_email_address: null,
    customer_name: null,
    customer_purchase_ip: null,
    customer_signature: null,
    duplicate_charge_documentation: null,
    duplicate_charge_explanation: null,
    duplicate_charge_id: null,
    enhanced_evidence: {},
    product_description: null,
    receipt: null,
    refund_policy: null,
    refund_policy_disclosure: null,
    refund_refusal_explanation: null,
    service_date: null,
    service_documentation: null,
    shipping_address: null,
    shipping_carrier: null,
    shipping_date: null,
    shipping_documentation: null,
    shipping_tracking_number: null,
    uncategorized_file: null,
    uncategorized_text: null,
  };
}
