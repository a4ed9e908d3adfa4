import { AppError } from '#contracts/errors.ts';
import type { Change, ChangeItem } from '#contracts/operations/changes.ts';
import { requestText } from '#contracts/values/changes.ts';
import type { DomainSettings } from '#contracts/values/domain-settings.ts';
import { differenceOf, summaryOf } from '#contracts/values/zone-difference.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import * as repo from './changes.repo.ts';
import type { ItemRow } from './items.repo.ts';
import { settingLines } from './setting-plan.rules.ts';

/** Rows as the contract has them. */

export async function shownIn(tx: Tx, scope: Scope, id: string): Promise<Change> {
  const [row, counts] = await Promise.all([repo.findChange(tx, scope, id), repo.countsOf(tx, scope, [id])]);
  if (!row) throw new AppError('not_found');
  return shown(row, counts(id));
}

export function shown(row: repo.ChangeRow, counts: Change['counts']): Change {
  const { id, title, reason, request, state, note, author, undoes, undoneBy, leftByUndo, round } = row;
  return {
    ...{ id, title, reason, request, state, note, author, undoes, undoneBy, leftByUndo, round, counts },
    sentence: requestText(request, row.named ?? undefined),
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}

/** `customerName`: what a customer is called. */
export function shownItem(row: ItemRow, customerName: (id: string) => string): ChangeItem {
  const { id, domain, customerId, state, note, warnings, others, needsTick, ticked } = row;
  return {
    ...{ id, domain, customerId, state, note, warnings, others, needsTick, ticked },
    ...differenceOfItem(row, customerName),
    customer: row.customer ?? '',
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}

function differenceOfItem(
  { before, after }: ItemRow,
  customerName: (id: string) => string,
): Pick<ChangeItem, 'difference' | 'settings'> {
  if (!before || !after) return { difference: null, settings: null };
  if (Array.isArray(before) && Array.isArray(after)) {
    return { difference: summaryOf(differenceOf(before, after)), settings: null };
  }
  const settings = settingLines(before as DomainSettings, after as DomainSettings, customerName);
  return { difference: null, settings };
}
