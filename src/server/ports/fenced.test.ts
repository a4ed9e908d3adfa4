import { expect, test } from 'vitest';
import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from './outcome.ts';
import type { Payments } from './payments.ts';
import type { Registrar } from './registrar.ts';

/** Functions of a port that change something and take no fence: none, or this file does not compile. */
type Unfenced<P, Reads extends keyof P> = {
  [K in Exclude<keyof P, Reads>]: P[K] extends (...given: infer A) => unknown
    ? A extends [...unknown[], Fence]
      ? never
      : K
    : never;
}[Exclude<keyof P, Reads>];

/** Functions whose answer is an outcome: they change something, whatever they are called. */
type Acts<P> = {
  [K in keyof P]: P[K] extends (...given: never[]) => Promise<Outcome<unknown>> ? K : never;
}[keyof P];

/** What a port only reads. A function that is new has to be named here, or to take a fence. */
type RegistrarReads =
  | ('lookup' | 'suggest' | 'quote' | 'balance' | 'domain' | 'ordersFor' | 'order' | 'expiring')
  | (
      | 'dsRecords'
      | 'checkTransfer'
      | 'transferStatus'
      | 'transfersSince'
      | 'authCode'
      | 'glue'
      | 'zone'
      | 'verification'
      | 'parseCsr'
    )
  | (
      | 'approverEmails'
      | 'seekOrder'
      | 'seekCertificateOrder'
      | 'certificateOrder'
      | 'certificateOrdersFor'
      | 'certificate'
      | 'events'
    );
type PaymentReads =
  | ('payment' | 'paymentsSince' | 'verifyWebhook' | 'eventsSince' | 'accountStatus')
  | ('connectedPaymentMethods' | 'connectedMandate' | 'findConnected' | 'connectedPayment')
  | 'connectedRefunds'
  // Addresses of the provider's pages: made on click, opened once, and nothing changes until a person does something there.
  | ('accountSetupLink' | 'dashboardLink' | 'setupSession');

const isNever = <T>(_proof: [T] extends [never] ? true : false) => true;

test('every write of the registrar and of the payment provider takes a fence: the compiler says so', () => {
  expect(isNever<Unfenced<Registrar, RegistrarReads>>(true)).toBe(true);
  expect(isNever<Unfenced<Payments, PaymentReads>>(true)).toBe(true);
  expect(isNever<Extract<Acts<Registrar>, RegistrarReads>>(true)).toBe(true);
});
