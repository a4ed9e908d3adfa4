import { AppError } from '#contracts/errors.ts';
import type { ZoneRequest } from '#contracts/values/changes.ts';
import { hourMs } from '#contracts/values/time.ts';
import { type Db, inTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import type { DnsApi } from '../dns/index.ts';
import type { ChangeRow } from './changes.repo.ts';
import { doneTo, type ItemRow } from './items.repo.ts';
import { type Applied, type ItemKind, type Looked, longestReason, mostLooks } from './kinds.ts';
import { type Done, isSamePlan, planZone, stepsOf } from './zone-plan.rules.ts';

export interface ZoneItemsDeps {
  db: Db;
  zones: Pick<DnsApi['zones'], 'look' | 'change'>;
}

const movedNote = 'Somebody changed these records in between. Please look again.';

/** Zones as the things of a change: looked at and applied by the editor's own means, each with its checks and its merge. */
export function createZoneItems({ db, zones }: ZoneItemsDeps): ItemKind {
  async function look(scope: Scope, change: ChangeRow, domain: string): Promise<Looked> {
    const { request } = change;
    const wish =
      request.kind === 'undo'
        ? { kind: request.kind, done: await doneBefore(scope, request.changeId, domain) }
        : (request as ZoneRequest);
    const zone = await zones.look(scope, domain);
    if (!zone.delegated && !zone.staged) {
      const note = 'Its DNS is elsewhere: it uses other nameservers.';
      return { state: 'barred', note, version: null, plan: null };
    }
    const verdict = planZone(wish, domain, zone.records);
    if (verdict.kind !== 'change') {
      return { state: verdict.kind, note: verdict.note, version: zone.version, plan: null };
    }
    const { plan } = verdict;
    const justChanged = zone.changedMs !== null && zone.changedMs < hourMs;
    const warnings = justChanged
      ? [...plan.warnings, 'Somebody changed this zone within the last hour.']
      : plan.warnings;
    const note = zone.staged ? 'Published when its transfer is complete.' : '';
    return { state: 'ready', note, version: zone.version, plan: { ...plan, warnings } };
  }

  async function doneBefore(scope: Scope, changeId: string, domain: string) {
    const done = await inTransaction(db, scope, (tx) => doneTo(tx, scope, changeId, domain));
    if (!done) throw new AppError('not_found');
    return done as Done;
  }

  /**
   * As the editor saves: what others changed meanwhile stays. Where they changed the same records the zone is looked at
   * again; what then comes out otherwise than a person has seen it waits for a person.
   */
  async function apply(scope: Scope, change: ChangeRow, item: ItemRow): Promise<Applied> {
    const { before, after } = item;
    if (!before || !after) throw new AppError('unprocessable', { message: 'This domain was not looked at.' });
    const seen = { before, after } as Done;
    const reason = [change.title, change.reason].filter(Boolean).join(' · ').slice(0, longestReason);
    let version = item.version;
    for (let looks = 0; looks < mostLooks; looks += 1) {
      const body = { records: stepsOf(seen), reason, ...(version ? { version } : {}) };
      if (await saved(scope, item, body)) return { kind: 'done' };
      const looked = await look(scope, change, item.domain);
      const end = endOfLook(looked, seen, item.attempts);
      if (end) return end;
      version = looked.version;
    }
    throw new AppError('in_progress');
  }

  /** False: others changed the same records meanwhile. */
  async function saved(
    scope: Scope,
    item: ItemRow,
    body: Parameters<typeof zones.change>[2],
  ): Promise<boolean> {
    try {
      await zones.change(scope, item.domain, body, item.id);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'zone_changed') return false;
      throw error;
    }
  }

  return { look, apply };
}

/** What a second look means; null: the same comes out, and is applied. */
function endOfLook(looked: Looked, seen: Done, attempts: number): Applied | null {
  if (looked.plan) {
    if (isSamePlan(looked.plan as Done, seen)) return null;
    return { kind: 'looked', looked: { ...looked, state: 'moved', note: movedNote } };
  }
  // An earlier try of ours that was not answered has struck after all.
  return looked.state === 'same' && attempts > 1 ? { kind: 'done' } : { kind: 'looked', looked };
}
