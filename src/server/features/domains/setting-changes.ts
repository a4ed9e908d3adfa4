import { AppError } from '#contracts/errors.ts';
import { type DomainSettings, partsLike } from '#contracts/values/domain-settings.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import { inTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Scope } from '#kernel/scope.ts';
import type { ContactSet } from '../../ports/registrar.ts';
import type { CustomersApi } from '../customers/index.ts';
import { isManaged, type RegistrarFacts } from './details.ts';
import { fromRegistrar } from './outcome.ts';
import { asOrganisation, placeOf, type SettingActs, type SettingActsDeps } from './setting-acts.ts';
import { nextStep } from './setting-changes.rules.ts';
import { assignCustomer, type DomainRecord } from './settings.repo.ts';
import { requireMovable } from './signed.ts';

export interface SettingChangesDeps extends SettingActsDeps {
  acts: SettingActs;
  facts: RegistrarFacts;
  customers: Pick<CustomersApi, 'contactsForOrder'>;
  requireSettable: (scope: Scope, domain: string) => Promise<DomainRecord>;
}

/** A setting of a domain as it is at this moment, and what has to be known to change it. */
export interface SettingsNow {
  settings: DomainSettings;
  customerId: string | null;
  expiresAt: Date | null;
  /** It is delegated to the provider's DNS. */
  managed: boolean;
  /** Of the provider's DNS. */
  providerNameservers: readonly string[];
  /** There are DS records at the registry. */
  signed: boolean;
  /** Of the customer it belongs to; null: it belongs to none. Only where contacts are asked for. */
  customerContacts: Partial<ContactSet> | null;
  registrantLockDays: number;
}

type PartName = keyof DomainSettings;

/**
 * Settings of many domains, one by one: as they are now, and changed where they still are as a person has seen them. What
 * others changed in between stays.
 */
export function createSettingChanges(deps: SettingChangesDeps) {
  const { db, registrar, facts, acts, requireSettable } = deps;

  async function look(scope: Scope, domain: string, part: PartName): Promise<SettingsNow> {
    const row = await requireSettable(scope, domain);
    const settings = await asOrganisation(scope, () => present(row, part));
    const nameservers = settings.nameservers ?? row.nameservers;
    return {
      settings,
      customerId: row.customer_id,
      expiresAt: row.expires_at,
      managed: isManaged(nameservers, facts.nameservers),
      providerNameservers: facts.nameservers,
      signed: part === 'nameservers' && (await isSigned(scope, domain)),
      customerContacts: part === 'contacts' ? await contactsOf(scope, row.customer_id) : null,
      registrantLockDays: facts.periods.registrantLockDays,
    };
  }

  /** What the registrar keeps is asked of it; the rest is the portal's own. */
  async function present(row: DomainRecord, part: PartName): Promise<DomainSettings> {
    if (part === 'autoRenew') return { autoRenew: row.auto_renew };
    if (part === 'customerId') return { customerId: row.customer_id };
    const read = await fromRegistrar(() => registrar.domain(row.address));
    if (!read) throw new AppError('unprocessable', { message: 'The registrar does not know this domain.' });
    return { [part]: read[part] };
  }

  async function isSigned(scope: Scope, domain: string): Promise<boolean> {
    const records = await fromRegistrar(() => asOrganisation(scope, () => registrar.dsRecords(domain)));
    return records.length > 0;
  }

  function contactsOf(scope: Scope, customerId: string | null): Promise<Partial<ContactSet> | null> {
    if (customerId === null) return Promise.resolve(null);
    return inTransaction(db, scope, (tx) => deps.customers.contactsForOrder(tx, scope, customerId));
  }

  /**
   * `again`: an earlier try of the same may have struck. `end` is part of the transaction that writes down what was done; it
   * is false where another try has taken over, and then that one writes it down.
   * `same`: somebody else has done it; `moved`: somebody has done something else.
   */
  async function change(
    scope: Scope,
    domain: string,
    seen: { before: DomainSettings; after: DomainSettings },
    { again, end }: { again: boolean; end: (tx: Tx, notice: string) => Promise<boolean> },
  ): Promise<'done' | 'same' | 'moved'> {
    const [part] = Object.keys(seen.after) as PartName[];
    if (!part) return 'same';
    if (part === 'customerId') return assign(scope, domain, seen, end);
    if (part === 'nameservers') await requireMovable(registrar, scope, domain, undefined);
    return acts.alone(scope, domain, async (lease) => {
      const row = await requireSettable(scope, domain);
      const now = partsLike(await present(row, part), seen.after);
      failpoint('settings.read');
      const step = nextStep(now, seen, again);
      if (step === 'same' || step === 'moved') return step;
      const act = acts.actOf(domain, seen.after);
      const sent = step === 'note' ? ({ kind: 'applied' } as const) : await acts.send(row, act, lease);
      failpoint('settings.answered');
      const logged = changedParts(seen.before, seen.after) ?? { after: seen.after };
      await inTransaction(db, scope, async (tx) => {
        await acts.keep(tx, scope, row, act, logged, sent.kind === 'applied');
        requireOwn(await end(tx, sent.kind === 'later' ? sent.text : ''));
      });
      return 'done';
    });
  }

  async function assign(
    scope: Scope,
    domain: string,
    seen: { before: DomainSettings; after: DomainSettings },
    end: (tx: Tx, notice: string) => Promise<boolean>,
  ): Promise<'done' | 'same' | 'moved'> {
    const [before, after] = [seen.before.customerId ?? null, seen.after.customerId ?? null];
    const row = await requireSettable(scope, domain);
    return inTransaction(db, scope, async (tx) => {
      if (after !== null && !(await deps.customers.contactsForOrder(tx, scope, after))) {
        throw new AppError('unprocessable', { message: 'This customer does not exist any more.' });
      }
      if (!(await assignCustomer(tx, placeOf(scope, row), { before, after }))) {
        return row.customer_id === after ? 'same' : 'moved';
      }
      const owner = { ...row, customer_id: after ?? before };
      // Of a kind that only staff read: it names the customer whose the domain was, which is nothing to the new one.
      await acts.log(tx, scope, owner, 'domains.assign', seen, 'assigned domain');
      failpoint('settings.answered');
      requireOwn(await end(tx, ''));
      return 'done';
    });
  }

  return { look, change };
}

/** Written down once, by the try that has the item. */
function requireOwn(isOurs: boolean): void {
  if (!isOurs) throw new AppError('in_progress');
}
