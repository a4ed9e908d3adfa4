import type { Stripe } from 'stripe';
import { type Held, newId } from '../database.ts';
import { invalidParam, missingParam, noSuch, wrongState } from '../errors.ts';
import { Params } from '../form.ts';
import type { World } from '../world.ts';
import { requireCustomer } from './customers.ts';
import { readMethodTypes } from './payment-intents.ts';
import { cancelSetup, createSetup } from './setup-intents.ts';

export type SessionHeld = Held<'checkout.session'>;

const SESSION_PARAMS = [
  'allowed_payment_method_types',
  'cancel_url',
  'client_reference_id',
  'currency',
  'customer',
  'customer_email',
  'expand',
  'expires_at',
  'locale',
  'metadata',
  'mode',
  'setup_intent_data',
  'success_url',
] as const;

/** A session lives 24 h unless told otherwise, at least 30 minutes (docs.stripe.com/api/checkout/sessions/create, checked 2026-11-21). */
const DAY_SECONDS = 86_400;
const LEAST_SECONDS = 1800;

export function createSession(world: World, account: string, params: Params): Stripe.Checkout.Session {
  params.only(SESSION_PARAMS);
  const mode = params.oneOf('mode', ['setup']);
  if (!mode) throw missingParam('mode');
  const currency = params.string('currency');
  const types = readMethodTypes(params);
  if (!currency && !types) throw missingParam('currency');
  const successUrl = requireUrl(params, 'success_url');
  const cancelUrl = params.has('cancel_url') ? requireUrl(params, 'cancel_url') : null;
  const customerId = params.string('customer');
  const customer = customerId ? requireCustomer(world, account, customerId, 'customer') : null;
  const expiresAt = readExpiry(world, params);
  const methodTypes = types ?? ['card', 'us_bank_account'];
  const setup = createSetup(
    world,
    account,
    new Params({
      ...(customer ? { customer: customer.id } : {}),
      allowed_payment_method_types: methodTypes,
      usage: 'off_session',
      metadata: params.object('setup_intent_data')?.object('metadata')?.values ?? {},
    }),
  );
  const id = newId('cs_test', 58);
  const session: Stripe.Checkout.Session = {
    ...blank(world, id),
    allowed_payment_method_types: types,
    cancel_url: cancelUrl,
    client_reference_id: params.string('client_reference_id'),
    currency,
    customer: customer?.id ?? null,
    customer_email: params.string('customer_email'),
    expires_at: expiresAt,
    metadata: params.metadata(),
    payment_method_types: methodTypes,
    setup_intent: setup.object.id,
    success_url: successUrl,
    url: `${world.baseUrl}/checkout/${id}`,
  };
  world.objects.insert('checkout.session', account, session);
  world.later((expiresAt - world.seconds()) * 1000, 'expire-session', account, id);
  return session;
}

function requireUrl(params: Params, name: string): string {
  const text = params.required(name);
  // The provider lets `{CHECKOUT_SESSION_ID}` stand in the address.
  if (!/^https?:\/\/\S+$/.test(text) || !URL.canParse(text)) {
    throw invalidParam(
      name,
      'Invalid URL: An explicit scheme (such as https) must be provided.',
      'url_invalid',
    );
  }
  return text;
}

function readExpiry(world: World, params: Params): number {
  const given = params.integer('expires_at');
  if (given === null) return world.seconds() + DAY_SECONDS;
  const seconds = given - world.seconds();
  if (seconds < LEAST_SECONDS - 5) {
    throw invalidParam(
      'expires_at',
      'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.',
    );
  }
  if (seconds > DAY_SECONDS + 5) {
    throw invalidParam(
      'expires_at',
      'The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.',
    );
  }
  return given;
}

export function requireSession(world: World, account: string, id: string): SessionHeld {
  const held = world.objects.find('checkout.session', account, id);
  if (!held) throw noSuch('checkout.session', id);
  return held;
}

/** The person stored a method on the hosted page. */
export function completeSession(
  world: World,
  held: SessionHeld,
  billing: { email: string; name: string },
): void {
  const { object, account } = held;
  object.status = 'complete';
  object.url = null;
  object.customer_details = {
    address: null,
    business_name: null,
    email: billing.email,
    individual_name: null,
    name: billing.name,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
  world.objects.save('checkout.session', object);
  world.emit('checkout.session.completed', object, account);
}

export function expireSession(world: World, held: SessionHeld): void {
  const { object, account } = held;
  if (object.status !== 'open') {
    throw wrongState(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${object.status}.`,
    );
  }
  object.status = 'expired';
  object.url = null;
  world.objects.save('checkout.session', object);
  const setupId = object.setup_intent;
  const setup = typeof setupId === 'string' ? world.objects.find('setup_intent', account, setupId) : null;
  if (setup && setup.object.status !== 'succeeded') cancelSetup(world, setup);
  world.emit('checkout.session.expired', object, account);
}

function blank(world: World, id: string): Stripe.Checkout.Session {
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: null,
    amount_total: null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: null,
    client_reference_id: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: world.seconds(),
    currency: null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: null,
    customer_account: null,
    customer_creation: null,
    customer_details: null,
    customer_email: null,
    discounts: null,
    expires_at: 0,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: {},
    mode: 'setup',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'always',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: [],
    payment_status: 'no_payment_required',
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: null,
    total_details: null,
    ui_mode: 'hosted_page',
    url: null,
    wallet_options: null,
  };
}
