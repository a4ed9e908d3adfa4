import type { Stripe } from 'stripe';
import { newId } from '../database.ts';
import { invalidParam, missingParam, noSuch, wrongState } from '../errors.ts';
import type { Params } from '../form.ts';
import type { World } from '../world.ts';
import { moveBalance } from './balance.ts';
import { cardBehind, requireCharge } from './charges.ts';
import { settleMs } from './confirm.ts';
import { requireIntent } from './payment-intents.ts';

const REFUND_PARAMS = [
  'amount',
  'charge',
  'expand',
  'metadata',
  'payment_intent',
  'reason',
  'refund_application_fee',
] as const;

export function createRefund(world: World, account: string, params: Params): Stripe.Refund {
  params.only(REFUND_PARAMS);
  const charge = chargeToRefund(world, account, params);
  const left = charge.amount - charge.amount_refunded;
  if (left <= 0) {
    throw wrongState(`Charge ${charge.id} has already been refunded.`, 'charge_already_refunded', {
      param: 'charge',
    });
  }
  if (charge.disputed) {
    throw wrongState('This charge has been charged back and cannot be refunded.', 'charge_disputed');
  }
  const amount = params.integer('amount') ?? left;
  if (amount < 1) throw invalidParam('amount', 'Invalid positive integer', 'parameter_invalid_integer');
  if (amount > left) {
    throw wrongState(
      `Refund amount ($${(amount / 100).toFixed(2)}) is greater than unrefunded amount on charge ($${(left / 100).toFixed(2)})`,
      'amount_too_large',
      { param: 'amount' },
    );
  }
  return book(world, account, charge, amount, params);
}

function chargeToRefund(world: World, account: string, params: Params): Stripe.Charge {
  const chargeId = params.string('charge');
  const intentId = params.string('payment_intent');
  if (!chargeId && !intentId) throw missingParam('charge');
  let id = chargeId;
  if (!id && intentId) {
    const intent = requireIntent(world, account, intentId, 'payment_intent').object;
    if (intent.status !== 'succeeded' || typeof intent.latest_charge !== 'string') {
      throw wrongState(
        `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
        'payment_intent_unexpected_state',
      );
    }
    id = intent.latest_charge;
  }
  const charge = requireCharge(world, account, id ?? '', 'charge');
  if (charge.status !== 'succeeded') {
    throw wrongState(
      `Charge ${charge.id} cannot be refunded: it is ${charge.status}.`,
      'charge_not_refundable',
    );
  }
  return charge;
}

function book(world: World, account: string, charge: Stripe.Charge, amount: number, params: Params) {
  const bank = charge.payment_method_details?.type === 'us_bank_account';
  const slow = bank || cardBehind(world, account, charge)?.refund === 'pending';
  const id = newId(bank ? 'pyr' : 're');
  const movement = moveBalance(world, account, {
    type: bank ? 'payment_refund' : 'refund',
    category: 'refund',
    amountCents: -amount,
    currency: charge.currency,
    source: id,
    description: `REFUND FOR CHARGE${charge.description ? ` (${charge.description})` : ''}`,
  });
  const refund: Stripe.Refund = {
    id,
    object: 'refund',
    amount,
    balance_transaction: movement.id,
    charge: charge.id,
    created: world.seconds(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    ...(bank ? {} : { destination_details: cardDestination(slow) }),
    metadata: params.metadata(),
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: params.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer']),
    receipt_number: null,
    source_transfer_reversal: null,
    status: slow ? 'pending' : 'succeeded',
    transfer_reversal: null,
  };
  world.objects.insert('refund', account, refund);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  world.objects.save('charge', charge);
  if (params.boolean('refund_application_fee')) returnApplicationFee(world, charge, amount);
  world.emit('refund.created', refund, account);
  world.emit('charge.refunded', charge, account);
  if (slow) world.later(settleMs(world), 'settle-refund', account, id);
  else if (cardBehind(world, account, charge)?.refund === 'fails') {
    world.later(settleMs(world), 'fail-refund', account, id);
  }
  return refund;
}

function cardDestination(slow: boolean): Stripe.Refund.DestinationDetails {
  return {
    card: {
      reference_status: slow ? 'pending' : 'available',
      reference_type: 'acquirer_reference_number',
      type: 'refund',
    },
    type: 'card',
  };
}

/** Gives back the platform's part in proportion to what was refunded. */
function returnApplicationFee(world: World, charge: Stripe.Charge, amount: number): void {
  const id = charge.application_fee;
  const fee = typeof id === 'string' ? world.objects.find('application_fee', '', id)?.object : undefined;
  if (!fee) return;
  const back = Math.min(fee.amount - fee.amount_refunded, Math.round((fee.amount * amount) / charge.amount));
  fee.amount_refunded += back;
  fee.refunded = fee.amount_refunded === fee.amount;
  world.objects.save('application_fee', fee);
  moveBalance(world, '', {
    type: 'application_fee_refund',
    category: 'platform_earning_refund',
    amountCents: -back,
    currency: fee.currency,
    source: fee.id,
    description: null,
  });
  world.emit('application_fee.refunded', fee, '');
}

/** A pending refund reached its card or account. */
export function settleRefund(world: World, account: string, id: string): void {
  const refund = world.objects.find('refund', account, id)?.object;
  if (refund?.status !== 'pending') return;
  refund.status = 'succeeded';
  world.objects.save('refund', refund);
  world.emit('refund.updated', refund, account);
  world.emit('charge.refund.updated', refund, account);
}

/** The bank sent the refund back: the money is on the balance again and the charge counts as less refunded. */
export function failRefund(world: World, account: string, id: string): void {
  const refund = world.objects.find('refund', account, id)?.object;
  if (!refund || refund.status === 'failed' || typeof refund.charge !== 'string') return;
  const movement = moveBalance(world, account, {
    type: 'refund_failure',
    category: 'refund_failure',
    amountCents: refund.amount,
    currency: refund.currency,
    source: refund.id,
    description: 'Refund failure',
  });
  refund.status = 'failed';
  refund.failure_reason = 'expired_or_canceled_card';
  refund.failure_balance_transaction = movement.id;
  world.objects.save('refund', refund);
  const charge = requireCharge(world, account, refund.charge);
  charge.amount_refunded -= refund.amount;
  charge.refunded = false;
  world.objects.save('charge', charge);
  world.emit('refund.failed', refund, account);
  world.emit('charge.refund.updated', refund, account);
}

export function requireRefund(world: World, account: string, id: string): Stripe.Refund {
  const held = world.objects.find('refund', account, id);
  if (!held) throw noSuch('refund', id);
  return held.object;
}
