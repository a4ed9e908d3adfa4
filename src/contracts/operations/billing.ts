import { z } from 'zod';
import { defineOperation, idParams, noData } from '../operation.ts';
import { autoBalanceLimits, minimumText } from '../values/topup-limits.ts';
import { profile } from './users.ts';

export const balance = z.object({
  /** Integer cents; what is posted, less what is held by running orders. */
  balance: z.int(),
  /** Top-ups being processed, in cents. */
  pendingBalance: z.int(),
  /** Held by running orders, in cents. */
  held: z.int(),
  /** What an order may cost, in cents: the balance, and as much of what is being processed as the operator's limit allows. */
  spendable: z.int(),
});
export type Balance = z.output<typeof balance>;

export const getBalance = defineOperation({
  id: 'billing.balance',
  method: 'GET',
  path: '/account/balancev2',
  summary: 'Get the prepaid balance in cents',
  access: 'balance.read',
  opens: 'with-profile',
  reply: balance,
});

/** The current profile (P2 §3, §7) beside the figures of the balance. */
export const account = profile.extend({
  balance: z.int(),
  pendingBalance: z.int(),
  hasPaymentMethod: z.boolean(),
});

export const getAccount = defineOperation({
  id: 'billing.account',
  method: 'GET',
  path: '/account',
  summary: 'Get the current profile and the organization’s account',
  access: 'balance.read',
  opens: 'with-profile',
  reply: account,
});

export const accountLink = defineOperation({
  id: 'billing.accountLink',
  method: 'GET',
  path: '/account/link',
  summary:
    'Get a one-time address of the payment provider’s set-up page. Creates the account if there is none',
  access: 'account.payment',
  opens: 'with-profile',
  audit: 'billing.accountLink',
  reply: z.object({ link: z.url() }),
  errors: ['payment_failed', 'upstream_unavailable'],
  sensitive: true,
});

export const paymentAccountState = z.object({
  id: z.string().nullable(),
  finishedRequirement: z.boolean(),
  /** What the provider still wants, in its words. */
  requirements: z.array(z.string()),
});
export type PaymentAccountState = z.output<typeof paymentAccountState>;

export const refreshPaymentAccount = defineOperation({
  id: 'billing.refreshAccount',
  method: 'POST',
  path: '/account/refresh',
  summary: 'Read the payment account again from the provider',
  access: 'account.payment',
  opens: 'with-profile',
  audit: { none: 'It reads the account’s state again.' },
  reply: paymentAccountState,
  errors: ['payment_failed', 'upstream_unavailable'],
});

export const topUp = defineOperation({
  id: 'billing.topUp',
  method: 'POST',
  path: '/account/topupv2',
  summary:
    'Start a top-up in US dollars. The amount is fixed at $100 while the initial fee is unpaid (decisions no. 4)',
  access: 'balance.topup',
  opens: 'with-profile',
  audit: 'billing.topUp',
  body: z.object({
    amount: z
      .number()
      .positive()
      .max(1_000_000)
      .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, {
        message: 'At most two decimals',
      }),
  }),
  reply: z.object({ intentSecret: z.string(), topupId: z.uuid(), amount: z.int() }),
  errors: ['validation_failed', 'unprocessable', 'payment_failed', 'upstream_unavailable'],
  rate: 'purchase',
  idempotent: true,
  sensitive: true,
});

export const topUpState = z.enum([
  'requested',
  'requires_action',
  'processing',
  'failed',
  'cancelled',
  'succeeded',
  'reversed',
]);

const topUpStatus = z.object({
  topupId: z.uuid(),
  amount: z.int(),
  state: topUpState,
  charged: z.boolean(),
});

export const getTopUp = defineOperation({
  id: 'billing.topUpStatus',
  method: 'GET',
  path: '/account/topup/:id',
  summary: 'Get the state of a top-up, read again from the payment provider',
  access: 'balance.topup',
  opens: 'with-profile',
  params: idParams,
  reply: topUpStatus,
  errors: ['not_found', 'upstream_unavailable'],
});

export const cancelTopUp = defineOperation({
  id: 'billing.cancelTopUp',
  method: 'POST',
  path: '/account/topup/:id/cancel',
  summary: 'Cancel a top-up at the payment provider if nothing was charged. The reply carries its state',
  access: 'balance.topup',
  opens: 'with-profile',
  audit: 'billing.cancelTopUp',
  params: idParams,
  reply: topUpStatus,
  errors: ['not_found', 'upstream_unavailable'],
});

export const setAutoBalance = defineOperation({
  id: 'billing.autoBalance',
  method: 'POST',
  path: '/account/auto-balance',
  summary: 'Turn automatic top-ups on (amount and mark in cents) or off',
  access: 'balance.topup',
  audit: 'billing.autoBalance',
  body: z.union([
    z.object({
      enabled: z.literal(true),
      amount: z
        .int()
        .min(autoBalanceLimits.leastAmountCents, minimumText(autoBalanceLimits.leastAmountCents))
        .max(autoBalanceLimits.mostCents),
      mark: z
        .int()
        .min(autoBalanceLimits.leastMarkCents, minimumText(autoBalanceLimits.leastMarkCents))
        .max(autoBalanceLimits.mostCents),
    }),
    z.object({ enabled: z.literal(false) }),
  ]),
  reply: noData,
  errors: ['validation_failed', 'unprocessable'],
});

/** The provider's events: raw body, signed. */
export const paymentWebhook = defineOperation({
  id: 'billing.webhook',
  method: 'POST',
  path: '/webhooks/payments',
  summary: 'Receive events of the payment provider',
  access: 'webhook',
  audit: { none: 'The payment provider sends it. The effects are in the ledger.' },
  bodyKind: 'raw',
  bodyLimitBytes: 1_000_000,
  reply: z.object({ received: z.boolean() }),
  errors: ['bad_request'],
});

export const dashboardLink = defineOperation({
  id: 'billing.dashboardLink',
  method: 'GET',
  path: '/account/login',
  summary: 'Get a one-time address of the payment provider’s dashboard, which holds the billing address',
  access: 'account.payment',
  opens: 'with-profile',
  audit: 'billing.dashboardLink',
  reply: z.object({ link: z.string() }),
  errors: ['unprocessable', 'upstream_unavailable'],
  rate: 'link',
  freshSignIn: true,
  sensitive: true,
});

export const billingAddress = z.object({
  name: z.string(),
  line1: z.string(),
  line2: z.string(),
  city: z.string(),
  state: z.string(),
  postalCode: z.string(),
  country: z.string(),
});
export type BillingAddress = z.output<typeof billingAddress>;

export const getBillingAddress = defineOperation({
  id: 'billing.address',
  method: 'GET',
  path: '/account/billing-address',
  summary: 'Get the billing address from the payment provider. Null without a payment account',
  access: 'account.payment',
  opens: 'with-profile',
  reply: z.object({ address: billingAddress.nullable() }),
  errors: ['upstream_unavailable'],
});
