import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { patternOf } from '#kernel/db/search.ts';
import { stoppedCustomers, stopsCharges } from '#kernel/db/stopped-charges.ts';
import type { Scope } from '#kernel/scope.ts';
import { disputedAt } from './charges.rules.ts';

export interface ChargeQuery {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
  open?: boolean | undefined;
  /** Those whose dispute stops further charges of their customer. */
  stopping?: boolean | undefined;
  customerId?: string | undefined;
  chargeId?: string | undefined;
}

/** Charges of the organisation with what they are for, newest first unless sorted otherwise. */
export async function listCharges(
  tx: Tx,
  scope: Scope,
  query: ChargeQuery,
): Promise<{ rows: DirectCharge[]; total: number }> {
  let select = tx
    .selectFrom('direct_charges as d')
    .innerJoin('customers as c', 'c.id', 'd.customer_id')
    .where('d.organisation_id', '=', scope.organisationId);
  if (query.chargeId) select = select.where('d.id', '=', query.chargeId);
  if (query.customerId) select = select.where('d.customer_id', '=', query.customerId);
  // A receivable that is being tried again is still one.
  if (query.open !== undefined) {
    select = select.where(
      sql<boolean>`(d.state = 'failed' OR (d.state = 'sending' AND d.attempt > 1)) = ${query.open}`,
    );
  }
  if (query.stopping !== undefined) {
    select = select.where(sql<boolean>`${stopsCharges('d')} = ${query.stopping}`);
  }
  const pattern = patternOf(query.search);
  if (pattern) {
    select = select.where(
      sql<boolean>`(lower(c.organization) LIKE ${pattern} OR EXISTS (SELECT FROM direct_charge_items x
        JOIN order_items i ON i.id = x.item_id WHERE x.charge_id = d.id AND i.address LIKE ${pattern}))`,
    );
  }
  const column = { amount: 'd.cents', customer: 'c.organization', createdAt: 'd.created_at' } as const;
  const name = (query.sort ?? '-createdAt').replace('-', '') as keyof typeof column;
  const [{ total }, rows] = await Promise.all([
    select.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    select
      .leftJoin(stoppedCustomers(scope.organisationId), 'stops.customer_id', 'd.customer_id')
      .selectAll('d')
      .select(['c.organization', 'stops.stopped', stopsCharges('d').as('stops_charges')])
      .orderBy(column[name], (query.sort ?? '-').startsWith('-') ? 'desc' : 'asc')
      .orderBy('d.id', 'desc')
      .limit(query.pageSize)
      .offset(((query.page ?? 1) - 1) * query.pageSize)
      .execute(),
  ]);
  const items = await itemsOf(
    tx,
    rows.map((row) => row.id),
  );
  return {
    total,
    rows: rows.map((row) => ({
      chargeId: row.id,
      customerId: row.customer_id,
      customer: row.organization,
      orderId: row.order_id,
      amount: centsToUsd(row.cents),
      refunded: centsToUsd(row.refunded_cents),
      returned: centsToUsd(row.returned_cents),
      disputed: centsToUsd(row.disputed_cents),
      disputedAt: disputedAt(row)?.toISOString() ?? null,
      stopsCharges: row.stops_charges,
      chargesStopped: row.stopped,
      state: row.state,
      error: row.failure,
      attempts: row.attempt,
      // When its time comes, it stays open all the same.
      nextTryAt: row.stopped ? null : (row.next_try_at?.toISOString() ?? null),
      note: row.note,
      paymentId: row.payment_intent,
      createdAt: row.created_at.toISOString(),
      items: items
        .filter((item) => item.charge_id === row.id)
        .map((item) => ({
          address: item.address,
          kind: item.kind,
          price: centsToUsd(item.price_cents),
          markup: centsToUsd(item.markup_cents),
          refund: item.refund_state && {
            state: item.refund_state,
            amount: centsToUsd(item.refund_cents ?? 0),
            error: item.refund_failure,
          },
        })),
    })),
  };
}

async function itemsOf(tx: Tx, chargeIds: readonly string[]) {
  if (chargeIds.length === 0) return [];
  return tx
    .selectFrom('direct_charge_items as x')
    .innerJoin('order_items as i', 'i.id', 'x.item_id')
    .leftJoin('direct_refunds as r', 'r.item_id', 'x.item_id')
    .select(['x.charge_id', 'i.address', 'i.kind', 'x.price_cents', 'x.markup_cents'])
    .select(['r.state as refund_state', 'r.cents as refund_cents', 'r.failure as refund_failure'])
    .where('x.charge_id', 'in', chargeIds)
    .orderBy('i.position')
    .execute();
}
