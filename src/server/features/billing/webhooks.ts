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
  /** Anything on a connected account: its own state, its customers' payment methods. */
  connectedAccount?: (accountId: string, event: { type: string; objectId: string | null }) => Promise<void>;
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
          payload: JSON.stringify({ objectId: event.objectId, paymentId: event.paymentId }),
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
    if (event.account) {
      await deps.listeners.connectedAccount?.(event.account, { type: event.type, objectId: event.object_id });
    } else if (event.object_id) {
      await applyToPayment(event.type, event.object_id);
    }
    failpoint('webhook.applied');
    await systemDb
      .updateTable('webhook_events')
      .set({ applied_at: clock.now() })
      .where('id', '=', eventId)
      .execute();
  }

  async function applyToPayment(type: string, objectId: string): Promise<void> {
    if (type.startsWith('v2.') || type.startsWith('account.') || type === 'capability.updated') {
      await deps.listeners.connectedAccount?.(objectId, { type, objectId });
      return;
    }
    const payment = await payments.payment(objectId).catch((error: unknown) => {
      // An object that is no payment (a payment method, a customer) is none of the wallet's business.
      if (!/^(pi|py)_/.test(objectId)) return null;
      throw error;
    });
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
