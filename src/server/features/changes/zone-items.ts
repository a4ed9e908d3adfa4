import { AppError } from '#contracts/errors.ts';
import type { ZoneRequest } from '#contracts/values/changes.ts';
import { hourMs } from '#contracts/values/time.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import type { DnsApi } from '../dns/index.ts';
import type { ChangeRow } from './changes.repo.ts';
import { doneTo, type ItemRow } from './items.repo.ts';
import { type Applied, type ItemKind, type Looked, longestReason, mostLooks } from './kinds.ts';
import { type Done, isSamePlan, planZone, stepsOf } from './zone-plan.rules.ts';

export interface ZoneItemsDeps {
  db: Db;
  zones: Pick<DnsApi['zones'], 'look' | 'change'>;
  templates: Pick<DnsApi['templates'], 'forDomain' | 'remember' | 'takeBack'>;
}

const watchedNote = 'Its records are there already. From now on the portal says where they change.';
const forgottenNote =
  'Its records stay as they are. The portal forgets that the template was applied here by that change.';
const movedNote = 'Somebody changed these records in between. Please look again.';

/** Zones as the things of a change: looked at and applied by the editor's own means, each with its checks and its merge. */
export function createZoneItems({ db, zones, templates }: ZoneItemsDeps): ItemKind {
  async function look(scope: Scope, change: ChangeRow, domain: string): Promise<Looked> {
    const { wish, memoryNote, undoneItem } = await wishOf(scope, change, domain);
    const zone = await zones.look(scope, domain);
    if (!zone.delegated && !zone.staged) {
      const note = 'Its DNS is elsewhere: it uses other nameservers.';
      return { state: 'barred', note, version: null, plan: null };
    }
    const { version } = zone;
    const verdict = planZone(wish, domain, zone.records);
    if (verdict.kind === 'same' && memoryNote) {
      return { state: 'ready', note: memoryNote, version, plan: nothingOf(zone.records.length) };
    }
    if (verdict.kind !== 'change') return { state: verdict.kind, note: verdict.note, version, plan: null };
    const { plan } = verdict;
    const last = zone.lastChanged;
    // What an undo takes back was written by nobody else.
    const isNews = last !== null && (last.itemId === null || last.itemId !== undoneItem);
    const warnings =
      isNews && last.ageMs < hourMs
        ? [...plan.warnings, 'Somebody changed this zone within the last hour.']
        : plan.warnings;
    const note = zone.staged ? 'Published when its transfer is complete.' : '';
    return { state: 'ready', note, version, plan: { ...plan, warnings } };
  }

  /** `memoryNote`: also where no record becomes different, the portal has to remember or forget that a template is in use. */
  async function wishOf(scope: Scope, { request }: ChangeRow, domain: string) {
    if (request.kind === 'undo') {
      const { inUse, itemId, ...done } = await doneBefore(scope, request.changeId, domain);
      const undone = { wish: { kind: request.kind, done }, undoneItem: itemId };
      return { ...undone, memoryNote: inUse ? forgottenNote : null };
    }
    if (request.kind !== 'apply-template')
      return { wish: request as ZoneRequest, memoryNote: null, undoneItem: null };
    const { wanted, use, filled } = await inReading(db, scope, (tx) =>
      templates.forDomain(tx, scope, request, domain),
    );
    const isNew = use?.version !== request.version || JSON.stringify(use.filled) !== JSON.stringify(filled);
    const wish = { kind: 'template' as const, wanted, owned: use?.owned ?? [] };
    return { wish, memoryNote: isNew ? watchedNote : null, undoneItem: null };
  }

  async function doneBefore(scope: Scope, changeId: string, domain: string) {
    const done = await inReading(db, scope, (tx) => doneTo(tx, scope, changeId, domain));
    if (!done) throw new AppError('not_found');
    return done as Done & { inUse: boolean; itemId: string };
  }

  /**
   * As the editor saves: what others changed meanwhile stays. Where they changed the same records the zone is looked at
   * again; what then comes out otherwise than a person has seen it waits for a person.
   */
  async function apply(
    scope: Scope,
    change: ChangeRow,
    item: ItemRow,
    end: (tx: Tx, note: string) => Promise<boolean>,
  ): Promise<Applied> {
    const { before, after } = item;
    if (!before || !after) throw new AppError('unprocessable', { message: 'This domain was not looked at.' });
    const seen = { before, after } as Done;
    const reason = [change.title, change.reason].filter(Boolean).join(' · ').slice(0, longestReason);
    let version = item.version;
    let records = stepsOf(seen);
    for (let looks = 0; looks < mostLooks; looks += 1) {
      const body = { records, reason, ...(version ? { version } : {}) };
      if (records.length === 0 || (await saved(scope, item, body))) {
        await inTransaction(db, scope, async (tx) => {
          await remember(tx, scope, change, item.domain);
          await end(tx, '');
        });
        return { kind: 'done' };
      }
      const looked = await look(scope, change, item.domain);
      version = looked.version;
      if (item.attempts > 1 && looked.plan && stepsOf(looked.plan as Done).length === 0) {
        // An earlier try of ours that was not answered has struck after all. The memory of the template is left.
        records = [];
        continue;
      }
      const found = endOfLook(looked, seen, item.attempts);
      if (found) return found;
    }
    throw new AppError('in_progress');
  }

  /** Of templates the portal knows where they were applied. */
  async function remember(tx: Tx, scope: Scope, change: ChangeRow, address: string): Promise<void> {
    const { request } = change;
    if (request.kind === 'undo' && request.of === 'apply-template') {
      await templates.takeBack(tx, scope, { changeId: request.changeId, address });
    }
    if (request.kind !== 'apply-template') return;
    const { templateId, version } = request;
    const found = await templates.forDomain(tx, scope, request, address).catch(nothingLeft);
    // It was deleted meanwhile: the zone is changed all the same, and there is nothing to remember.
    if (!found) return;
    const { wanted, filled } = found;
    const use = { version, filled, owned: wanted };
    await templates.remember(tx, scope, { templateId, address, changeId: change.id, use });
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

function nothingLeft(error: unknown): null {
  if (error instanceof AppError && error.code === 'unprocessable') return null;
  throw error;
}

/** Only the memory of the template changes. */
const nothingOf = (records: number) => ({
  ...{ before: [], after: [], others: records, removed: 0, needsTick: false, warnings: [] },
});

/** What a second look means; null: the same comes out, and is applied. */
function endOfLook(looked: Looked, seen: Done, attempts: number): Applied | null {
  if (looked.plan) {
    if (isSamePlan(looked.plan as Done, seen)) return null;
    return { kind: 'looked', looked: { ...looked, state: 'moved', note: movedNote } };
  }
  // An earlier try of ours that was not answered has struck after all.
  return looked.state === 'same' && attempts > 1 ? { kind: 'done' } : { kind: 'looked', looked };
}
