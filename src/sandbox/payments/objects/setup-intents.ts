import type { Stripe } from 'stripe';
import { type Held, newId } from '../database.ts';
import { ApiError, invalidParam, noSuch, wrongState } from '../errors.ts';
import type { Params } from '../form.ts';
import { APPLICATION_ID, type World } from '../world.ts';
import type { ConfirmHow } from './confirm.ts';
import { requireCustomer } from './customers.ts';
import { createMandate } from './mandates.ts';
import { readMethodTypes } from './payment-intents.ts';
import { attachMethod, cardOf, declineError, type MethodHeld, requireMethod } from './payment-methods.ts';

export type SetupHeld = Held<'setup_intent'>;

const SETUP_CREATE_PARAMS = [
  'allowed_payment_method_types',
  'automatic_payment_methods',
  'confirm',
  'customer',
  'description',
  'expand',
  'mandate_data',
  'metadata',
  'payment_method',
  'payment_method_data',
  'return_url',
  'usage',
] as const;

const OPEN = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

export function createSetup(world: World, account: string, params: Params): SetupHeld {
  params.only(SETUP_CREATE_PARAMS);
  const id = newId('seti');
  const customer = params.string('customer');
  const types = readMethodTypes(params);
  const object: Stripe.SetupIntent = {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: types,
    application: account === '' ? null : APPLICATION_ID,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_${newId('secret', 25)}`,
    created: world.seconds(),
    customer: customer ? requireCustomer(world, account, customer, 'customer').id : null,
    customer_account: null,
    description: params.string('description'),
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: params.metadata(),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: types ?? ['card', 'us_bank_account'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: params.oneOf('usage', ['off_session', 'on_session']) ?? 'off_session',
  };
  const method = params.string('payment_method');
  if (method) {
    object.payment_method = requireMethod(world, account, method, 'payment_method').object.id;
    object.status = 'requires_confirmation';
  }
  world.objects.insert('setup_intent', account, object);
  world.emit('setup_intent.created', object, account);
  return { object, hidden: {}, account };
}

export function requireSetup(world: World, account: string, id: string): SetupHeld {
  const held = world.objects.find('setup_intent', account, id);
  if (!held) throw noSuch('setup_intent', id, 'intent');
  return held;
}

export function confirmSetup(world: World, held: SetupHeld, method: MethodHeld, how: ConfirmHow): void {
  const { object, account } = held;
  if (!OPEN.includes(object.status)) {
    throw wrongState(
      `You cannot confirm this SetupIntent because it has a status of ${object.status}.`,
      'setup_intent_unexpected_state',
      { setup_intent: object },
    );
  }
  if (!object.payment_method_types.includes(method.object.type)) {
    throw invalidParam(
      'payment_method',
      `The PaymentMethod provided (${method.object.type}) is not allowed for this SetupIntent.`,
      'setup_intent_invalid_parameter',
    );
  }
  object.payment_method = method.object.id;
  object.last_setup_error = null;
  const card = cardOf(method);
  if (card?.authenticate) {
    const url = `${world.baseUrl}/challenge/${object.id}?client_secret=${object.client_secret}`;
    object.status = 'requires_action';
    object.next_action =
      how.inBrowser || !how.returnUrl
        ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
        : { type: 'redirect_to_url', redirect_to_url: { return_url: how.returnUrl, url } };
    held.hidden.returnUrl = how.returnUrl;
    world.objects.save('setup_intent', object, held.hidden);
    world.emit('setup_intent.requires_action', object, account);
    return;
  }
  finish(world, held, method);
}

export function answerSetupChallenge(
  world: World,
  held: SetupHeld,
  method: MethodHeld,
  passed: boolean,
): void {
  const { object } = held;
  if (object.status !== 'requires_action') return;
  object.next_action = null;
  if (passed) {
    finish(world, held, method);
    return;
  }
  fail(world, held, {
    type: 'invalid_request_error',
    code: 'setup_intent_authentication_failure',
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
    payment_method: method.object,
  });
}

/** Stores the method for later charges: attached to the customer, and set up for charges without the person. */
function finish(world: World, held: SetupHeld, method: MethodHeld): void {
  const { object, account } = held;
  const card = cardOf(method);
  if (card?.decline && !card.onlyCharge) {
    const error = declineError(card.decline);
    fail(world, held, {
      type: 'card_error',
      code: card.decline.code as Stripe.SetupIntent.LastSetupError.Code & string,
      message: card.decline.message,
      payment_method: method.object,
      ...(card.decline.declineCode ? { decline_code: card.decline.declineCode } : {}),
    });
    throw new ApiError(402, { ...error.body, setup_intent: object });
  }
  if (typeof object.customer === 'string') attachMethod(world, method, object.customer);
  method.hidden.setUp = true;
  world.objects.save('payment_method', method.object, method.hidden);
  if (method.object.type === 'us_bank_account') {
    object.mandate = createMandate(world, account, method.object.id).id;
  }
  object.status = 'succeeded';
  world.objects.save('setup_intent', object);
  world.emit('setup_intent.succeeded', object, account);
}

function fail(world: World, held: SetupHeld, error: Stripe.SetupIntent.LastSetupError): void {
  const { object, account } = held;
  object.status = 'requires_payment_method';
  object.payment_method = null;
  object.last_setup_error = error;
  world.objects.save('setup_intent', object);
  world.emit('setup_intent.setup_failed', object, account);
}

export function cancelSetup(world: World, held: SetupHeld): void {
  const { object, account } = held;
  if (!OPEN.includes(object.status)) {
    throw wrongState(
      `You cannot cancel this SetupIntent because it has a status of ${object.status}.`,
      'setup_intent_unexpected_state',
    );
  }
  object.status = 'canceled';
  object.next_action = null;
  world.objects.save('setup_intent', object);
  world.emit('setup_intent.canceled', object, account);
}
