import Stripe from 'stripe';
import { assertNoTransaction } from '#kernel/db/transaction-context.ts';
import type { Fence } from '#kernel/fence.ts';
import type { HttpClientOptions } from '#kernel/http-client.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { PaymentRefused } from '../../ports/payments.ts';
import { createStripeHttp, underFence } from './http.ts';

export interface StripeOptions {
  secretKey: string;
  /** Signing secrets of our own and of connected accounts' events; during a rotation both old and new. */
  webhookSecrets: readonly string[];
  /** Where the API is: the vendor's, or anything that speaks its protocol. */
  apiBase: string;
  mayAct?: HttpClientOptions['mayAct'];
}

/** The SDK's own limits (checked 2026-11-21): two repeats with the same idempotency key, 20 s a try. */
const maxNetworkRetries = 2;
const timeoutMs = 20_000;
/** Events older than this are refused (the vendor's default tolerance). */
export const webhookToleranceSeconds = 300;

export function createClient(options: StripeOptions): Stripe {
  const base = new URL(options.apiBase);
  return new Stripe(options.secretKey, {
    host: base.hostname,
    port: base.port || (base.protocol === 'https:' ? '443' : '80'),
    protocol: base.protocol === 'https:' ? 'https' : 'http',
    maxNetworkRetries,
    timeout: timeoutMs,
    telemetry: false,
    appInfo: { name: 'Nameward' },
    httpClient: createStripeHttp(base.origin, timeoutMs, options.mayAct),
  });
}

/**
 * Runs one call outside any transaction and translates the SDK's errors: no answer is `UpstreamUnavailable`, a
 * refusal a person can act on is `PaymentRefused`. Others are our own mistakes and stay as they are.
 */
export async function ask<T>(what: string, call: () => Promise<T>): Promise<T> {
  assertNoTransaction(`payments: ${what}`);
  try {
    return await call();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) {
      throw new PaymentRefused(error.message, { cause: error });
    }
    if (
      error instanceof Stripe.errors.StripeConnectionError ||
      error instanceof Stripe.errors.StripeAPIError ||
      error instanceof Stripe.errors.StripeRateLimitError
    ) {
      throw new UpstreamUnavailable(`payments: ${what}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** As `ask`, for what changes something: each try of the SDK goes out only while the claim holds. */
export function act<T>(what: string, fence: Fence, call: () => Promise<T>): Promise<T> {
  return ask(what, () => underFence(fence, call));
}

/** How an account is called that was deleted, disconnected, or never there (checked 2026-11-21). */
const unknownAccountCodes = new Set(['account_invalid', 'resource_missing', 'not_found']);

/**
 * What is asked of one account: that it is not known there is a refusal. `tooEarly`: so is what it cannot do before it is
 * set up, in the provider's words.
 */
export async function askOfAccount<T>(
  what: string,
  call: () => Promise<T>,
  { tooEarly = false } = {},
): Promise<T> {
  try {
    return await ask(what, call);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    // The provider's own text for this one speaks of our key.
    if (unknownAccountCodes.has(error.code ?? '')) {
      throw new PaymentRefused('The payment provider does not know this account any more.', { cause: error });
    }
    if (tooEarly && error instanceof Stripe.errors.StripeInvalidRequestError) {
      throw new PaymentRefused(error.message, { cause: error });
    }
    throw error;
  }
}

/** null for an object that does not exist. */
export async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing')
      return null;
    throw error;
  }
}
