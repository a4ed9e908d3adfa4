import { sql, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { owners } from './attention.repo.ts';

/** How an item was shown to the person who changes it; what is left out does not matter to them. */
interface Seen {
  version?: number | undefined;
  ownerId?: string | null | undefined;
}

/**
 * Takes an item over, gives it away, or puts it off. False: it is worse by now than the version that was seen, or another's. Whose it is
 * to become already may be asked for twice.
 */
export async function changeItem(
  tx: Tx,
  scope: Scope,
  id: string,
  change: { owner_id?: string | null; snoozed_until?: Date | null },
  { version, ownerId }: Seen = {},
): Promise<boolean> {
  let update = tx
    .updateTable('attention_items')
    .set(change)
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id);
  if (version !== undefined) update = update.where('version', '=', version);
  if (ownerId !== undefined) {
    const isAsSeen = sql<boolean>`(SELECT u.id FROM ${owners} WHERE u.id = attention_items.owner_id) IS NOT DISTINCT FROM ${ownerId}::uuid`;
    const isDone = sql<boolean>`owner_id IS NOT DISTINCT FROM ${change.owner_id ?? null}::uuid`;
    update = update.where(sql<boolean>`(${isAsSeen} OR ${isDone})`);
  }
  const { numUpdatedRows } = await update.executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether this person works for the organization itself, and still does. */
export async function isColleague(tx: Tx, scope: Scope, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', userId)
    .where('role', '<>', 'MSP_CUSTOMER')
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
