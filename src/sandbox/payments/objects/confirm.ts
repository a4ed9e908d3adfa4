import type { Stripe } from 'stripe';
import { ApiError, type ErrorBody, invalidParam, wrongState } from '../errors.ts';
import type { Decline } from '../test-methods.ts';
import type { World } from '../world.ts';
import { failCharge, openCharge, succeedCharge } from './charges.ts';
import { createMandate } from './mandates.ts';
import { type IntentHeld, OPEN_STATES } from './payment-intents.ts';
import { bankOf, cardOf, type MethodHeld } from './payment-methods.ts';

/** How long a bank payment stays in processing, by the sandbox's clock, unless the control plane set another. */
const SETTLE_MS = 60_000;

export interface ConfirmHow {
  /** Nobody is there: a request for authentication declines the payment. */
  offSession: boolean;
  /** Confirmed by the browser script, which shows the challenge itself. */
  inBrowser: boolean;
  returnUrl: string | null;
  errorOnAction: boolean;
}

/**
 * One attempt to pay. The intent ends in succeeded, processing, requires_action, or back in
 * requires_payment_method, where the attempt throws the 402 that the caller answers.
 */
export function confirmIntent(world: World, held: IntentHeld, method: MethodHeld, how: ConfirmHow): void {
  const { object, account } = held;
  if (!(OPEN_STATES as readonly string[]).includes(object.status)) {
    throw wrongState(
      object.status === 'succeeded'
        ? 'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.'
        : `This PaymentIntent's status is ${object.status}, but must be one of requires_payment_method, requires_confirmation, requires_action to be confirmed.`,
      'payment_intent_unexpected_state',
      { payment_intent: object },
    );
  }
  checkMethod(held, method);
  object.payment_method = method.object.id;
  object.last_payment_error = null;
  object.next_action = null;
  if (method.object.type === 'us_bank_account') {
    startBankPayment(world, held, method);
    return;
  }
  if (needsAuthentication(method, how)) {
    if (how.offSession || how.errorOnAction) {
      const decline = {
        code: 'authentication_required',
        declineCode: 'authentication_required',
        message: 'Your card was declined. This transaction requires authentication.',
      };
      throw declineAttempt(world, held, method, decline);
    }
    askForAction(world, held, how);
    return;
  }
  chargeCard(world, held, method, account);
}

function checkMethod(held: IntentHeld, method: MethodHeld): void {
  const { object } = held;
  if (!object.payment_method_types.includes(method.object.type)) {
    throw wrongState(
      `The PaymentMethod provided (${method.object.type}) is not allowed for this PaymentIntent. Please attach a PaymentMethod that is one of the following types: ${object.payment_method_types.join(', ')}.`,
      'payment_intent_incompatible_payment_method',
      { param: 'payment_method' },
    );
  }
  const owner = method.object.customer;
  if (owner && owner !== object.customer) {
    throw invalidParam(
      'payment_method',
      `The payment method ${method.object.id} belongs to the Customer ${owner}. Please include the Customer in the \`customer\` parameter.`,
    );
  }
  if (!owner && method.hidden.used === true) {
    throw wrongState(
      'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again.',
    );
  }
}

function needsAuthentication(method: MethodHeld, how: ConfirmHow): boolean {
  const card = cardOf(method);
  if (card?.authenticate === 'always') return true;
  if (card?.authenticate === 'on-session') return !how.offSession;
  return card?.authenticate === 'unless-set-up' && !(how.offSession && method.hidden.setUp === true);
}

function askForAction(world: World, held: IntentHeld, how: ConfirmHow): void {
  const { object, account } = held;
  const url = `${world.baseUrl}/challenge/${object.id}?client_secret=${object.client_secret}`;
  object.status = 'requires_action';
  object.next_action =
    how.inBrowser || !how.returnUrl
      ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
      : { type: 'redirect_to_url', redirect_to_url: { return_url: how.returnUrl, url } };
  held.hidden.returnUrl = how.returnUrl;
  world.objects.save('payment_intent', object, held.hidden);
  world.emit('payment_intent.requires_action', object, account);
}

/** The person answered the challenge. */
export function answerChallenge(world: World, held: IntentHeld, method: MethodHeld, passed: boolean): void {
  const { object, account } = held;
  if (object.status !== 'requires_action') return;
  object.next_action = null;
  if (passed) {
    chargeCard(world, held, method, account);
    return;
  }
  object.status = 'requires_payment_method';
  object.payment_method = null;
  object.last_payment_error = {
    type: 'invalid_request_error',
    code: 'payment_intent_authentication_failure',
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
    payment_method: method.object,
  };
  world.objects.save('payment_intent', object);
  world.emit('payment_intent.payment_failed', object, account);
}

function chargeCard(world: World, held: IntentHeld, method: MethodHeld, account: string): void {
  const card = cardOf(method);
  if (card?.decline) throw declineAttempt(world, held, method, card.decline);
  const charge = succeedCharge(world, account, openCharge(world, account, held.object, method));
  complete(world, held, method, charge);
  if (card?.dispute) world.later(settleMs(world), 'dispute-payment', account, charge.id);
}

function startBankPayment(world: World, held: IntentHeld, method: MethodHeld): void {
  const { object, account } = held;
  const mandate = createMandate(world, account, method.object.id);
  const charge = openCharge(world, account, object, method);
  const details = charge.payment_method_details?.us_bank_account;
  if (details) details.mandate = mandate.id;
  world.objects.save('charge', charge);
  object.status = 'processing';
  object.latest_charge = charge.id;
  keepMethod(world, held, method);
  world.objects.save('payment_intent', object);
  world.emit('charge.pending', charge, account);
  world.emit('payment_intent.processing', object, account);
  if (bankOf(method)?.outcome !== 'stays') {
    world.later(settleMs(world), 'settle-payment', account, charge.id);
  }
}

export function settleMs(world: World): number {
  return world.settings.read('settle-ms', SETTLE_MS);
}

/** The bank answered: what `settle` and the clock lead to. `failure` null means the money came. */
export function endBankPayment(
  world: World,
  held: IntentHeld,
  method: MethodHeld,
  charge: Stripe.Charge,
  failure: Decline | null,
): void {
  const { object, account } = held;
  if (object.status !== 'processing' || object.latest_charge !== charge.id) return;
  if (failure) {
    failAttempt(world, held, method, failCharge(world, account, charge, failure), failure);
    return;
  }
  complete(world, held, method, succeedCharge(world, account, charge));
  if (bankOf(method)?.outcome === 'disputed') {
    world.later(settleMs(world), 'dispute-payment', account, charge.id);
  }
}

function complete(world: World, held: IntentHeld, method: MethodHeld, charge: Stripe.Charge): void {
  const { object, account } = held;
  object.status = 'succeeded';
  object.amount_received = object.amount;
  object.latest_charge = charge.id;
  keepMethod(world, held, method);
  world.objects.save('payment_intent', object);
  world.emit('payment_intent.succeeded', object, account);
}

/** `setup_future_usage` binds the method to the customer; without it a method is good for one payment. */
function keepMethod(world: World, held: IntentHeld, method: MethodHeld): void {
  const { object, account } = held;
  if (!object.setup_future_usage || typeof object.customer !== 'string') {
    if (!method.object.customer) method.hidden.used = true;
    world.objects.save('payment_method', method.object, method.hidden);
    return;
  }
  method.hidden.setUp = true;
  const attached = method.object.customer === null;
  if (attached) method.object.customer = object.customer;
  world.objects.save('payment_method', method.object, method.hidden);
  if (attached) world.emit('payment_method.attached', method.object, account);
}

function declineAttempt(world: World, held: IntentHeld, method: MethodHeld, decline: Decline): ApiError {
  const charge = openCharge(world, held.account, held.object, method);
  failAttempt(world, held, method, failCharge(world, held.account, charge, decline), decline);
  return new ApiError(402, {
    ...attemptError(method, charge, decline),
    payment_intent: held.object,
  });
}

function failAttempt(
  world: World,
  held: IntentHeld,
  method: MethodHeld,
  charge: Stripe.Charge,
  decline: Decline,
): void {
  const { object, account } = held;
  object.status = 'requires_payment_method';
  object.payment_method = null;
  object.latest_charge = charge.id;
  object.last_payment_error = { ...attemptError(method, charge, decline), type: 'card_error' };
  if (!method.object.customer) {
    world.objects.save('payment_method', method.object, { ...method.hidden, used: true });
  }
  world.objects.save('payment_intent', object);
  world.emit('payment_intent.payment_failed', object, account);
}

function attemptError(method: MethodHeld, charge: Stripe.Charge, decline: Decline) {
  return {
    type: 'card_error',
    charge: charge.id,
    code: decline.code as Stripe.PaymentIntent.LastPaymentError.Code & string,
    ...(decline.declineCode ? { decline_code: decline.declineCode } : {}),
    doc_url: `https://stripe.com/docs/error-codes/${decline.code.replaceAll('_', '-')}`,
    message: decline.message,
    payment_method: method.object,
  } satisfies Partial<ErrorBody>;
}
