import { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, sql, systemTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import { InvalidWebhook, type PaymentEvent, type Payments } from '../../ports/payments.ts';
import type { createTopups } from './topups.service.ts';

/** Things besides payments that an event can be about; each is re-read by who knows it. */
export interface EventListeners {
  /** Payments, customers and payment methods of a connected account. */
  connected?: (accountId: string, event: ConnectedNews) => Promise<void>;
  /** The state of a connected account itself. */
  account?: (accountId: string, event: { type: string }) => Promise<void>;
}

/** What the event named; everything is read again. */
export interface ConnectedNews {
  type: string;
  objectId: string | null;
  customerId: string | null;
  paymentMethodId: string | null;
}

export interface WebhookDeps {
  systemDb: Db;
  payments: Payments;
  topups: Pick<ReturnType<typeof createTopups>, 'refresh'>;
  listeners: EventListeners;
  clock: Clock;
  logger: Logger;
}

/** Tries before an event waits for the sweep. */
const maxAttempts = 10;

/**
 * Events are stored and answered; a job applies them by reading again what they are about. Duplicates, any order,
 * delays and losses change nothing.
 */
export function createWebhooks(deps: WebhookDeps) {
  const { systemDb, payments, clock, logger } = deps;

  async function receive(rawBody: Buffer, signature: string): Promise<void> {
    let event: PaymentEvent;
    try {
      event = payments.verifyWebhook(rawBody, signature);
    } catch (error) {
      if (error instanceof InvalidWebhook) throw new AppError('bad_request', { cause: error });
      throw error;
    }
    failpoint('webhook.verified');
    await store(event);
    failpoint('webhook.stored');
  }

  /** Once per event id; the job is enqueued with the row. Returns whether it was new. */
  async function store(event: PaymentEvent): Promise<boolean> {
    return systemTransaction(systemDb, async (tx) => {
      const stored = await tx
        .insertInto('webhook_events')
        .values({
          id: event.id,
          type: event.type,
          account: event.account,
          object_id: event.paymentId ?? event.objectId,
          payload: JSON.stringify({
            customerId: event.customerId,
            paymentMethodId: event.paymentMethodId,
          }),
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (stored.numInsertedOrUpdatedRows !== 1n) return false;
      await enqueueJob(
        tx,
        'billing.apply-event',
        { eventId: event.id },
        { key: `event:${event.id}`, maxAttempts },
      );
      return true;
    });
  }

  /** Applies a stored event. Throws when the provider does not answer: the job comes back. */
  async function apply(eventId: string): Promise<void> {
    const event = await systemDb
      .selectFrom('webhook_events')
      .selectAll()
      .where('id', '=', eventId)
      .where('applied_at', 'is', null)
      .executeTakeFirst();
    if (!event) return;
    await systemDb
      .updateTable('webhook_events')
      .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
      .where('id', '=', eventId)
      .execute();
    const account = accountOf(event);
    if (account) {
      await deps.listeners.account?.(account, { type: event.type });
    } else if (event.account) {
      const named = namedIn.parse(event.payload);
      const news = { type: event.type, objectId: event.object_id, ...named };
      await deps.listeners.connected?.(event.account, news);
    } else if (event.object_id) {
      await applyToPayment(event.object_id);
    }
    failpoint('webhook.applied');
    await systemDb
      .updateTable('webhook_events')
      .set({ applied_at: clock.now() })
      .where('id', '=', eventId)
      .execute();
  }

  async function applyToPayment(objectId: string): Promise<void> {
    // An object that is no payment (a payment method, a customer) is none of the wallet's business.
    if (!/^(pi|py)_/.test(objectId)) return;
    const payment = await payments.payment(objectId);
    if (!payment?.topupId || !payment.organisationId) return;
    await deps.topups.refresh(payment.organisationId, payment.topupId, payment.id);
  }

  /** Finds events that never arrived and stored ones that were never applied. */
  async function sweep(since: Date): Promise<number> {
    let found = 0;
    for await (const event of payments.eventsSince(since)) {
      if (await store(event)) found += 1;
    }
    const open = await systemDb
      .selectFrom('webhook_events')
      .select('id')
      .where('applied_at', 'is', null)
      .where('received_at', '<', sql<Date>`now() - interval '1 minute'`)
      .orderBy('received_at')
      .limit(1_000)
      .execute();
    for (const { id } of open) {
      await apply(id).catch((error: unknown) =>
        logger.warn({ err: error, eventId: id }, 'event not applied'),
      );
    }
    return found;
  }

  return { receive, apply, sweep };
}

const named = z.string().nullable().default(null);
const namedIn = z.object({ customerId: named, paymentMethodId: named });

/** The connected account that an event is about, where it is about the account as such. */
function accountOf(event: { type: string; account: string | null; object_id: string | null }): string | null {
  if (event.type.startsWith('v2.core.account')) return event.account ?? event.object_id;
  if (event.type.startsWith('account.') || event.type === 'capability.updated') {
    return event.account ?? event.object_id;
  }
  return null;
}
