import { AppError } from '#contracts/errors.ts';
import { isOfSettings } from '#contracts/values/changes.ts';
import type { Clock } from '#kernel/clock.ts';
import { inTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import type { ChangeRow } from './changes.repo.ts';
import { nextTryMs } from './changes.rules.ts';
import * as items from './items.repo.ts';
import type { ItemKind } from './kinds.ts';
import { createSettingItems, type SettingItemsDeps } from './setting-items.ts';
import { createZoneItems, type ZoneItemsDeps } from './zone-items.ts';

export interface TriesDeps extends ZoneItemsDeps, SettingItemsDeps {
  clock: Clock;
  logger: Logger;
}

/** One try at one item, and what is kept of it. */
export function createTries(deps: TriesDeps) {
  const { db, clock, logger } = deps;
  const ofZones = createZoneItems(deps);
  const ofSettings = createSettingItems(deps);
  const kindOf = ({ request }: ChangeRow): ItemKind => (isOfSettings(request) ? ofSettings : ofZones);

  async function lookAt(scope: Scope, change: ChangeRow, item: items.ItemRow): Promise<void> {
    try {
      const looked = await kindOf(change).look(scope, change, item.domain);
      failpoint('changes.looked');
      await inTransaction(db, scope, (tx) => items.noteLook(tx, scope, item, looked, change.round));
    } catch (error) {
      await failed(scope, item, error, 'barred');
    }
  }

  async function applyTo(scope: Scope, change: ChangeRow, item: items.ItemRow): Promise<void> {
    try {
      const end = (tx: Tx, note: string) =>
        items.endItem(tx, scope, item, { state: 'done', note }, clock.now());
      const applied = await kindOf(change).apply(scope, change, item, end);
      failpoint('changes.applied');
      await inTransaction(db, scope, async (tx) => {
        if (applied.kind === 'done') await end(tx, '');
        else await items.noteLook(tx, scope, item, applied.looked, change.round);
      });
    } catch (error) {
      await failed(scope, item, error, 'failed');
    }
  }

  /** What may be asked again is, later; else the item says what stands against it. */
  async function failed(
    scope: Scope,
    item: items.ItemRow,
    error: unknown,
    state: 'failed' | 'barred',
  ): Promise<void> {
    const known = error instanceof AppError ? error : new AppError('internal', { cause: error });
    if (known.code === 'internal') logger.error({ err: error, item: item.id }, 'changes');
    const note = known.details?.[0]?.message ?? known.message;
    const afterMs = nextTryMs(known.code, item.attempts, known.retryAfterSeconds);
    await inTransaction(db, scope, async (tx) => {
      if (afterMs === null) await items.endItem(tx, scope, item, { state, note }, clock.now());
      else await items.putOff(tx, scope, item, { note, afterMs, clock });
    });
  }

  return { lookAt, applyTo };
}
