import Stripe from 'stripe';
import { type Payment, type PaymentRefund, PaymentRefused, type Payments } from '../../ports/payments.ts';
import { act, askOfAccount } from './client.ts';
import { ownId, paymentExpand, toPayment } from './payment.ts';

type DirectBilling = Pick<
  Payments,
  'chargeConnected' | 'retryConnected' | 'findConnected' | 'refundConnected' | 'connectedRefunds'
>;

/** Charges of end customers on a connected account (direct charges: the MSP is the merchant). */
export function directBilling(stripe: Stripe, methods: string[]): DirectBilling {
  return {
    chargeConnected: (input, fence) =>
      act('charge connected customer', fence, () =>
        refusedForGood(() =>
          declinedIsAState(() =>
            stripe.paymentIntents.create(
              {
                amount: input.amountCents,
                currency: 'usd',
                customer: input.connectedCustomer,
                payment_method: input.paymentMethod,
                // Without a list of types a confirmation wants a return_url (checked 2026-11-21).
                allowed_payment_method_types: methods,
                off_session: true,
                confirm: true,
                description: input.description,
                metadata: input.metadata,
              },
              { stripeAccount: input.accountId, idempotencyKey: input.idempotencyKey },
            ),
          ),
        ),
      ),

    retryConnected: (input, fence) =>
      act('charge connected customer again', fence, () =>
        refusedForGood(async () => {
          const onAccount = { stripeAccount: input.accountId };
          const intent = await stripe.paymentIntents.retrieve(
            input.paymentId,
            { expand: paymentExpand },
            onAccount,
          );
          // It ended in the meantime: what it is now decides, not our wish.
          if (ended.has(intent.status)) return toPayment(intent);
          // Its amount can be changed as long as no money moves (docs.stripe.com/api, checked 2026-11-21).
          if (intent.amount !== input.amountCents) {
            await stripe.paymentIntents.update(input.paymentId, { amount: input.amountCents }, onAccount);
          }
          return declinedIsAState(() =>
            stripe.paymentIntents.confirm(
              input.paymentId,
              { payment_method: input.paymentMethod, off_session: true },
              { ...onAccount, idempotencyKey: input.idempotencyKey },
            ),
          );
        }),
      ),

    findConnected: (accountId, connectedCustomer, { chargeId, since }) =>
      askOfAccount('find connected payment', async () => {
        const created = { gte: Math.floor(since.getTime() / 1000) };
        const list = stripe.paymentIntents.list(
          { customer: connectedCustomer, created, limit: 100 },
          { stripeAccount: accountId },
        );
        for await (const intent of list) {
          if (intent.metadata.charge !== chargeId) continue;
          const found = await stripe.paymentIntents.retrieve(
            intent.id,
            { expand: paymentExpand },
            { stripeAccount: accountId },
          );
          return toPayment(found);
        }
        return null;
      }),

    refundConnected: (input, fence) =>
      act('refund connected payment', fence, () =>
        refusedForGood(async () => {
          const refund = await stripe.refunds.create(
            {
              payment_intent: input.paymentId,
              amount: input.amountCents,
              metadata: { item: input.itemId },
            },
            { stripeAccount: input.accountId, idempotencyKey: input.idempotencyKey },
          );
          return refund.id;
        }),
      ),

    connectedRefunds: (accountId, paymentId) =>
      askOfAccount('read connected refunds', async () => {
        const list = stripe.refunds.list(
          { payment_intent: paymentId, limit: 100 },
          { stripeAccount: accountId },
        );
        const refunds: PaymentRefund[] = [];
        for await (const refund of list) refunds.push(toRefund(refund));
        return refunds;
      }),
  };
}

/** The vendor's reasons (docs.stripe.com/refunds, checked 2026-11-21) in words. */
const returnReasons: Record<string, string> = {
  lost_or_stolen_card: 'The card was lost or stolen.',
  expired_or_canceled_card: 'The card is expired or cancelled.',
  charge_for_pending_refund_disputed: 'The customer disputed the payment in the meantime.',
  insufficient_funds: 'The balance of the payment account did not cover it.',
  declined: 'The bank declined it.',
  merchant_request: 'It was cancelled on the payment account.',
};

function toRefund(refund: Stripe.Refund): PaymentRefund {
  const returned = refund.status === 'failed' || refund.status === 'canceled';
  return {
    id: refund.id,
    itemId: ownId(refund.metadata?.item),
    amountCents: refund.amount,
    returned,
    failure: returned ? (returnReasons[refund.failure_reason ?? ''] ?? 'The bank gave no reason.') : null,
  };
}

const ended: ReadonlySet<string> = new Set(['succeeded', 'processing', 'canceled']);

/** A decline comes as an error that carries the payment: to us it is a payment that needs another method. */
export async function declinedIsAState(charge: () => Promise<Stripe.PaymentIntent>): Promise<Payment> {
  try {
    return toPayment(await charge());
  } catch (error) {
    const intent =
      error instanceof Error && 'payment_intent' in error
        ? (error.payment_intent as Stripe.PaymentIntent | undefined)
        : null;
    if (!intent) throw error;
    return {
      ...toPayment(intent),
      failure: error instanceof Error ? error.message : null,
      failureCode: error instanceof Error && 'code' in error ? String(error.code) : null,
    };
  }
}

/** An account that may not charge, a customer that is gone: nothing happened, and asking again changes nothing. */
export async function refusedForGood<T>(charge: () => Promise<T>): Promise<T> {
  try {
    return await charge();
  } catch (error) {
    const refused =
      error instanceof Stripe.errors.StripeInvalidRequestError ||
      error instanceof Stripe.errors.StripePermissionError;
    // A key that was used with other contents is a mistake of ours: never to be taken for a refusal.
    if (refused && error.code !== 'idempotency_key_in_use')
      throw new PaymentRefused(error.message, { cause: error });
    throw error;
  }
}
