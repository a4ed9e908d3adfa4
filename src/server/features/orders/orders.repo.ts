import type { Order } from '#contracts/operations/orders.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { patternOf } from '#kernel/db/search.ts';
import type { Scope } from '#kernel/scope.ts';
import { type Item, toItem } from './item.ts';

/** Items of an order and those it attached to, in the order of the cart. */
export async function itemsOfOrder(tx: Tx, scope: Scope, orderId: string): Promise<Item[]> {
  const rows = await tx
    .selectFrom('order_items')
    .selectAll()
    .where('organisation_id', '=', scope.organisationId)
    .where(
      // One value: with a set of rows in its place, the database reads the items of every organization.
      sql<boolean>`(order_id = ${orderId} OR id = ANY ((
        SELECT attached FROM orders WHERE id = ${orderId} AND organisation_id = ${scope.organisationId})::uuid[]))`,
    )
    .orderBy('position')
    .execute();
  return rows.map(toItem);
}

/** The order that was placed under a person's key, with its reply once that was given. */
export async function placedUnder(
  tx: Tx,
  scope: Scope,
  key: string,
): Promise<{ orderId: string; reply: unknown } | null> {
  const row = await tx
    .selectFrom('idempotency_keys')
    .select(['order_id', 'reply'])
    .where('organisation_id', '=', scope.organisationId)
    .where('user_id', '=', scope.userId)
    .where('operation', '=', 'orders.purchase')
    .where('key', '=', key)
    .executeTakeFirst();
  return row?.order_id ? { orderId: row.order_id, reply: row.reply ?? null } : null;
}

/** Who ordered, when no person did. */
const jobNames: Readonly<Record<string, string>> = { auto_renew: 'Auto renew', acme: 'ACME' };

export interface OrderListQuery {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
  open?: boolean | undefined;
  id?: string;
}

export async function listOrders(
  tx: Tx,
  scope: Scope,
  query: OrderListQuery,
): Promise<{ rows: Order[]; total: number }> {
  let select = tx.selectFrom('orders as o').where('o.organisation_id', '=', scope.organisationId);
  if (query.id) select = select.where('o.id', '=', query.id);
  if (query.open !== undefined) {
    select = select.where('o.state', query.open ? 'in' : 'not in', ['held', 'running']);
  }
  const pattern = patternOf(query.search);
  if (pattern) {
    select = select.where((eb) =>
      eb.exists(
        eb
          .selectFrom('order_items as i')
          .select('i.id')
          .whereRef('i.order_id', '=', 'o.id')
          .where('i.organisation_id', '=', scope.organisationId)
          .where('i.address', 'like', pattern),
      ),
    );
  }
  const descending = !query.sort || query.sort.startsWith('-');
  const column = query.sort?.replace('-', '') === 'total' ? 'o.total_cents' : 'o.created_at';
  const before = ((query.page ?? 1) - 1) * query.pageSize;
  const [{ total }, orders] = await Promise.all([
    select.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    select
      .leftJoin('users as u', 'u.id', 'o.user_id')
      .select(['o.id', 'o.state', 'o.total_cents', 'o.created_at', 'o.source', 'o.attached', 'u.email'])
      .orderBy(column, descending ? 'desc' : 'asc')
      .orderBy('o.id', 'desc')
      // Limit and offset as values would have each page planned again (decision 308).
      .limit(sql.lit(query.pageSize))
      .$if(before > 0, (all) => all.offset(before))
      .execute(),
  ]);
  const items = await itemsFor(tx, scope, orders);
  return {
    total,
    rows: orders.map((order) => {
      const own = items.filter((item) => item.order_id === order.id || order.attached.includes(item.id));
      return {
        orderId: order.id,
        state: order.state,
        total: centsToUsd(order.total_cents),
        charged: centsToUsd(
          own
            .filter((item) => item.order_id === order.id && item.state === 'succeeded')
            .reduce((sum, item) => sum + item.price_cents - item.refunded_cents, 0),
        ),
        createdAt: order.created_at.toISOString(),
        by: jobNames[order.source] ?? order.email ?? '',
        items: own.map((item) => ({
          itemId: item.id,
          kind: item.kind,
          address: item.address,
          customerId: item.customer_id,
          customer: item.organization ?? '',
          period: item.years,
          price: centsToUsd(item.price_cents),
          refunded: centsToUsd(item.refunded_cents),
          state: item.state,
          error: item.public_error,
          registrarOrderId: item.registrar_order_id,
          orderId: item.order_id,
          updatedAt: item.updated_at.toISOString(),
          nextCheckAt: item.next_check_at?.toISOString() ?? null,
        })),
      };
    }),
  };
}

/**
 * What the ledger gave back for an item, once at most. By the entry's reference: of the items of a page, almost none has one, and
 * its index says so without a row being read.
 */
const refundedCents = sql<number>`coalesce((
  SELECT sum(p.cents) FROM journal j JOIN postings p ON p.journal_id = j.id AND p.organisation_id = j.organisation_id
  WHERE i.state = 'succeeded' AND j.ref = 'item:' || i.id || ':refund' AND j.organisation_id = i.organisation_id
    AND p.account = 'wallet'), 0)::bigint`;

function itemsFor(tx: Tx, scope: Scope, orders: readonly { id: string; attached: string[] }[]) {
  const orderIds = orders.map((order) => order.id);
  const attached = orders.flatMap((order) => order.attached);
  return tx
    .selectFrom('order_items as i')
    .leftJoin('customers as c', 'c.id', 'i.customer_id')
    .selectAll('i')
    .select(['c.organization', refundedCents.as('refunded_cents')])
    .where('i.organisation_id', '=', scope.organisationId)
    .where(
      sql<boolean>`(i.order_id = any(${sql.val(orderIds)}::uuid[]) OR i.id = any(${sql.val(attached)}::uuid[]))`,
    )
    .orderBy('i.position')
    .execute();
}
