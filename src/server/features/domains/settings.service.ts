import type { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type {
  DomainDetails,
  getDomainDetails,
  SettingResult,
  setDomainContacts,
  updateNameservers,
} from '#contracts/operations/domain-settings.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { audit, changedParts } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Fence } from '#kernel/fence.ts';
import type { Leases } from '#kernel/leases.ts';
import { isLimited, requirePermission, type Scope } from '#kernel/scope.ts';
import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type {
  ContactSet,
  RegistrarDomain,
  RegistrarNames,
  RegistrarSettings,
} from '../../ports/registrar.ts';
import { detailsOf, type RegistrarFacts } from './details.ts';
import { concluded, fromRegistrar, underLease } from './outcome.ts';
import { type DomainRecord, findWithCustomer, recordReading, recordSettings } from './settings.repo.ts';
import { requireMovable } from './signed.ts';
import { enqueueSync } from './sync-job.ts';
import { recordVerification } from './verification.repo.ts';
import { readVerification } from './verification-reading.ts';

export interface SettingsDeps {
  db: Db;
  registrar: Pick<RegistrarNames, 'domain'> &
    Pick<
      RegistrarSettings,
      | 'authCode'
      | 'setLock'
      | 'setAutoRenew'
      | 'setPrivacy'
      | 'setContacts'
      | 'setNameservers'
      | 'verification'
      | 'dsRecords'
    >;
  clock: Clock;
  facts: RegistrarFacts;
  leases: Leases;
}

type DetailsKind = z.output<(typeof getDomainDetails)['query']>['type'];

/** One domain in detail, and what can be set on it at the registrar. */
export function createDomainSettings(deps: SettingsDeps) {
  const { db, registrar, clock, facts } = deps;

  async function details(
    scope: Scope,
    domain: string,
    type: DetailsKind,
    requireFreshSignIn: () => void,
  ): Promise<DomainDetails> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    if (type === 'domain_auth_info') return withAuthCode(scope, row, requireFreshSignIn);
    if (type !== 'all_info' || row.status === 'transferring') {
      return detailsOf(row, null, { readAt: clock.now(), facts });
    }
    const read = await readLive(scope, row);
    const fresh = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    return detailsOf(fresh, read, { readAt: clock.now(), facts });
  }

  /** The registrar's word, kept as the portal's own copy. null when it does not answer, or has no such name. */
  async function readLive(scope: Scope, row: DomainRecord): Promise<RegistrarDomain | null> {
    const readAt = clock.now();
    try {
      const [read, verification] = await asOrganisation(scope, () =>
        Promise.all([registrar.domain(row.address), readVerification(registrar, row.address)]),
      );
      await inTransaction(db, scope, async (tx) => {
        const where = placeOf(scope, row);
        if (read) await recordReading(tx, where, read, readAt);
        if (read && verification) await recordVerification(tx, where, verification, readAt);
      });
      return read;
    } catch (error) {
      // The copy is shown, with its age.
      if (error instanceof UpstreamUnavailable || error instanceof UpstreamRefused) return null;
      throw error;
    }
  }

  /** The auth password lets anyone take the domain away: staff only, freshly signed in, and in the log. */
  async function withAuthCode(
    scope: Scope,
    row: DomainRecord,
    requireFreshSignIn: () => void,
  ): Promise<DomainDetails> {
    requirePermission(scope, 'domains.unlock');
    requireFreshSignIn();
    const now = clock.now();
    if (row.status === 'transferring') return detailsOf(row, null, { readAt: now, facts });
    await inTransaction(db, scope, (tx) => log(tx, scope, row, 'domains.readAuthPassword', {}));
    return fromRegistrar(() =>
      asOrganisation(scope, async () => {
        const read = await registrar.domain(row.address);
        // P2 §2: shown when unlocked and one exists.
        const authCode = read && !read.locked ? await registrar.authCode(row.address) : null;
        return detailsOf(row, read, { authCode, readAt: now, facts });
      }),
    );
  }

  async function setLock(scope: Scope, domain: string, locked: boolean): Promise<SettingResult> {
    const row = await requireSettable(scope, domain);
    const outcome = await alone(scope, domain, (fence) => registrar.setLock(domain, locked, fence));
    const end = await concluded(outcome, () => readBack(row, (read) => read.locked === locked));
    const action = locked ? 'domains.lock' : 'domains.unlock';
    const change = { before: { locked: row.locked }, after: { locked } };
    return finish(scope, row, end, action, change, { locked });
  }

  /**
   * The portal renews by itself (decisions no. 25): its switch is what counts, and the registrar's own stays off
   * whichever way it is turned, so that no year is ever bought twice (docs/decisions/0024).
   */
  async function setAutoRenew(scope: Scope, domain: string, enabled: boolean): Promise<SettingResult> {
    const row = await requireSettable(scope, domain);
    const outcome = await alone(scope, domain, (fence) => registrar.setAutoRenew(domain, false, fence));
    const end = await concluded(outcome, () => readBack(row, (read) => !read.autoRenew));
    const change = { before: { autoRenew: row.auto_renew }, after: { autoRenew: enabled } };
    return finish(scope, row, end, 'domains.autoRenew', change, { autoRenew: enabled });
  }

  async function setPrivacy(scope: Scope, domain: string, enabled: boolean): Promise<SettingResult> {
    const row = await requireSettable(scope, domain);
    const outcome = await alone(scope, domain, (fence) => registrar.setPrivacy(domain, enabled, fence));
    const end = await concluded(outcome, () => readBack(row, (read) => read.privacy === enabled));
    const change = { before: { privacy: row.privacy }, after: { privacy: enabled } };
    return finish(scope, row, end, 'domains.privacy', change, { privacy: enabled });
  }

  async function setNameservers(
    scope: Scope,
    domain: string,
    { nameservers: names, dnssecConfirmed }: BodyOf<typeof updateNameservers>,
  ): Promise<SettingResult> {
    const row = await requireSettable(scope, domain);
    await requireMovable(registrar, scope, domain, dnssecConfirmed);
    const wanted = [...names].sort().join();
    const outcome = await alone(scope, domain, (fence) => registrar.setNameservers(domain, names, fence));
    const end = await concluded(outcome, () =>
      readBack(row, (read) => [...read.nameservers].sort().join() === wanted),
    );
    const after = { nameservers: names, ...(dnssecConfirmed ? { dnssecConfirmed } : {}) };
    const change = { before: { nameservers: row.nameservers }, after };
    return finish(scope, row, end, 'domains.updateNameservers', change, { nameservers: names });
  }

  async function setContacts(
    scope: Scope,
    domain: string,
    body: BodyOf<typeof setDomainContacts>,
  ): Promise<SettingResult> {
    const contacts: Partial<ContactSet> = Object.fromEntries(
      Object.entries(body).filter(([, contact]) => contact !== undefined),
    );
    if (Object.keys(contacts).length === 0) {
      throw new AppError('unprocessable', { message: 'Please choose at least one contact.' });
    }
    const row = await requireSettable(scope, domain);
    const before = (await readLive(scope, row))?.contacts;
    const outcome = await alone(scope, domain, (fence) => registrar.setContacts(domain, contacts, fence));
    const end = await concluded(outcome, () => readBack(row, (read) => holds(read.contacts, contacts)));
    const change = before ? changedParts(partOf(before, contacts), contacts) : { after: contacts };
    return finish(scope, row, end, 'domains.contacts', change ?? { after: contacts }, {});
  }

  /** One change at a time to the settings of a domain. */
  function alone(
    scope: Scope,
    domain: string,
    write: (fence: Fence) => Promise<Outcome<void>>,
  ): Promise<Outcome<void>> {
    return deps.leases.run(scope, `settings of ${domain}`, (lease) =>
      asOrganisation(scope, () => underLease(lease, write)),
    );
  }

  /** One transaction: the portal's copy, a job that reads the registrar again, and the log. */
  async function finish(
    scope: Scope,
    row: DomainRecord,
    end: { kind: 'applied' } | { kind: 'later'; text: string },
    action: AuditAction,
    change: { before?: unknown; after?: unknown },
    known: Parameters<typeof recordSettings>[2],
  ): Promise<SettingResult> {
    await inTransaction(db, scope, async (tx) => {
      if (end.kind === 'applied') await recordSettings(tx, placeOf(scope, row), known);
      await enqueueSync(tx, placeOf(scope, row));
      await log(tx, scope, row, action, change);
    });
    return { domain: row.address, notice: end.kind === 'later' ? end.text : null };
  }

  async function readBack(row: DomainRecord, test: (read: RegistrarDomain) => boolean) {
    const read = await registrar.domain(row.address);
    return {
      applied: read !== null && test(read),
      present: read && {
        ...{ locked: read.locked, autoRenew: row.auto_renew, privacy: read.privacy },
        nameservers: read.nameservers,
      },
    };
  }

  async function requireSettable(scope: Scope, domain: string): Promise<DomainRecord> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    requireSettings(scope, row);
    return row;
  }

  function log(
    tx: Tx,
    scope: Scope,
    row: DomainRecord,
    action: AuditAction,
    change: { before?: unknown; after?: unknown },
  ): Promise<void> {
    const object = { objectKind: 'domain', object: row.address, customerId: row.customer_id };
    return audit(tx, scope, { at: clock.now(), action, ...object, ...change });
  }

  return { details, setLock, setAutoRenew, setPrivacy, setNameservers, setContacts };
}

/** A living domain in reach; another organisation's is as one that never was. */
export async function requireDomain(tx: Tx, scope: Scope, domain: string): Promise<DomainRecord> {
  const row = await findWithCustomer(tx, scope, domain);
  if (!row) throw new AppError('not_found');
  return row;
}

/** Settings of a domain that is ours, by someone who may: a customer's own users if the MSP allows it. */
export function requireSettings(scope: Scope, row: DomainRecord): void {
  if (isLimited(scope) && !row.customerMaySet) throw new AppError('forbidden');
  if (row.status === 'transferring') {
    throw new AppError('unprocessable', { message: 'This is possible once the transfer is complete.' });
  }
}

function placeOf(scope: Scope, row: DomainRecord) {
  return { organisationId: scope.organisationId, address: row.address };
}

/** Of what is there: the contacts that are to be changed, and of each the fields that are. */
function partOf(present: Partial<ContactSet>, wanted: Partial<ContactSet>): Partial<ContactSet> {
  const kinds = Object.keys(wanted) as (keyof ContactSet)[];
  return Object.fromEntries(kinds.map((kind) => [kind, present[kind]]));
}

function asOrganisation<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  return withFairnessKey(scope.organisationId, work);
}

/** Whether the registrar has what was sent; empty lines and absent ones are the same. */
function holds(present: Partial<ContactSet>, wanted: Partial<ContactSet>): boolean {
  return Object.entries(wanted).every(([type, contact]) =>
    Object.entries(contact ?? {}).every(([field, value]) => {
      const there = present[type as keyof ContactSet] as Record<string, string | undefined> | undefined;
      return (there?.[field] ?? '') === (value ?? '');
    }),
  );
}
