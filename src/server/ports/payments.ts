import type { Fence } from '#kernel/fence.ts';

/**
 * The payment provider as the product sees it. Amounts are integer US cents. Every act takes an idempotency key
 * of ours, so that a repeat after a lost answer is the same act, and a fence: the claim under which it is made, asked for
 * right before the wire (design: fences).
 */
export interface Payments {
  createCustomer(
    input: {
      organisationId: string;
      email: string;
      name: string;
      idempotencyKey: string;
    },
    fence: Fence,
  ): Promise<string>;
  /** A payment that the person completes in the browser with the returned secret. Bank account first, then card. */
  createTopUp(
    input: {
      topupId: string;
      organisationId: string;
      customer: string;
      amountCents: number;
      idempotencyKey: string;
    },
    fence: Fence,
  ): Promise<Payment & { clientSecret: string }>;
  /** Charges a stored payment method without the person. Declines come back as a state, not as an error. */
  chargeStored(
    input: {
      topupId: string;
      organisationId: string;
      customer: string;
      paymentMethod: string;
      amountCents: number;
      idempotencyKey: string;
    },
    fence: Fence,
  ): Promise<Payment>;
  /** Reads the payment again: the only source from which money is ever credited. */
  payment(id: string): Promise<Payment | null>;
  /** Cancels an unfinished payment; returns what it is now. */
  cancelPayment(id: string, fence: Fence): Promise<Payment>;
  /** Payments created since, newest first, each as `payment` reads it; for sweeps and comparisons. */
  paymentsSince(since: Date): AsyncIterable<Payment>;
  /** Verifies signature and age over the raw bytes. Throws `InvalidWebhook`. */
  verifyWebhook(rawBody: Buffer, signature: string): Promise<PaymentEvent>;
  /** Events since, oldest first, for sweeps after lost webhooks: our own, or those of one connected account. */
  eventsSince(since: Date, accountId?: string): AsyncIterable<PaymentEvent>;

  /** The MSP's own account at the provider (Express dashboard). */
  createAccount(
    input: {
      organisationId: string;
      email: string;
      name: string;
      idempotencyKey: string;
    },
    fence: Fence,
  ): Promise<string>;
  accountStatus(accountId: string): Promise<PaymentAccount>;
  /** One-time address of the hosted set-up; lives minutes, made on click, never stored. */
  accountSetupLink(input: { accountId: string; returnUrl: string; refreshUrl: string }): Promise<string>;
  /** One-time address of the provider's dashboard. */
  dashboardLink(accountId: string): Promise<string>;

  /** End customers on the MSP's account (direct billing). */
  createConnectedCustomer(
    input: {
      accountId: string;
      customerId: string;
      email: string;
      name: string;
      idempotencyKey: string;
    },
    fence: Fence,
  ): Promise<string>;
  /** Hosted page on which the end customer stores a payment method. */
  setupSession(input: {
    accountId: string;
    connectedCustomer: string;
    successUrl: string;
    cancelUrl: string;
  }): Promise<string>;
  /** Stored methods, newest first. */
  connectedPaymentMethods(accountId: string, connectedCustomer: string): Promise<string[]>;
  /** A bank's consent to debits: which method it is for, and whether it still stands. */
  connectedMandate(
    accountId: string,
    mandateId: string,
  ): Promise<{ active: boolean; paymentMethod: string | null }>;
  /**
   * Charges a stored method of an end customer without the person, to the MSP's account. Declines come back as a
   * state; `PaymentRefused` when the provider will not take the charge at all.
   */
  chargeConnected(
    input: {
      accountId: string;
      connectedCustomer: string;
      paymentMethod: string;
      amountCents: number;
      description: string;
      metadata: Record<string, string>;
      idempotencyKey: string;
    },
    fence: Fence,
  ): Promise<Payment>;
  /**
   * The same payment once more, after a decline: it can succeed once only. `amountCents` is what is owed now, which
   * may have become less.
   */
  retryConnected(
    input: {
      accountId: string;
      paymentId: string;
      paymentMethod: string;
      amountCents: number;
      idempotencyKey: string;
    },
    fence: Fence,
  ): Promise<Payment>;
  /** The newest payment since then that carries a charge's id in its metadata: what became of a charge whose answer was lost. */
  findConnected(
    accountId: string,
    connectedCustomer: string,
    of: { chargeId: string; since: Date },
  ): Promise<Payment | null>;
  connectedPayment(accountId: string, id: string): Promise<Payment | null>;
  /**
   * Gives an end customer back what was charged for one item; the refund's id. `PaymentRefused` when the provider
   * will not, e.g. because the MSP has given it back itself.
   */
  refundConnected(
    input: {
      accountId: string;
      paymentId: string;
      amountCents: number;
      itemId: string;
      idempotencyKey: string;
    },
    fence: Fence,
  ): Promise<string>;
  /** What went back of a payment, or was to: ours carry the item's id, the MSP's own (on its dashboard) none. */
  connectedRefunds(accountId: string, paymentId: string): Promise<PaymentRefund[]>;
}

export interface PaymentRefund {
  id: string;
  itemId: string | null;
  amountCents: number;
  /** Made, and taken back since, by the customer's bank for the most part: the money is with the MSP again. */
  returned: boolean;
  /** Why it was returned, fit to show. */
  failure: string | null;
}

export interface Dispute {
  cents: number;
  /** By the provider's clock. */
  createdAt: Date;
}

export interface Payment {
  id: string;
  state: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'cancelled';
  amountCents: number;
  /** What the provider kept, when it is known. */
  feeCents: number | null;
  /** What went back by refund or dispute. */
  reversedCents: number;
  /** Disputes that have some of that now; null: they were not read. An inquiry and an early warning of fraud have nothing. */
  disputes: readonly Dispute[] | null;
  method: 'card' | 'us_bank_account' | null;
  paymentMethod: string | null;
  /** Fit to show, e.g. "Your card was declined." */
  failure: string | null;
  failureCode: string | null;
  createdAt: Date;
  /** From our metadata; null for a payment that is none of ours. */
  topupId: string | null;
  organisationId: string | null;
  /** Of a direct charge. */
  chargeId: string | null;
}

export interface PaymentAccount {
  id: string;
  finished: boolean;
  /** What the provider still wants, in its words. */
  requirements: string[];
  billingAddress: {
    name: string | null;
    line1: string | null;
    line2: string | null;
    city: string | null;
    state: string | null;
    postalCode: string | null;
    country: string | null;
  };
}

export interface PaymentEvent {
  id: string;
  type: string;
  /** Connected account the event is about; null for our own. */
  account: string | null;
  objectId: string | null;
  /** The payment the object belongs to, where it is not the object itself (disputes, refunds). */
  paymentId: string | null;
  /** The provider's customer and payment method that the object belongs to, where it says so. */
  customerId: string | null;
  paymentMethodId: string | null;
  createdAt: Date;
}

export class InvalidWebhook extends Error {
  override readonly name = 'InvalidWebhook';
}

/** The provider refused for a reason a person can act on. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
}
