import type { Selectable, Tx } from '#kernel/db/database.ts';
import type { TransfersTable } from '#kernel/db/schema.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';
import type { TransferStatus } from '../../ports/registrar.ts';

export type TransferRow = Selectable<TransfersTable>;

export const lookBeforeTask = 'transfers.look-before';
export const compareTask = 'transfers.compare';
/** The zone's servers take a moment to follow the registry. */
const compareAfterMs = 60_000;

/** A transfer was accepted: from now on it has a life of its own, and its delegation is read while it is the old one. */
export async function openTransfer(
  tx: Tx,
  input: { itemId: string; organisationId: string; address: string; customerId: string | null; now: Date },
): Promise<void> {
  const { organisationId, itemId } = input;
  const inserted = await tx
    .insertInto('transfers')
    .values({
      ...{
        id: itemId,
        organisation_id: organisationId,
        address: input.address,
        customer_id: input.customerId,
      },
      ...{ requested_at: input.now, registrar_status: null, status_since: null, asked_at: null },
      ...{ nameservers_before: null, nameservers_after: null, compared_at: null },
      ...{ completed_at: null, failed_at: null, reason: null },
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) return;
  await enqueueJob(tx, lookBeforeTask, { organisationId, itemId }, { key: `${lookBeforeTask}:${itemId}` });
}

/** It is through, or it came to nothing. */
export async function closeTransfer(
  tx: Tx,
  input: { itemId: string; organisationId: string; reason: string | null; now: Date },
): Promise<void> {
  const { organisationId, itemId, reason, now } = input;
  const ended = reason === null ? { completed_at: now } : { failed_at: now, reason };
  const result = await tx
    .updateTable('transfers')
    .set(ended)
    .where('organisation_id', '=', organisationId)
    .where('id', '=', itemId)
    .where('completed_at', 'is', null)
    .where('failed_at', 'is', null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n || reason !== null) return;
  const runAt = new Date(now.getTime() + compareAfterMs);
  await enqueueJob(tx, compareTask, { organisationId, itemId }, { key: `${compareTask}:${itemId}`, runAt });
}

/** The latest transfer of a name in reach. */
export async function findTransfer(tx: Tx, scope: Scope, address: string) {
  return tx
    .selectFrom('transfers as t')
    .leftJoin('customers as c', 'c.id', 't.customer_id')
    .leftJoin('order_items as i', 'i.id', 't.id')
    .where('t.organisation_id', '=', scope.organisationId)
    .where('t.address', '=', address)
    .where(withinReach(scope, 't.customer_id'))
    .selectAll('t')
    .select(['c.organization', 'i.order_id', 'i.price_cents', 'i.registrar_order_id'])
    .orderBy('t.requested_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** What the registrar said; `since` moves only when the word is another. */
export async function recordTransferStatus(
  tx: Tx,
  transfer: Pick<TransferRow, 'id' | 'organisation_id' | 'registrar_status'>,
  status: TransferStatus,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('transfers')
    .set({
      registrar_status: status,
      asked_at: now,
      ...(transfer.registrar_status === status ? {} : { status_since: now }),
    })
    .where('organisation_id', '=', transfer.organisation_id)
    .where('id', '=', transfer.id)
    .execute();
}

/** The order engine takes the item to the end of which the registrar spoke, even where it waits for a person. */
export function seekEnd(tx: Tx, transfer: Pick<TransferRow, 'id' | 'organisation_id'>): Promise<void> {
  const payload = { organisationId: transfer.organisation_id, itemId: transfer.id };
  return enqueueJob(tx, 'orders.seek-end', payload, { key: `seek-end:${transfer.id}` });
}

export function transferOf(tx: Tx, itemId: string): Promise<TransferRow | undefined> {
  return tx.selectFrom('transfers').selectAll().where('id', '=', itemId).executeTakeFirst();
}

/** All that are under way, the ones first of which the registrar has not spoken for longest. Runs across tenants. */
export function openTransfers(tx: Tx): Promise<TransferRow[]> {
  return tx
    .selectFrom('transfers')
    .selectAll()
    .where('completed_at', 'is', null)
    .where('failed_at', 'is', null)
    .orderBy('asked_at', (order) => order.asc().nullsFirst())
    .orderBy('id')
    .execute();
}

/** The delegation before the transfer, once. */
export async function recordBefore(tx: Tx, itemId: string, names: string[]): Promise<void> {
  await tx
    .updateTable('transfers')
    .set({ nameservers_before: names })
    .where('id', '=', itemId)
    .where('nameservers_before', 'is', null)
    .where('completed_at', 'is', null)
    .execute();
}

/** The delegation after the transfer, once; false when it was recorded already. */
export async function recordAfter(tx: Tx, itemId: string, names: string[], now: Date): Promise<boolean> {
  const result = await tx
    .updateTable('transfers')
    .set({ nameservers_after: names, compared_at: now })
    .where('id', '=', itemId)
    .where('compared_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
