import { lineMarkupCents } from '#contracts/values/direct-billing.ts';
import type { Tx } from '#kernel/db/database.ts';
import { findBilledCustomer, isBilledDirectly } from '../customers/index.ts';
import type { Charge, ChargedItem } from './charges.repo.ts';

/** A confirmed item of a customer whose chip is Active, with its markup; null for all others. */
export async function chargeable(tx: Tx, itemId: string): Promise<ChargedItem | null> {
  const item = await tx
    .selectFrom('order_items')
    .select(['id', 'order_id', 'customer_id', 'kind', 'price_cents', 'details'])
    .where('id', '=', itemId)
    .where('state', '=', 'succeeded')
    .executeTakeFirst();
  if (!item?.customer_id) return null;
  const customer = await findBilledCustomer(tx, { id: item.customer_id });
  if (!customer || !isBilledDirectly(customer)) return null;
  const markup = lineMarkupCents(item.price_cents, customer.markups, {
    kind: item.kind,
    renewsCertificate: renewsCertificate(item.details),
  });
  if (item.price_cents + markup === 0) return null;
  return {
    itemId: item.id,
    orderId: item.order_id,
    customerId: customer.id,
    priceCents: item.price_cents,
    markupCents: markup,
  };
}

function renewsCertificate(details: Record<string, unknown>): boolean {
  const { certificate } = details as { certificate?: { renewsOrderId?: string | null } };
  return Boolean(certificate?.renewsOrderId);
}

export async function namesIn(tx: Tx, chargeId: string): Promise<string> {
  const rows = await tx
    .selectFrom('direct_charge_items as c')
    .innerJoin('order_items as i', 'i.id', 'c.item_id')
    .select('i.address')
    .where('c.charge_id', '=', chargeId)
    .orderBy('i.position')
    .execute();
  return rows.map((row) => row.address).join(', ');
}

/** One key a try: the provider remembers a decline under its key. Later parts and tries carry their number. */
export function idempotencyKeyOf(charge: Charge): string {
  const key = `direct:${charge.order_id}:${charge.customer_id}`;
  const part = charge.part > 1 ? `:part${charge.part}` : '';
  return `${key}${part}${charge.attempt > 1 ? `:try${charge.attempt}` : ''}`;
}

/** Items of the same purchase and customer that succeeded since, and are in no charge yet. */
export async function justConfirmed(
  tx: Tx,
  charge: { order_id: string; customer_id: string },
  since: Date,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('order_items as i')
    .leftJoin('direct_charge_items as c', 'c.item_id', 'i.id')
    .select('i.id')
    .where('i.order_id', '=', charge.order_id)
    .where('i.customer_id', '=', charge.customer_id)
    .where('i.state', '=', 'succeeded')
    .where('i.updated_at', '>=', since)
    .where('c.item_id', 'is', null)
    .orderBy('i.position')
    .execute();
  return rows.map(({ id }) => id);
}
