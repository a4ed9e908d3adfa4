import type { Stripe } from 'stripe';
import { type Held, newId } from '../database.ts';
import { invalidParam, missingParam, noSuch, wrongState } from '../errors.ts';
import type { Params } from '../form.ts';
import { APPLICATION_ID, type World } from '../world.ts';
import { requireCustomer } from './customers.ts';
import { requireMethod } from './payment-methods.ts';

export type IntentHeld = Held<'payment_intent'>;

const METHOD_TYPES = ['us_bank_account', 'card'] as const;

const CREATE_PARAMS = [
  'allowed_payment_method_types',
  'amount',
  'application_fee_amount',
  'automatic_payment_methods',
  'confirm',
  'currency',
  'customer',
  'description',
  'error_on_requires_action',
  'expand',
  'mandate_data',
  'metadata',
  'off_session',
  'payment_method',
  'payment_method_data',
  'payment_method_options',
  'receipt_email',
  'return_url',
  'setup_future_usage',
  'statement_descriptor',
  'statement_descriptor_suffix',
  'use_stripe_sdk',
] as const;

const CONFIRM_ONLY = [
  'off_session',
  'return_url',
  'error_on_requires_action',
  'mandate_data',
  'use_stripe_sdk',
];
const CREATE_ONLY = ['confirm', 'automatic_payment_methods', ...CONFIRM_ONLY];

const UPDATE_PARAMS = CREATE_PARAMS.filter((name) => !CREATE_ONLY.includes(name));

/** The states in which the person may still change or leave the payment. */
export const OPEN_STATES = ['requires_payment_method', 'requires_confirmation', 'requires_action'] as const;

/** Smallest and largest amount in US dollars (docs.stripe.com/currencies#minimum-and-maximum-charge-amounts, checked 2026-11-21). */
const MIN_CENTS = 50;
const MAX_CENTS = 99_999_999;

function readAmount(params: Params): number | null {
  const amount = params.integer('amount');
  if (amount === null) return null;
  if (amount < 1)
    throw invalidParam(
      'amount',
      'This value must be greater than or equal to 1.',
      'parameter_invalid_integer',
    );
  if (amount < MIN_CENTS)
    throw invalidParam('amount', 'Amount must be at least $0.50 usd', 'amount_too_small');
  if (amount > MAX_CENTS)
    throw invalidParam('amount', 'Amount must be no more than $999,999.99', 'amount_too_large');
  return amount;
}

function readCurrency(params: Params): string {
  const currency = params.required('currency').toLowerCase();
  if (currency !== 'usd') {
    throw invalidParam('currency', `Invalid currency: ${currency}. The sandbox takes usd.`);
  }
  return currency;
}

/** `payment_method_types` went out of the requests with 2026-09-30.endive (SDK 23.1.0, checked 2026-11-21). */
const TYPES_PARAM = 'allowed_payment_method_types';

export function readMethodTypes(params: Params): Stripe.PaymentIntent.AllowedPaymentMethodType[] | null {
  const types = params.strings(TYPES_PARAM);
  if (!types) return null;
  types.forEach((type, index) => {
    if ((METHOD_TYPES as readonly string[]).includes(type)) return;
    throw invalidParam(
      `${TYPES_PARAM}[${index}]`,
      `The payment method type "${type}" is invalid. The sandbox knows us_bank_account and card.`,
      'payment_intent_invalid_parameter',
    );
  });
  return types as Stripe.PaymentIntent.AllowedPaymentMethodType[];
}

export function createIntent(world: World, account: string, params: Params): IntentHeld {
  params.only(CREATE_PARAMS);
  const amount = readAmount(params);
  if (amount === null) throw missingParam('amount');
  const currency = readCurrency(params);
  const confirm = params.boolean('confirm') ?? false;
  if (!confirm) refuseConfirmOnly(params);
  const types = readMethodTypes(params);
  const redirects = params.object('automatic_payment_methods')?.oneOf('allow_redirects', ['always', 'never']);
  if (confirm && !types && redirects !== 'never' && !params.has('return_url')) {
    throw invalidParam(
      'return_url',
      "This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`. If you don't want to accept redirect-based payment methods, set `automatic_payment_methods[allow_redirects]` to `never`.",
    );
  }
  const id = newId('pi');
  const object: Stripe.PaymentIntent = {
    ...blank(world, id),
    amount,
    currency,
    application: account === '' ? null : APPLICATION_ID,
    allowed_payment_method_types: types,
    automatic_payment_methods: types ? null : { enabled: true, allow_redirects: redirects ?? 'always' },
    payment_method_types: types ?? ['card', 'us_bank_account'],
  };
  const held: IntentHeld = { object, hidden: {}, account };
  applyShared(world, held, params);
  world.objects.insert('payment_intent', account, object, held.hidden);
  world.emit('payment_intent.created', object, account);
  return held;
}

function refuseConfirmOnly(params: Params): void {
  for (const name of CONFIRM_ONLY) {
    if (!params.has(name)) continue;
    throw invalidParam(
      name,
      `The parameter \`${name}\` cannot be passed when creating a PaymentIntent unless \`confirm\` is set to true.`,
    );
  }
}

export function updateIntent(world: World, held: IntentHeld, params: Params): void {
  params.only(UPDATE_PARAMS);
  const { object } = held;
  const onlyNotes = Object.keys(params.values).every((name) =>
    ['metadata', 'description', 'expand'].includes(name),
  );
  if (!onlyNotes && !(OPEN_STATES as readonly string[]).includes(object.status)) {
    throw wrongState(
      `This PaymentIntent's ${Object.keys(params.values)[0]} could not be updated because it has a status of ${object.status}. You may only update the metadata and description of a PaymentIntent with this status.`,
      'payment_intent_unexpected_state',
      { payment_intent: object },
    );
  }
  const amount = readAmount(params);
  if (amount !== null) object.amount = amount;
  const types = readMethodTypes(params);
  if (types) {
    object.allowed_payment_method_types = types;
    object.payment_method_types = types;
  }
  applyShared(world, held, params);
  world.objects.save('payment_intent', object, held.hidden);
}

function applyShared(world: World, held: IntentHeld, params: Params): void {
  const { object, account } = held;
  const customer = params.string('customer');
  if (customer) object.customer = requireCustomer(world, account, customer, 'customer').id;
  for (const field of [
    'description',
    'receipt_email',
    'statement_descriptor',
    'statement_descriptor_suffix',
  ] as const) {
    if (params.has(field)) object[field] = params.string(field);
  }
  object.metadata = params.metadata(object.metadata);
  if (params.has('setup_future_usage')) {
    object.setup_future_usage = params.oneOf('setup_future_usage', ['off_session', 'on_session']);
  }
  const feeCents = params.integer('application_fee_amount');
  if (feeCents !== null) {
    if (account === '') {
      throw invalidParam(
        'application_fee_amount',
        'Can only apply an application_fee_amount when the PaymentIntent is attempting a direct payment (using an OAuth key or Stripe-Account header) or destination payment (using `transfer_data[destination]`).',
      );
    }
    if (feeCents > object.amount || feeCents < 0) {
      throw invalidParam('application_fee_amount', 'The application fee cannot exceed the payment amount.');
    }
    object.application_fee_amount = feeCents;
  }
  const method = params.string('payment_method');
  if (method) {
    object.payment_method = requireMethod(world, account, method, 'payment_method').object.id;
    if (object.status === 'requires_payment_method') object.status = 'requires_confirmation';
  }
}

export function requireIntent(world: World, account: string, id: string, param = 'intent'): IntentHeld {
  const held = world.objects.find('payment_intent', account, id);
  if (!held) throw noSuch('payment_intent', id, param, param === 'intent' ? 404 : 400);
  return held;
}

export function cancelIntent(world: World, held: IntentHeld, params: Params): void {
  params.only(['cancellation_reason', 'expand']);
  const { object, account } = held;
  if (!(OPEN_STATES as readonly string[]).includes(object.status)) {
    throw wrongState(
      `You cannot cancel this PaymentIntent because it has a status of ${object.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
      'payment_intent_unexpected_state',
      { payment_intent: object },
    );
  }
  object.status = 'canceled';
  object.canceled_at = world.seconds();
  object.cancellation_reason = params.oneOf('cancellation_reason', [
    'abandoned',
    'duplicate',
    'fraudulent',
    'requested_by_customer',
  ]);
  object.next_action = null;
  world.objects.save('payment_intent', object);
  world.emit('payment_intent.canceled', object, account);
}

function blank(world: World, id: string): Stripe.PaymentIntent {
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: 0,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_${newId('secret', 25)}`,
    confirmation_method: 'automatic',
    created: world.seconds(),
    currency: 'usd',
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  };
}
