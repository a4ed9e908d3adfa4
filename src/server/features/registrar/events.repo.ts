import { sql, type Tx } from '#kernel/db/database.ts';
import type { RegistrarEvent } from '../../ports/registrar.ts';
import type { Effect } from './events.rules.ts';

/** Keeps an event. False: it is here already, and so is its effect. */
export async function keepEvent(tx: Tx, event: RegistrarEvent, effect: Effect, now: Date): Promise<boolean> {
  const kept = await tx
    .insertInto('registrar_events')
    .values({
      id: event.id,
      object: event.object,
      event: event.event,
      at: event.at,
      address: event.domain,
      data: JSON.stringify(event.data),
      effect: effect.kind,
      received_at: now,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return (kept.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The organisation that has the name now. */
export async function ownerOf(tx: Tx, address: string): Promise<string | null> {
  const row = await tx
    .selectFrom('domains')
    .select('organisation_id')
    .where('address', '=', address)
    .where('status', '<>', 'ended')
    .executeTakeFirst();
  return row?.organisation_id ?? null;
}

export interface OpenItem {
  id: string;
  organisation_id: string;
}

/** The item that this order carries out and that has not ended, also one that waits for a person. */
export function itemOfOrder(tx: Tx, registrarOrderId: string): Promise<OpenItem | undefined> {
  return tx
    .selectFrom('order_items')
    .select(['id', 'organisation_id'])
    .where('registrar_order_id', '=', registrarOrderId)
    .where('state', 'in', ['sending', 'pending', 'unknown', 'review'])
    .executeTakeFirst();
}

export function openTransferOf(tx: Tx, address: string): Promise<OpenItem | undefined> {
  return tx
    .selectFrom('transfers')
    .select(['id', 'organisation_id'])
    .where('address', '=', address)
    .where('completed_at', 'is', null)
    .where('failed_at', 'is', null)
    .executeTakeFirst();
}

/** Returns how many were forgotten. */
export async function forgetEvents(tx: Tx, before: Date): Promise<number> {
  const gone = await sql`DELETE FROM registrar_events WHERE received_at < ${before}`.execute(tx);
  return Number(gone.numAffectedRows ?? 0n);
}
