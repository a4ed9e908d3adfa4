import type { Payments } from '../../ports/payments.ts';
import type { StripeOptions } from './client.ts';

export type { StripeOptions };

/** The payment provider. Its SDK takes some megabytes, so it is there from the first call on. */
export function createStripe(options: StripeOptions): Payments {
  let payments: Payments | undefined;
  async function opened(): Promise<Payments> {
    const { createPayments } = await import('./payments.ts');
    payments ??= createPayments(options);
    return payments;
  }
  return {
    createCustomer: async (...given) => (await opened()).createCustomer(...given),
    createTopUp: async (...given) => (await opened()).createTopUp(...given),
    chargeStored: async (...given) => (await opened()).chargeStored(...given),
    payment: async (...given) => (await opened()).payment(...given),
    cancelPayment: async (...given) => (await opened()).cancelPayment(...given),
    async *paymentsSince(...given) {
      yield* (await opened()).paymentsSince(...given);
    },
    verifyWebhook: async (...given) => (await opened()).verifyWebhook(...given),
    async *eventsSince(...given) {
      yield* (await opened()).eventsSince(...given);
    },
    createAccount: async (...given) => (await opened()).createAccount(...given),
    accountStatus: async (...given) => (await opened()).accountStatus(...given),
    accountSetupLink: async (...given) => (await opened()).accountSetupLink(...given),
    dashboardLink: async (...given) => (await opened()).dashboardLink(...given),
    createConnectedCustomer: async (...given) => (await opened()).createConnectedCustomer(...given),
    setupSession: async (...given) => (await opened()).setupSession(...given),
    connectedPaymentMethods: async (...given) => (await opened()).connectedPaymentMethods(...given),
    connectedMandate: async (...given) => (await opened()).connectedMandate(...given),
    chargeConnected: async (...given) => (await opened()).chargeConnected(...given),
    retryConnected: async (...given) => (await opened()).retryConnected(...given),
    findConnected: async (...given) => (await opened()).findConnected(...given),
    connectedPayment: async (...given) => (await opened()).connectedPayment(...given),
    refundConnected: async (...given) => (await opened()).refundConnected(...given),
    connectedRefunds: async (...given) => (await opened()).connectedRefunds(...given),
  };
}
