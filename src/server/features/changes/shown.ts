import { AppError } from '#contracts/errors.ts';
import type { Change, ChangeItem } from '#contracts/operations/changes.ts';
import { requestText } from '#contracts/values/changes.ts';
import { differenceOf, summaryOf } from '#contracts/values/zone-difference.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import * as repo from './changes.repo.ts';
import type { ItemRow } from './items.repo.ts';

/** Rows as the contract has them. */

export async function shownIn(tx: Tx, scope: Scope, id: string): Promise<Change> {
  const row = await repo.findChange(tx, scope, id);
  if (!row) throw new AppError('not_found');
  return shown(row, (await repo.countsOf(tx, scope, [id]))(id));
}

export function shown(row: repo.ChangeRow, counts: Change['counts']): Change {
  const { id, title, reason, request, state, note, author, undoes, undoneBy } = row;
  return {
    ...{ id, title, reason, request, state, note, author, undoes, undoneBy, counts },
    sentence: requestText(request),
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}

export function shownItem(row: ItemRow): ChangeItem {
  const { id, domain, customerId, state, note, warnings, others, needsTick, ticked } = row;
  const { before, after } = row;
  return {
    ...{ id, domain, customerId, state, note, warnings, others, needsTick, ticked },
    customer: row.customer ?? '',
    difference: before && after && summaryOf(differenceOf(before, after)),
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}
