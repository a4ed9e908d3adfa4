import type { Stripe } from 'stripe';
import { newId } from '../database.ts';
import { invalidParam, noSuch } from '../errors.ts';
import type { Params } from '../form.ts';
import type { World } from '../world.ts';

const CUSTOMER_PARAMS = [
  'address',
  'description',
  'email',
  'expand',
  'invoice_settings',
  'metadata',
  'name',
  'payment_method',
  'phone',
  'preferred_locales',
  'shipping',
  'tax_exempt',
] as const;

export function createCustomer(world: World, account: string, params: Params): Stripe.Customer {
  params.only(CUSTOMER_PARAMS);
  const customer = blank(world);
  apply(world, account, customer, params);
  world.objects.insert('customer', account, customer);
  world.emit('customer.created', customer, account);
  return customer;
}

export function updateCustomer(
  world: World,
  account: string,
  customer: Stripe.Customer,
  params: Params,
): Stripe.Customer {
  params.only(CUSTOMER_PARAMS);
  apply(world, account, customer, params);
  world.objects.save('customer', customer);
  world.emit('customer.updated', customer, account);
  return customer;
}

/** @param param where the id stood, for the error. */
export function requireCustomer(world: World, account: string, id: string, param = 'id'): Stripe.Customer {
  const held = world.objects.find('customer', account, id);
  if (!held) throw noSuch('customer', id, param, param === 'id' ? 404 : 400);
  return held.object;
}

function blank(world: World): Stripe.Customer {
  return {
    id: newId('cus', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: world.seconds(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: newId('x', 8).slice(2).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

function apply(world: World, account: string, customer: Stripe.Customer, params: Params): void {
  for (const field of ['description', 'email', 'name', 'phone'] as const) {
    if (params.has(field)) customer[field] = params.string(field);
  }
  if (customer.email && !/^[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+$/.test(customer.email)) {
    throw invalidParam('email', `Invalid email address: ${customer.email}`, 'email_invalid');
  }
  if (params.has('address')) customer.address = readAddress(params.object('address'));
  customer.metadata = params.metadata(customer.metadata);
  const invoiceSettings = params.object('invoice_settings');
  const standard = invoiceSettings?.string('default_payment_method');
  if (standard) {
    const method = world.objects.find('payment_method', account, standard)?.object;
    if (method?.customer !== customer.id) {
      throw noSuch('payment_method', standard, 'invoice_settings[default_payment_method]', 400);
    }
    customer.invoice_settings.default_payment_method = standard;
  }
}

export function readAddress(params: Params | null): Stripe.Address | null {
  if (!params) return null;
  return {
    city: params.string('city'),
    country: params.string('country'),
    line1: params.string('line1'),
    line2: params.string('line2'),
    postal_code: params.string('postal_code'),
    state: params.string('state'),
  };
}
