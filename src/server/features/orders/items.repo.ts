import type { Clock } from '#kernel/clock.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { OrderItemState } from '#kernel/db/schema.ts';
import { leftMsOf, readSharedNow, sharedNow } from '#kernel/db/time.ts';
import { hashOf } from '#kernel/ids.ts';
import { type Item, toItem } from './item.ts';

/** With the database's time at which it was read. */
export type SeenItem = Item & { seenAt: Date };

export async function findItem(tx: Tx, clock: Clock, itemId: string): Promise<SeenItem | null> {
  const row = await tx
    .selectFrom('order_items')
    .selectAll()
    .select(sharedNow(clock).as('seen_at'))
    .where('id', '=', itemId)
    .executeTakeFirst();
  return row ? { ...toItem(row), seenAt: row.seen_at } : null;
}

/** Claims a queued item for one attempt, with a hash of what will be sent; null when another was first. */
export async function claimItem(
  tx: Tx,
  item: Item,
  times: { now: Date; limitMs: number },
): Promise<Item | null> {
  const { kind, address, years, details } = item;
  const claimed = await tx
    .updateTable('order_items')
    .set((eb) => ({
      state: 'sending' as const,
      attempt: eb('attempt', '+', 1),
      sent_at: times.now,
      updated_at: times.now,
      intent_hash: hashOf({ kind, address, years, details }),
      next_check_at: new Date(times.now.getTime() + times.limitMs),
    }))
    .where('id', '=', item.id)
    .where('state', '=', 'queued')
    .returningAll()
    .executeTakeFirst();
  if (!claimed) return null;
  await tx
    .updateTable('orders')
    .set({ state: 'running' })
    .where('id', '=', item.orderId)
    .where('state', '=', 'held')
    .execute();
  return toItem(claimed);
}

/** How long an item is still this attempt's, by the database's clock; at most 0 when it is not. */
export async function claimLeftMs(tx: Tx, clock: Clock, item: Item, limitMs: number): Promise<number> {
  const row = await tx
    .selectFrom('order_items')
    .select(leftMsOf(clock, sql.ref('sent_at'), limitMs).as('left'))
    .where('id', '=', item.id)
    .where('state', '=', 'sending')
    .where('attempt', '=', item.attempt)
    .executeTakeFirst();
  return row?.left ?? 0;
}

/** Moves an item on from one of these states, and this attempt; false when it had moved already. */
export async function moveItem(
  tx: Tx,
  item: Item,
  from: readonly OrderItemState[],
  move: {
    to: OrderItemState;
    now: Date;
    registrarOrderId?: string | null;
    publicError?: string | null;
    note?: string | null;
    nextCheckAt?: Date | null;
    unknownSince?: Date | null;
    checks?: number;
  },
): Promise<boolean> {
  const result = await tx
    .updateTable('order_items')
    .set({
      state: move.to,
      updated_at: move.now,
      next_check_at: move.nextCheckAt ?? null,
      ...(move.registrarOrderId === undefined ? {} : { registrar_order_id: move.registrarOrderId }),
      ...(move.publicError === undefined ? {} : { public_error: move.publicError }),
      ...(move.note === undefined ? {} : { outcome_note: move.note }),
      ...(move.unknownSince === undefined ? {} : { unknown_since: move.unknownSince }),
      ...(move.checks === undefined ? {} : { checks: move.checks }),
    })
    .where('id', '=', item.id)
    .where('state', 'in', [...from])
    // An attempt that was given up may answer late: it must not end a newer one.
    .where('attempt', '=', item.attempt)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The states of an order's items. Locks the order: of two items that end at once, the later one sees the earlier. */
export async function lockedStates(tx: Tx, orderId: string): Promise<OrderItemState[]> {
  await tx.selectFrom('orders').select('id').where('id', '=', orderId).forUpdate().execute();
  const rows = await tx.selectFrom('order_items').select('state').where('order_id', '=', orderId).execute();
  return rows.map(({ state }) => state);
}

export async function endOrder(
  tx: Tx,
  orderId: string,
  state: 'settled' | 'partial' | 'failed',
  now: Date,
): Promise<void> {
  await tx
    .updateTable('orders')
    .set({ state, ended_at: now })
    .where('id', '=', orderId)
    .where('state', 'in', ['held', 'running'])
    .execute();
}

/** Across tenants: items whose time has come. Their next look is pushed away, so that two sweepers take no item twice. */
export async function takeDueItems(
  tx: Tx,
  clock: Clock,
  limit: number,
): Promise<{ id: string; organisationId: string }[]> {
  const now = await readSharedNow(tx, clock);
  const rows = await tx
    .selectFrom('order_items')
    .select(['id', 'organisation_id as organisationId'])
    .where('state', 'in', ['queued', 'sending', 'pending', 'unknown'])
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  if (rows.length === 0) return rows;
  const ids = rows.map(({ id }) => id);
  const nextCheckAt = new Date(now.getTime() + 60_000);
  await tx.updateTable('order_items').set({ next_check_at: nextCheckAt }).where('id', 'in', ids).execute();
  return rows;
}

/** A completed certificate of ours that may be paid back. */
export async function paidCertificate(tx: Tx, item: { organisationId: string; itemId: string }) {
  const row = await tx
    .selectFrom('order_items')
    .select(['address', 'price_cents', 'customer_id'])
    .where('organisation_id', '=', item.organisationId)
    .where('id', '=', item.itemId)
    .where('kind', '=', 'certificate')
    .where('state', '=', 'succeeded')
    .executeTakeFirst();
  return row && { address: row.address, priceCents: row.price_cents, customerId: row.customer_id };
}
