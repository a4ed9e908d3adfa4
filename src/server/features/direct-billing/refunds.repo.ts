import type { Clock } from '#kernel/clock.ts';
import type { Selectable, Tx } from '#kernel/db/database.ts';
import type { DirectRefundsTable } from '#kernel/db/schema.ts';
import { readSharedNow } from '#kernel/db/time.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { lockCharge } from './charges.repo.ts';

export type Refund = Selectable<DirectRefundsTable>;

export interface RefundRef {
  organisationId: string;
  itemId: string;
}

/** Written once an item: a repeat of the same news changes nothing. */
export async function wantRefund(tx: Tx, ref: RefundRef, reason: string, now: Date): Promise<void> {
  await tx
    .insertInto('direct_refunds')
    .values({
      item_id: ref.itemId,
      organisation_id: ref.organisationId,
      charge_id: null,
      state: 'wanted',
      refund_id: null,
      failure: null,
      reason,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function lockRefund(tx: Tx, itemId: string): Promise<Refund | undefined> {
  return tx
    .selectFrom('direct_refunds')
    .selectAll()
    .where('item_id', '=', itemId)
    .forUpdate()
    .executeTakeFirst();
}

/** The charge that the item was put into, with what it makes of that charge. */
export function chargedFor(tx: Tx, itemId: string) {
  return tx
    .selectFrom('direct_charge_items as c')
    .innerJoin('order_items as i', 'i.id', 'c.item_id')
    .select(['c.charge_id', 'c.price_cents', 'c.markup_cents', 'i.address'])
    .where('c.item_id', '=', itemId)
    .executeTakeFirst();
}

export async function changeRefund(
  tx: Tx,
  itemId: string,
  change: Partial<Pick<Refund, 'state' | 'charge_id' | 'cents' | 'refund_id' | 'failure'>>,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('direct_refunds')
    .set({ ...change, updated_at: now })
    .where('item_id', '=', itemId)
    .execute();
}

/** Wakes the worker for a refund. */
export function refundAt(tx: Tx, ref: RefundRef, at: Date): Promise<void> {
  return enqueueJob(
    tx,
    'direct-billing.refund',
    { organisationId: ref.organisationId, itemId: ref.itemId },
    { key: `direct-refund:${ref.itemId}`, runAt: at },
  );
}

/** A charge came to its end: what waited for that goes on. */
export async function refundsDue(
  tx: Tx,
  charge: { id: string; organisation_id: string },
  now: Date,
): Promise<void> {
  const waiting = await tx
    .selectFrom('direct_refunds')
    .select('item_id')
    .where('charge_id', '=', charge.id)
    .where('state', '=', 'wanted')
    .execute();
  for (const { item_id } of waiting) {
    await refundAt(tx, { organisationId: charge.organisation_id, itemId: item_id }, now);
  }
}

/** Takes an item out of a charge of which nothing was taken; a charge of nothing else is given up. */
export async function takeOut(
  tx: Tx,
  item: { itemId: string; chargeId: string; cents: number; note: string },
  now: Date,
): Promise<void> {
  const { cents } = await tx
    .selectFrom('direct_charges')
    .select('cents')
    .where('id', '=', item.chargeId)
    .executeTakeFirstOrThrow();
  if (cents === item.cents) return giveUp(tx, item.chargeId, item.note, now);
  await tx.deleteFrom('direct_charge_items').where('item_id', '=', item.itemId).execute();
  await tx
    .updateTable('direct_charges')
    .set((eb) => ({ cents: eb('cents', '-', item.cents), note: item.note, updated_at: now }))
    .where('id', '=', item.chargeId)
    .execute();
}

async function giveUp(tx: Tx, chargeId: string, note: string, now: Date): Promise<void> {
  await tx
    .updateTable('direct_charges')
    .set({ state: 'waived', note, next_try_at: null, updated_at: now })
    .where('id', '=', chargeId)
    .execute();
}

/** An item's refund was made and came back. */
export async function markReturned(
  tx: Tx,
  refund: { itemId: string; chargeId: string; failure: string },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('direct_refunds')
    .set({ state: 'failed', failure: refund.failure, updated_at: now })
    .where('item_id', '=', refund.itemId)
    .where('charge_id', '=', refund.chargeId)
    .where('state', 'in', ['sending', 'done'])
    .execute();
}

/** Writes the sum of what came back; what it was before, or null when all of it was known. */
export async function noteReturned(
  tx: Tx,
  chargeId: string,
  cents: number,
  now: Date,
): Promise<number | null> {
  const charge = await lockCharge(tx, chargeId);
  if (!charge || charge.returned_cents >= cents) return null;
  await tx
    .updateTable('direct_charges')
    .set({ returned_cents: cents, updated_at: now })
    .where('id', '=', chargeId)
    .execute();
  return charge.returned_cents;
}

/** Across tenants: refunds whose claim is older than a process can be at one, and those whose charge ended without waking them. */
export async function openRefunds(tx: Tx, clock: Clock, claimMs: number): Promise<RefundRef[]> {
  const lost = new Date((await readSharedNow(tx, clock)).getTime() - claimMs);
  return tx
    .selectFrom('direct_refunds')
    .select(['item_id as itemId', 'organisation_id as organisationId'])
    .where('state', 'in', ['wanted', 'sending'])
    .where((eb) => eb(eb.fn.coalesce('claimed_at', 'updated_at'), '<', lost))
    .orderBy('updated_at')
    .orderBy('item_id')
    .execute();
}
