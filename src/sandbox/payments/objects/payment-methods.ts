import { createHash } from 'node:crypto';
import type { Stripe } from 'stripe';
import { type Held, type Hidden, newId } from '../database.ts';
import { ApiError, invalidParam, missingParam, noSuch, wrongState } from '../errors.ts';
import type { Params } from '../form.ts';
import {
  bankByAccount,
  bankByToken,
  cardByNumber,
  cardByToken,
  passesLuhn,
  TEST_ROUTING_NUMBER,
  type TestBank,
  type TestCard,
} from '../test-methods.ts';
import type { World } from '../world.ts';
import { readAddress, requireCustomer } from './customers.ts';

export type MethodHeld = Held<'payment_method'>;

/** The test number behind a stored method. `hidden` keeps: number, setUp (may be charged later), used. */
export function cardOf(held: MethodHeld): TestCard | undefined {
  return cardByNumber(String(held.hidden.number));
}

export function bankOf(held: MethodHeld): TestBank | undefined {
  return bankByAccount(String(held.hidden.number));
}

/** Finds a stored method, or makes one from a test token (`pm_card_visa`). */
export function requireMethod(world: World, account: string, id: string, param = 'id'): MethodHeld {
  const held = world.objects.find('payment_method', account, id);
  if (held) return held;
  const card = cardByToken(id);
  if (card) {
    const nextYear = new Date(world.store.now()).getUTCFullYear() + 1;
    return insertCard(world, account, card, { month: 12, year: nextYear }, noBilling());
  }
  const bank = bankByToken(id);
  if (bank) {
    return insertBank(world, account, bank, 'individual', {
      ...noBilling(),
      email: 'person@example.com',
      name: 'Test Person',
    });
  }
  throw noSuch('payment_method', id, param, param === 'id' ? 404 : 400);
}

/** `payment_methods.create` and `payment_method_data`. @param raw numbers are for the browser's key only. */
export function createMethod(world: World, account: string, params: Params, raw: boolean): MethodHeld {
  params.only([
    'type',
    'card',
    'us_bank_account',
    'billing_details',
    'metadata',
    'expand',
    'allow_redisplay',
  ]);
  const type = params.oneOf('type', ['card', 'us_bank_account']);
  if (!type) throw missingParam(params.name('type'));
  const details = params.object(type);
  if (!details) throw missingParam(params.name(type));
  if (type === 'us_bank_account') {
    return createBank(world, account, details, readBilling(params.object('billing_details')));
  }
  if (!raw) {
    throw new ApiError(402, {
      type: 'invalid_request_error',
      message:
        'Sending credit card numbers directly to the Stripe API is generally unsafe. Use a test payment method or the Payment Element.',
    });
  }
  return createCard(world, account, details, readBilling(params.object('billing_details')));
}

function createCard(
  world: World,
  account: string,
  card: Params,
  billing: Stripe.PaymentMethod.BillingDetails,
) {
  const number = card.required('number').replace(/[\s-]/g, '');
  if (!passesLuhn(number)) throw cardError('incorrect_number', 'Your card number is incorrect.', 'number');
  const month = card.integer('exp_month');
  if (month === null || month < 1 || month > 12) {
    throw cardError('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month');
  }
  const shortYear = card.integer('exp_year');
  if (shortYear === null)
    throw cardError('invalid_expiry_year', "Your card's expiration year is invalid.", 'exp_year');
  const year = shortYear < 100 ? 2000 + shortYear : shortYear;
  const today = new Date(world.store.now());
  if (year * 12 + month < today.getUTCFullYear() * 12 + today.getUTCMonth() + 1) {
    throw cardError('invalid_expiry_year', "Your card's expiration year is in the past.", 'exp_year');
  }
  const cvc = card.string('cvc');
  if (cvc !== null && !/^\d{3,4}$/.test(cvc)) {
    throw cardError('invalid_cvc', "Your card's security code is invalid.", 'cvc');
  }
  const known = cardByNumber(number);
  if (!known) {
    throw new ApiError(402, {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'test_mode_live_card',
      param: 'number',
      message: 'Your card was declined. Your request was in test mode, but used a non test card.',
    });
  }
  return insertCard(world, account, known, { month, year }, billing);
}

function cardError(code: string, message: string, field: string): ApiError {
  return new ApiError(402, { type: 'card_error', code, message, param: field });
}

function createBank(
  world: World,
  account: string,
  bank: Params,
  billing: Stripe.PaymentMethod.BillingDetails,
) {
  const number = bank.required('account_number').replace(/\s/g, '');
  const routing = bank.required('routing_number');
  if (routing !== TEST_ROUTING_NUMBER) {
    throw invalidParam(
      bank.name('routing_number'),
      `Invalid routing number: in test mode use ${TEST_ROUTING_NUMBER}.`,
      'routing_number_invalid',
    );
  }
  const known = bankByAccount(number);
  if (!known) {
    throw invalidParam(
      bank.name('account_number'),
      'You must use a test bank account number in test mode. Try 000123456789.',
      'account_number_invalid',
    );
  }
  if (!billing.name) {
    throw invalidParam('billing_details[name]', "You must provide the account holder's name.");
  }
  const holder = bank.oneOf('account_holder_type', ['individual', 'company']) ?? 'individual';
  return insertBank(world, account, known, holder, billing);
}

function insertCard(
  world: World,
  account: string,
  card: TestCard,
  expiry: { month: number; year: number },
  billing: Stripe.PaymentMethod.BillingDetails,
): MethodHeld {
  const object: Stripe.PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: billing,
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: card.brand === 'amex' ? 'american_express' : card.brand,
      exp_month: expiry.month,
      exp_year: expiry.year,
      fingerprint: fingerprint(card.number),
      funding: card.funding ?? 'credit',
      generated_from: null,
      last4: card.number.slice(-4),
      networks: { available: [card.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: world.seconds(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
  return insert(world, account, object, card.number);
}

function insertBank(
  world: World,
  account: string,
  bank: TestBank,
  holder: 'individual' | 'company',
  billing: Stripe.PaymentMethod.BillingDetails,
): MethodHeld {
  const object: Stripe.PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: billing,
    created: world.seconds(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'us_bank_account',
    us_bank_account: {
      account_holder_type: holder,
      account_type: 'checking',
      bank_name: 'STRIPE TEST BANK',
      financial_connections_account: null,
      fingerprint: fingerprint(bank.account),
      last4: bank.account.slice(-4),
      networks: { preferred: 'ach', supported: ['ach'] },
      routing_number: TEST_ROUTING_NUMBER,
      status_details: {},
    },
  };
  return insert(world, account, object, bank.account);
}

function insert(world: World, account: string, object: Stripe.PaymentMethod, number: string): MethodHeld {
  const hidden: Hidden = { number, setUp: false, used: false };
  world.objects.insert('payment_method', account, object, hidden);
  return { object, hidden, account };
}

/** The same number has the same fingerprint, as far as one provider account sees it. */
function fingerprint(number: string): string {
  return createHash('sha256').update(`sandbox:${number}`).digest('base64url').slice(0, 16);
}

function noBilling(): Stripe.PaymentMethod.BillingDetails {
  const address = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };
  return { address, email: null, name: null, phone: null, tax_id: null };
}

export function readBilling(params: Params | null): Stripe.PaymentMethod.BillingDetails {
  const empty = noBilling();
  if (!params) return empty;
  return {
    address: readAddress(params.object('address')) ?? empty.address,
    email: params.string('email'),
    name: params.string('name'),
    phone: params.string('phone'),
    tax_id: null,
  };
}

/** Binds the method to a customer. A card that declines everything declines here too. */
export function attachMethod(world: World, held: MethodHeld, customerId: string): void {
  const { object, account } = held;
  if (object.customer === customerId) return;
  requireCustomer(world, account, customerId, 'customer');
  if (object.customer) {
    throw wrongState('The payment method you provided has already been attached to a customer.');
  }
  if (held.hidden.used === true) {
    throw wrongState(
      'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.',
    );
  }
  const card = cardOf(held);
  if (card?.decline && !card.onlyCharge) throw declineError(card.decline);
  object.customer = customerId;
  world.objects.save('payment_method', object);
  world.emit('payment_method.attached', object, account);
}

export function detachMethod(world: World, held: MethodHeld): Stripe.PaymentMethod {
  const { object, account, hidden } = held;
  const customerId = object.customer;
  if (typeof customerId !== 'string') {
    throw wrongState(
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    );
  }
  const customer = requireCustomer(world, account, customerId);
  if (customer.invoice_settings.default_payment_method === object.id) {
    customer.invoice_settings.default_payment_method = null;
    world.objects.save('customer', customer);
  }
  object.customer = null;
  world.objects.save('payment_method', object, { ...hidden, used: true });
  world.emit('payment_method.detached', object, account);
  return object;
}

/** What a card error looks like where no charge was tried (attaching, setting up). */
export function declineError(decline: { code: string; declineCode?: string; message: string }): ApiError {
  return new ApiError(402, {
    type: 'card_error',
    code: decline.code,
    ...(decline.declineCode ? { decline_code: decline.declineCode } : {}),
    message: decline.message,
    doc_url: `https://stripe.com/docs/error-codes/${decline.code.replaceAll('_', '-')}`,
  });
}
