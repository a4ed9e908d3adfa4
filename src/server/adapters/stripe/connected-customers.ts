import type Stripe from 'stripe';
import type { Payments } from '../../ports/payments.ts';
import { act, ask } from './client.ts';
import { idOf } from './payment.ts';

type ConnectedCustomers = Pick<
  Payments,
  'createConnectedCustomer' | 'setupSession' | 'connectedPaymentMethods' | 'connectedMandate'
>;

/** End customers on a connected account, and the methods that they store there. */
export function connectedCustomers(stripe: Stripe): ConnectedCustomers {
  return {
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

    connectedPaymentMethods: (accountId, connectedCustomer) =>
      ask('list payment methods', async () => {
        const list = await stripe.paymentMethods.list(
          { customer: connectedCustomer, limit: 10 },
          { stripeAccount: accountId },
        );
        return list.data.map((method) => method.id);
      }),

    connectedMandate: (accountId, mandateId) =>
      ask('read mandate', async () => {
        const mandate = await stripe.mandates.retrieve(mandateId, {}, { stripeAccount: accountId });
        return { active: mandate.status === 'active', paymentMethod: idOf(mandate.payment_method) };
      }),
  };
}
