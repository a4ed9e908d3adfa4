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
  const thin = isThin(rawBody);
  for (const secret of secrets) {
    try {
      // Each of the SDK's two readers refuses the other's events (SDK 23.1.0, checked 2026-11-21).
      return toEvent(
        thin
          ? stripe.parseEventNotification(rawBody, signature, secret, webhookToleranceSeconds)
          : stripe.webhooks.constructEvent(rawBody, signature, secret, webhookToleranceSeconds),
      );
    } catch {
      // The next secret may fit; which check failed is nobody's business.
    }
  }
  throw new InvalidWebhook('signature or age does not fit');
}

function isThin(rawBody: Buffer): boolean {
  try {
    return (JSON.parse(rawBody.toString('utf8')) as { object?: unknown } | null)?.object === 'v2.core.event';
  } catch {
    return false;
  }
}

interface Referencing {
  id?: string;
  object?: string;
  payment_intent?: string | { id: string } | null;
  customer?: string | { id: string } | null;
  payment_method?: string | { id: string } | null;
}

/** What both kinds of events have in common, as they come. */
interface Told {
  id: string;
  type: string;
  account?: string;
  created: number | string;
  data?: { object?: Referencing; previous_attributes?: Referencing };
  related_object?: { id?: string } | null;
}

/** Snapshot events carry the object, thin events a reference to it. */
export function toEvent(event: Stripe.Event | Stripe.V2.Core.EventNotification): PaymentEvent {
  const told = event as unknown as Told;
  const object = told.data?.object ?? {};
  const objectId = object.id ?? told.related_object?.id ?? null;
  // A method that was detached names the customer it belonged to as a former value.
  const customer = object.customer ?? told.data?.previous_attributes?.customer ?? null;
  return {
    id: told.id,
    type: told.type,
    account: told.account ?? null,
    objectId,
    paymentId: object.object === 'payment_intent' ? objectId : idOf(object.payment_intent ?? null),
    customerId: object.object === 'customer' ? objectId : idOf(customer),
    paymentMethodId: object.object === 'payment_method' ? objectId : idOf(object.payment_method ?? null),
    createdAt: typeof told.created === 'number' ? new Date(told.created * 1000) : new Date(told.created),
  };
}
