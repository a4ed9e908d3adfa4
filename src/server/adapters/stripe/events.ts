import type Stripe from 'stripe';
import { InvalidWebhook, type PaymentEvent } from '../../ports/payments.ts';
import { webhookToleranceSeconds } from './client.ts';
import { idOf } from './payment.ts';

/** Verifies signature and age over the raw bytes, against each secret in use. */
export function verifyEvent(
  stripe: Stripe,
  secrets: readonly string[],
  rawBody: Buffer,
  signature: string,
): PaymentEvent {
  for (const secret of secrets) {
    try {
      return toEvent(stripe.webhooks.constructEvent(rawBody, signature, secret, webhookToleranceSeconds));
    } catch {
      // The next secret may fit; which check failed is nobody's business.
    }
  }
  throw new InvalidWebhook('signature or age does not fit');
}

interface Referencing {
  id?: string;
  object?: string;
  payment_intent?: string | { id: string } | null;
}

/** Snapshot events carry the object, thin events a reference to it. */
export function toEvent(event: Stripe.Event): PaymentEvent {
  const thin = event as unknown as { related_object?: { id?: string } | null; created: number | string };
  const object = (event.data?.object ?? {}) as Referencing;
  const objectId = object.id ?? thin.related_object?.id ?? null;
  return {
    id: event.id,
    type: event.type,
    account: event.account ?? null,
    objectId,
    paymentId: object.object === 'payment_intent' ? objectId : idOf(object.payment_intent ?? null),
    createdAt: typeof thin.created === 'number' ? new Date(thin.created * 1000) : new Date(thin.created),
  };
}
