import { AppError } from '#contracts/errors.ts';
import type { ContactRole, SettingRequest } from '#contracts/values/changes.ts';
import type { DomainSettings } from '#contracts/values/domain-settings.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import type { DomainPricing, DomainsApi } from '../domains/index.ts';
import type { ChangeRow } from './changes.repo.ts';
import { doneTo } from './items.repo.ts';
import { type Applied, type ItemKind, type Looked, mostLooks } from './kinds.ts';
import { partOf, planSetting, type SettingDone } from './setting-plan.rules.ts';

export interface SettingItemsDeps {
  db: Db;
  settings: DomainsApi['settings']['many'];
  prices: Pick<DomainPricing, 'standardPriceCents'>;
}

const movedNote = 'Somebody changed this in between. Please look again.';

/** Settings as the things of a change: looked at live, and set where they still are as a person has seen them. */
export function createSettingItems({ db, settings, prices }: SettingItemsDeps): ItemKind {
  async function look(scope: Scope, change: ChangeRow, domain: string): Promise<Looked> {
    const { request } = change;
    const wish =
      request.kind === 'undo'
        ? { kind: request.kind, done: await doneBefore(scope, request.changeId, domain) }
        : (request as SettingRequest);
    const part = partOf(request);
    const now = await settings.look(scope, domain, part);
    const suffix = domain.slice(domain.indexOf('.') + 1);
    const yearCents = part === 'autoRenew' ? await prices.standardPriceCents(suffix, 'renewal') : null;
    const verdict = planSetting(wish, now, yearCents);
    if (verdict.kind !== 'change')
      return { state: verdict.kind, note: verdict.note, version: null, plan: null };
    const { before, after, warnings, note } = verdict;
    const plan = { before, after, warnings, others: null, removed: null, needsTick: false };
    return { state: 'ready', note, version: null, plan };
  }

  async function doneBefore(scope: Scope, changeId: string, domain: string): Promise<SettingDone> {
    const done = await inReading(db, scope, (tx) => doneTo(tx, scope, changeId, domain));
    if (!done) throw new AppError('not_found');
    return done as SettingDone;
  }

  /** What was changed by others in between is looked at again, and waits for a person unless the same comes out. */
  const apply: ItemKind['apply'] = async (scope, change, item, end) => {
    const { before, after } = item;
    if (!before || !after) throw new AppError('unprocessable', { message: 'This domain was not looked at.' });
    const seen = { before: before as DomainSettings, after: after as DomainSettings };
    if (!(await isStillMeant(scope, change, item.domain, seen.after)))
      return movedTo(scope, change, item.domain);
    for (let looks = 0; looks < mostLooks; looks += 1) {
      const result = await settings.change(scope, item.domain, seen, { again: item.attempts > 1, end });
      if (result === 'done') return { kind: 'done' };
      const looked = await look(scope, change, item.domain);
      if (!looked.plan) return { kind: 'looked', looked };
      if (result === 'moved') return moved(looked);
    }
    throw new AppError('in_progress');
  };

  /** Contacts of each domain's customer: it may have gone to another one since, or its customer has other contacts now. */
  async function isStillMeant(
    scope: Scope,
    { request }: ChangeRow,
    domain: string,
    after: DomainSettings,
  ): Promise<boolean> {
    if (request.kind !== 'contacts' || request.contact) return true;
    const roles = Object.keys(after.contacts ?? {}) as ContactRole[];
    const now = await settings.look(scope, domain, 'contacts');
    return planSetting({ ...request, roles }, { ...now, settings: after }).kind === 'same';
  }

  async function movedTo(scope: Scope, change: ChangeRow, domain: string): Promise<Applied> {
    const looked = await look(scope, change, domain);
    return looked.plan ? moved(looked) : { kind: 'looked', looked };
  }

  const moved = (looked: Looked): Applied => ({
    ...{ kind: 'looked', looked: { ...looked, state: 'moved', note: movedNote } },
  });

  return { look, apply };
}
