import { type Db, type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { WebhookEventsTable } from '#kernel/db/schema.ts';
import type { PaymentEvent } from '../../ports/payments.ts';

/** The provider's events, as they came; the job applies them. */
export type StoredEvent = Selectable<WebhookEventsTable>;

/** Stores events, each once; the ids of those that were new. */
export async function insertEvents(tx: Tx, events: readonly PaymentEvent[]): Promise<Set<string>> {
  const stored = await tx
    .insertInto('webhook_events')
    .values(
      events.map(({ id, type, account, objectId, paymentId, customerId, paymentMethodId }) => ({
        id,
        type,
        account,
        object_id: paymentId ?? objectId,
        payload: JSON.stringify({ customerId, paymentMethodId }),
        applied_at: null,
        last_error: null,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return new Set(stored.map((row) => row.id));
}

const unapplied = (systemDb: Db) =>
  systemDb.selectFrom('webhook_events').selectAll().where('applied_at', 'is', null);

/** What waits, the oldest first, without these. */
export function waitingEvents(
  systemDb: Db,
  { maxAttempts, limit, without }: { maxAttempts: number; limit: number; without: readonly string[] },
): Promise<StoredEvent[]> {
  return unapplied(systemDb)
    .where('attempts', '<', maxAttempts)
    .$if(without.length > 0, (select) => select.where('id', 'not in', [...without]))
    .orderBy('received_at')
    .limit(limit)
    .execute();
}

/**
 * What the job should have applied by now, whatever the number of its tries. What was tried least comes first: events that can never be
 * applied keep no others out.
 */
export function lateEvents(systemDb: Db, limit: number): Promise<StoredEvent[]> {
  return unapplied(systemDb)
    .where('received_at', '<', sql<Date>`now() - interval '1 minute'`)
    .orderBy('attempts')
    .orderBy('received_at')
    .limit(limit)
    .execute();
}

export function waitingEvent(systemDb: Db, id: string): Promise<StoredEvent | undefined> {
  return unapplied(systemDb).where('id', '=', id).executeTakeFirst();
}

/** One try more; `error` null: it is applied. */
export async function noteTry(
  systemDb: Db,
  ids: readonly string[],
  outcome: { error: string | null; now: Date },
): Promise<void> {
  await systemDb
    .updateTable('webhook_events')
    .set((eb) => ({
      attempts: eb('attempts', '+', 1),
      last_error: outcome.error,
      ...(outcome.error === null ? { applied_at: outcome.now } : {}),
    }))
    .where('id', 'in', [...ids])
    .execute();
}
