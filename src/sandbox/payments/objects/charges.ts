import type { Stripe } from 'stripe';
import { newId } from '../database.ts';
import { noSuch } from '../errors.ts';
import type { Decline } from '../test-methods.ts';
import { APPLICATION_ID, type World } from '../world.ts';
import { moveBalance, processingFeeCents } from './balance.ts';
import { cardOf, type MethodHeld } from './payment-methods.ts';

/** A charge that was tried, in the state `pending`; the caller lets it succeed or fail. */
export function openCharge(
  world: World,
  account: string,
  intent: Stripe.PaymentIntent,
  method: MethodHeld,
): Stripe.Charge {
  const { object } = method;
  const direct = account !== '';
  const charge: Stripe.Charge = {
    id: newId(object.type === 'card' ? 'ch' : 'py'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: direct ? APPLICATION_ID : null,
    application_fee: null,
    application_fee_amount: intent.application_fee_amount,
    balance_transaction: null,
    billing_details: object.billing_details,
    calculated_statement_descriptor: object.type === 'card' ? 'NAMEWARD SANDBOX' : null,
    captured: true,
    created: world.seconds(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: null,
    paid: false,
    payment_intent: intent.id,
    payment_method: object.id,
    payment_method_details: methodDetails(object),
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: 'pending',
    transfer_data: null,
    transfer_group: null,
  };
  return world.objects.insert('charge', account, charge);
}

function methodDetails(method: Stripe.PaymentMethod): Stripe.Charge.PaymentMethodDetails {
  if (method.us_bank_account) {
    const bank = method.us_bank_account;
    return {
      type: 'us_bank_account',
      us_bank_account: {
        account_holder_type: bank.account_holder_type,
        account_type: bank.account_type,
        bank_name: bank.bank_name,
        fingerprint: bank.fingerprint,
        last4: bank.last4,
        payment_reference: null,
        routing_number: bank.routing_number,
      },
    };
  }
  const card = method.card;
  if (!card) return { type: method.type };
  return {
    type: 'card',
    card: {
      amount_authorized: null,
      authorization_code: null,
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: card.country,
      electronic_commerce_indicator: null,
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      fingerprint: card.fingerprint ?? null,
      funding: card.funding,
      installments: null,
      last4: card.last4,
      mandate: null,
      network: card.brand,
      network_transaction_id: null,
      regulated_status: 'unregulated',
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
  };
}

/** The money came: books it with the provider's fee, and the platform's where it is a direct charge. */
export function succeedCharge(world: World, account: string, charge: Stripe.Charge): Stripe.Charge {
  const type = charge.payment_method_details?.type ?? 'card';
  const feeCents = processingFeeCents(type, charge.amount);
  const movement = moveBalance(world, account, {
    type: type === 'card' ? 'charge' : 'payment',
    category: 'charge',
    amountCents: charge.amount,
    feeCents,
    applicationFeeCents: charge.application_fee_amount ?? 0,
    currency: charge.currency,
    source: charge.id,
    description: charge.description,
  });
  charge.status = 'succeeded';
  charge.paid = true;
  charge.amount_captured = charge.amount;
  charge.balance_transaction = movement.id;
  charge.outcome = {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: 'approved_by_network',
    reason: null,
    seller_message: 'Payment complete.',
    type: 'authorized',
  };
  if (account !== '' && charge.application_fee_amount) takeApplicationFee(world, account, charge);
  world.objects.save('charge', charge);
  world.emit('charge.succeeded', charge, account);
  return charge;
}

/** The platform's part of a direct charge: a fee object and a movement on the platform's own balance. */
function takeApplicationFee(world: World, account: string, charge: Stripe.Charge): void {
  const amount = charge.application_fee_amount ?? 0;
  const id = newId('fee');
  const movement = moveBalance(world, '', {
    type: 'application_fee',
    category: 'platform_earning',
    amountCents: amount,
    currency: charge.currency,
    source: id,
    description: `Application fee from ${account}`,
  });
  const fee: Stripe.ApplicationFee = {
    id,
    object: 'application_fee',
    account,
    amount,
    amount_refunded: 0,
    application: APPLICATION_ID,
    balance_transaction: movement.id,
    charge: charge.id,
    created: world.seconds(),
    currency: charge.currency,
    fee_source: { charge: charge.id, type: 'charge' },
    livemode: false,
    originating_transaction: null,
    refunded: false,
    refunds: { object: 'list', data: [], has_more: false, url: `/v1/application_fees/${id}/refunds` },
  };
  world.objects.insert('application_fee', '', fee);
  charge.application_fee = id;
  world.emit('application_fee.created', fee, '');
}

export function failCharge(
  world: World,
  account: string,
  charge: Stripe.Charge,
  decline: Decline,
): Stripe.Charge {
  charge.status = 'failed';
  charge.failure_code = decline.code;
  charge.failure_message = decline.message;
  charge.outcome = {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: decline.declineCode ?? null,
    network_status: 'declined_by_network',
    reason: decline.declineCode ?? decline.code,
    seller_message: 'The bank did not return any further details with this decline.',
    type: 'issuer_declined',
  };
  world.objects.save('charge', charge);
  world.emit('charge.failed', charge, account);
  return charge;
}

export function requireCharge(world: World, account: string, id: string, param = 'id'): Stripe.Charge {
  const held = world.objects.find('charge', account, id);
  if (!held) throw noSuch('charge', id, param, param === 'id' ? 404 : 400);
  return held.object;
}

/** How the test number behind a charge behaves later: disputes, refunds that fail. */
export function cardBehind(world: World, account: string, charge: Stripe.Charge) {
  const method = charge.payment_method
    ? world.objects.find('payment_method', account, charge.payment_method)
    : null;
  return method ? cardOf(method) : undefined;
}
