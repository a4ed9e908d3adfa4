import { openItemStates } from '#contracts/values/order-states.ts';
import { later, sql, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import type { OrderSource } from './checkout.rules.ts';
import type { ItemDetails } from './item.ts';
import type { PricedLine } from './lines.ts';

/** The order that the same key made before, with its stored reply once there is one. */
export async function requestUnder(tx: Tx, scope: Scope, key: string) {
  const row = await tx
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'reply', 'order_id'])
    .where('organisation_id', '=', scope.organisationId)
    .where('user_id', '=', scope.userId)
    .where('operation', '=', 'orders.purchase')
    .where('key', '=', key)
    .executeTakeFirst();
  return row && { hash: row.request_hash, reply: row.reply ?? null, orderId: row.order_id };
}

/** Whether a renewal of this name was completed since then. */
export async function wasRenewed(tx: Tx, address: string, since: Date): Promise<boolean> {
  const renewed = await tx
    .selectFrom('order_items')
    .select('id')
    .where('kind', '=', 'renewal')
    .where('address', '=', address)
    .where('state', '=', 'succeeded')
    .where('updated_at', '>', since)
    .limit(1)
    .executeTakeFirst();
  return renewed !== undefined;
}

/** Spelled out, as the index of open items has them: a plan that is kept can use it. */
const openStates = openItemStates.map((state) => sql.lit(state));

/** Open items of the organisation at these addresses. */
export function openItemsAt(tx: Tx, scope: Scope, addresses: readonly string[]) {
  return tx
    .selectFrom('order_items')
    .select(['id', 'kind', 'address'])
    .where('organisation_id', '=', scope.organisationId)
    .where('state', 'in', openStates)
    .where('address', 'in', [...addresses])
    .execute();
}

/** Null: there is no limit for this person. */
export async function dailyLimitCents(tx: Tx, userId: string): Promise<number | null> {
  const user = await tx
    .selectFrom('users')
    .select('daily_limit_cents')
    .where('id', '=', userId)
    .executeTakeFirst();
  return user?.daily_limit_cents ?? null;
}

/**
 * What a person has ordered since then, the declined left out. Serialises this person's purchases: two at once must not
 * both see room for one.
 */
export async function lockedSpentCents(tx: Tx, userId: string, since: Date): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${userId}, 0))`.execute(tx);
  const spent = await tx
    .selectFrom('order_items as i')
    .innerJoin('orders as o', 'o.id', 'i.order_id')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('i.price_cents'), sql<number>`0`).as('cents'))
    .where('o.user_id', '=', userId)
    .where('o.created_at', '>=', since)
    .where('i.state', '<>', 'declined')
    .executeTakeFirstOrThrow();
  return Number(spent.cents);
}

export interface NewOrder {
  id: string;
  organisationId: string;
  /** Null: a job ordered it. */
  userId: string | null;
  source: OrderSource;
  totalCents: number;
  /** Running items of others that this order follows. */
  attached: string[];
  items: readonly NewItem[];
  now: Date;
}

export interface NewItem {
  id: string;
  line: Pick<PricedLine, 'kind' | 'address' | 'customerId' | 'years' | 'priceCents' | 'costCents'>;
  details: ItemDetails;
  secretsSealed: Buffer | null;
  /** Of a renewal: the year in which the name expires before it. */
  expiryYear: number | null;
  firstLookAt: Date;
}

/** Writes them with what the transaction asks next. */
export async function insertOrder(tx: Tx, order: NewOrder): Promise<void> {
  const isEmpty = order.items.length === 0;
  await later(
    tx,
    tx.insertInto('orders').values({
      id: order.id,
      organisation_id: order.organisationId,
      user_id: order.userId,
      source: order.source,
      state: isEmpty ? 'settled' : 'held',
      total_cents: order.totalCents,
      attached: order.attached,
      created_at: order.now,
      ended_at: isEmpty ? order.now : null,
    }),
  );
  if (isEmpty) return;
  const rows = order.items.map((item, position) => itemRow(order, item, position));
  await later(tx, tx.insertInto('order_items').values(rows));
}

function itemRow(order: NewOrder, item: NewItem, position: number) {
  const { line } = item;
  return {
    id: item.id,
    organisation_id: order.organisationId,
    order_id: order.id,
    position,
    kind: line.kind,
    address: line.address,
    customer_id: line.customerId,
    years: line.years,
    price_cents: line.priceCents,
    cost_cents: line.costCents,
    details: JSON.stringify(item.details),
    secrets_sealed: item.secretsSealed,
    state: 'queued' as const,
    expiry_year: item.expiryYear,
    next_check_at: item.firstLookAt,
    created_at: order.now,
    updated_at: order.now,
  };
}
