import type { Clock } from '#kernel/clock.ts';
import { later, type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { OrderItemState, OrderItemsTable } from '#kernel/db/schema.ts';
import { leftMsOf, readSharedNow, sharedNow } from '#kernel/db/time.ts';
import { type Item, toItem } from './item.ts';

/** By name, so that a connection prepares the claim (kernel/db/prepared.ts). */
const columns = sql.join(
  (
    [
      ...([
        'id',
        'organisation_id',
        'order_id',
        'position',
        'kind',
        'address',
        'customer_id',
        'years',
      ] as const),
      ...([
        'price_cents',
        'cost_cents',
        'details',
        'secrets_sealed',
        'state',
        'attempt',
        'intent_hash',
      ] as const),
      ...([
        'sent_at',
        'unknown_since',
        'next_check_at',
        'checks',
        'registrar_order_id',
        'expiry_year',
      ] as const),
      ...(['public_error', 'outcome_note', 'created_at', 'updated_at'] as const),
    ] satisfies (keyof OrderItemsTable)[]
  ).map((column) => sql.ref(column)),
);

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

/** With whether another organisation lists the name that is to come here. */
export type ClaimedItem = Item & { listedElsewhere: boolean };

/**
 * Claims a queued item for one attempt, with a hash of what will be sent; null when another was first. One statement, so
 * that claim and intent are there before the call, and nothing without the other.
 */
export async function claimItem(
  tx: Tx,
  clock: Clock,
  itemId: string,
  limitMs: number,
): Promise<ClaimedItem | null> {
  const now = sharedNow(clock);
  const { rows } = await sql<Selectable<OrderItemsTable> & { elsewhere: boolean }>`
    WITH moment AS MATERIALIZED (SELECT ${now} AS now), claimed AS (
      UPDATE order_items SET state = 'sending', attempt = attempt + 1, sent_at = now, updated_at = now,
        intent_hash = encode(sha256(convert_to(jsonb_build_array(kind, address, years, details)::text, 'UTF8')), 'hex'),
        next_check_at = now + ${limitMs} * interval '1 millisecond'
      FROM moment WHERE id = ${itemId} AND state = 'queued' RETURNING ${columns}
    ), begun AS (
      UPDATE orders SET state = 'running' WHERE id IN (SELECT order_id FROM claimed) AND state = 'held'
    )
    SELECT ${columns}, kind IN ('domain', 'transfer') AND listed_elsewhere(address, organisation_id) AS elsewhere
    FROM claimed`.execute(tx);
  return rows[0] ? { ...toItem(rows[0]), listedElsewhere: rows[0].elsewhere } : null;
}

/** What time it is, by the database's clock, and how long an item is still this attempt's then: at most 0 when it is not. */
export async function momentOf(tx: Tx, clock: Clock, item: Item, limitMs: number) {
  const now = sharedNow(clock);
  const { rows } = await sql<{ now: Date; left: number | null }>`SELECT ${now} AS now, (
    SELECT ${leftMsOf(clock, sql.ref('sent_at'), limitMs)} FROM order_items
    WHERE id = ${item.id} AND state = 'sending' AND attempt = ${item.attempt}) AS left`.execute(tx);
  const [moment] = rows;
  if (!moment) throw new Error('the database did not say what time it is');
  return { now: moment.now, leftMs: moment.left ?? 0 };
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
  item: Pick<Item, 'id' | 'attempt'>,
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

/**
 * The states of an order's items. Locks the order, at once: of two items that end at the same time, the later one sees the
 * earlier. It goes before the wallet's row, everywhere.
 */
export async function lockedStates(tx: Tx, orderId: string): Promise<OrderItemState[]> {
  await later(tx, tx.selectFrom('orders').select('id').where('id', '=', orderId).forUpdate());
  const rows = await tx.selectFrom('order_items').select('state').where('order_id', '=', orderId).execute();
  return rows.map(({ state }) => state);
}

export async function endOrder(
  tx: Tx,
  orderId: string,
  state: 'settled' | 'partial' | 'failed',
  now: Date,
): Promise<void> {
  await later(
    tx,
    tx
      .updateTable('orders')
      .set({ state, ended_at: now })
      .where('id', '=', orderId)
      .where('state', 'in', ['held', 'running']),
  );
}

/**
 * Across tenants: items whose time has come, the first of each organization before the second of any. Their next look is pushed
 * away, so that two sweepers take no item twice.
 */
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
    .where(
      'id',
      'in',
      sql<string>`(SELECT id FROM (SELECT id, next_check_at,
          row_number() OVER (PARTITION BY organisation_id ORDER BY next_check_at) AS turn FROM order_items
        WHERE state IN ('queued', 'sending', 'pending', 'unknown') AND next_check_at <= ${now}) due
      ORDER BY turn, next_check_at LIMIT ${limit})`,
    )
    .orderBy('next_check_at')
    .orderBy('id')
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

export async function itemExists(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom('order_items').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}
