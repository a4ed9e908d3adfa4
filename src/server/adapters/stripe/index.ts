import type Stripe from 'stripe';
import type { PaymentAccount, Payments } from '../../ports/payments.ts';
import { act, ask, askOfAccount, createClient, orNull, type StripeOptions } from './client.ts';
import { declinedIsAState, directBilling, refusedForGood } from './direct-billing.ts';
import { toEvent, verifyEvent } from './events.ts';
import { paymentExpand, toPayment } from './payment.ts';

export type { StripeOptions };

/** What the portal wants to hear of (facts checked 2026-11-21); for the sweep that finds lost events. */
const wantedEvents = [
  'payment_intent.processing',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.requires_action',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.refunded',
  'charge.refund.updated',
  'refund.failed',
];

/** The same of connected accounts: direct charges and what they are charged to. One list takes 20 types at most. */
const wantedOfAccounts = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.refunded',
  'charge.refund.updated',
  'refund.updated',
  'refund.failed',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'setup_intent.succeeded',
  'payment_method.attached',
  'payment_method.detached',
  'mandate.updated',
];

/** The payment provider through its own SDK. Bank account first, then card (P2 §7). */
export function createStripe(options: StripeOptions): Payments {
  const stripe = createClient(options);
  const methods = ['us_bank_account', 'card'];

  const read = async (id: string, account?: string) => {
    const options = account ? { stripeAccount: account } : {};
    const intent = await stripe.paymentIntents.retrieve(id, { expand: paymentExpand }, options);
    return withDisputes(intent, options);
  };

  const withDisputes = async (intent: Stripe.PaymentIntent, options: Stripe.RequestOptions) => {
    const charge = intent.latest_charge;
    // The charge says only whether it is disputed (SDK 23.1.0, checked 2026-11-21).
    const disputed = charge !== null && typeof charge === 'object' && charge.disputed;
    const { data: disputes } = disputed
      ? await stripe.disputes.list({ payment_intent: intent.id }, options)
      : { data: [] };
    return toPayment(intent, disputes);
  };

  return {
    createCustomer: (input, fence) =>
      act('create customer', fence, async () => {
        const customer = await stripe.customers.create(
          { email: input.email, name: input.name, metadata: { organisation: input.organisationId } },
          { idempotencyKey: input.idempotencyKey },
        );
        return customer.id;
      }),

    createTopUp: (input, fence) =>
      act('create top-up', fence, async () => {
        const intent = await stripe.paymentIntents.create(
          {
            amount: input.amountCents,
            currency: 'usd',
            customer: input.customer,
            allowed_payment_method_types: methods,
            setup_future_usage: 'off_session',
            metadata: { topup: input.topupId, organisation: input.organisationId },
          },
          { idempotencyKey: input.idempotencyKey },
        );
        return { ...toPayment(intent), clientSecret: intent.client_secret ?? '' };
      }),

    chargeStored: (input, fence) =>
      act('charge stored method', fence, () =>
        refusedForGood(() =>
          declinedIsAState(() =>
            stripe.paymentIntents.create(
              {
                amount: input.amountCents,
                currency: 'usd',
                customer: input.customer,
                payment_method: input.paymentMethod,
                allowed_payment_method_types: methods,
                off_session: true,
                confirm: true,
                metadata: { topup: input.topupId, organisation: input.organisationId },
              },
              { idempotencyKey: input.idempotencyKey },
            ),
          ),
        ),
      ),

    payment: (id) => ask('read payment', () => orNull(() => read(id))),

    cancelPayment: (id, fence) =>
      act('cancel payment', fence, async () => {
        try {
          return toPayment(await stripe.paymentIntents.cancel(id));
        } catch (error) {
          // It ended in the meantime: what it is now decides, not our wish.
          if (
            !(error instanceof Error && 'code' in error && error.code === 'payment_intent_unexpected_state')
          ) {
            throw error;
          }
          return await read(id);
        }
      }),

    async *paymentsSince(since) {
      const list = stripe.paymentIntents.list({
        created: { gte: Math.floor(since.getTime() / 1000) },
        // What went back of a payment stands at its charge.
        expand: paymentExpand.map((path) => `data.${path}`),
        limit: 100,
      });
      for await (const intent of list) yield await withDisputes(intent, {});
    },

    verifyWebhook: (rawBody, signature) => verifyEvent(stripe, options.webhookSecrets, rawBody, signature),

    async *eventsSince(since, accountId) {
      const created = { gte: Math.floor(since.getTime() / 1000) };
      const list = stripe.events.list(
        { created, types: accountId ? wantedOfAccounts : wantedEvents, limit: 100 },
        accountId ? { stripeAccount: accountId } : {},
      );
      const newestFirst: Stripe.Event[] = [];
      for await (const event of list) newestFirst.push(event);
      for (const event of newestFirst.reverse()) yield { ...toEvent(event), account: accountId ?? null };
    },

    createAccount: (input, fence) =>
      act('create account', fence, async () => {
        const account = await stripe.v2.core.accounts.create(
          {
            contact_email: input.email,
            display_name: input.name,
            dashboard: 'express',
            configuration: { merchant: { capabilities: { card_payments: { requested: true } } } },
            defaults: {
              currency: 'usd',
              responsibilities: { fees_collector: 'application', losses_collector: 'application' },
            },
            identity: { country: 'us' },
            metadata: { organisation: input.organisationId },
          },
          { idempotencyKey: input.idempotencyKey },
        );
        return account.id;
      }),

    accountStatus: (accountId) =>
      askOfAccount('read account', async () => {
        const account = await stripe.v2.core.accounts.retrieve(accountId, {
          include: ['configuration.merchant', 'requirements', 'identity'],
        });
        return toAccount(account);
      }),

    accountSetupLink: (input) =>
      askOfAccount('account link', async () => {
        const link = await stripe.v2.core.accountLinks.create({
          account: input.accountId,
          use_case: {
            type: 'account_onboarding',
            account_onboarding: {
              refresh_url: input.refreshUrl,
              return_url: input.returnUrl,
            },
          },
        });
        return link.url;
      }),

    dashboardLink: (accountId) =>
      // There is none before the account is set up, and the provider's text says so.
      askOfAccount('dashboard link', async () => (await stripe.accounts.createLoginLink(accountId)).url, {
        tooEarly: true,
      }),

    createConnectedCustomer: (input, fence) =>
      act('create connected customer', fence, async () => {
        const customer = await stripe.customers.create(
          { email: input.email, name: input.name, metadata: { customer: input.customerId } },
          { stripeAccount: input.accountId, idempotencyKey: input.idempotencyKey },
        );
        return customer.id;
      }),

    setupSession: (input) =>
      ask('setup session', async () => {
        const session = await stripe.checkout.sessions.create(
          {
            mode: 'setup',
            currency: 'usd',
            customer: input.connectedCustomer,
            success_url: input.successUrl,
            cancel_url: input.cancelUrl,
          },
          { stripeAccount: input.accountId },
        );
        return session.url ?? '';
      }),

    ...directBilling(stripe, methods),

    connectedPayment: (accountId, id) =>
      ask('read connected payment', () => orNull(() => read(id, accountId))),
  };
}

function toAccount(account: Stripe.V2.Core.Account): PaymentAccount {
  const merchant = account.configuration?.merchant;
  const entries = account.requirements?.entries ?? [];
  const urgent = entries.filter((entry) => {
    const status = entry.minimum_deadline?.status;
    return status === 'currently_due' || status === 'past_due';
  });
  const address = account.identity?.business_details?.address ?? account.identity?.individual?.address;
  return {
    id: account.id,
    finished: merchant?.capabilities?.card_payments?.status === 'active' && urgent.length === 0,
    requirements: urgent.map((entry) => entry.description ?? ''),
    billingAddress: {
      name: account.identity?.business_details?.registered_name ?? account.display_name ?? null,
      line1: address?.line1 ?? null,
      line2: address?.line2 ?? null,
      city: address?.city ?? null,
      state: address?.state ?? null,
      postalCode: address?.postal_code ?? null,
      country: address?.country ?? null,
    },
  };
}
