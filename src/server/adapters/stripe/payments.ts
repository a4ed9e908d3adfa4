import type Stripe from 'stripe';
import type { Payments } from '../../ports/payments.ts';
import { paymentAccounts } from './accounts.ts';
import { act, ask, askOfAccount, createClient, orNull, type StripeOptions } from './client.ts';
import { connectedCustomers } from './connected-customers.ts';
import { declinedIsAState, directBilling, refusedForGood } from './direct-billing.ts';
import { toEvent, verifyEvent } from './events.ts';
import { paymentExpand, toPayment } from './payment.ts';

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
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'setup_intent.succeeded',
  'payment_method.attached',
  'payment_method.detached',
  'mandate.updated',
];

/** The payment provider through its own SDK. Bank account first, then card (P2 §7). */
export function createPayments(options: StripeOptions): Payments {
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

    verifyWebhook: async (rawBody, signature) =>
      verifyEvent(stripe, options.webhookSecrets, rawBody, signature),

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

    ...paymentAccounts(stripe),

    ...connectedCustomers(stripe),
    ...directBilling(stripe, methods),

    connectedPayment: (accountId, id) =>
      askOfAccount('read connected payment', () => orNull(() => read(id, accountId))),
  };
}
