import type { SettingResult } from '#contracts/operations/domain-settings.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import type { DomainSettings } from '#contracts/values/domain-settings.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, type Tx } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Fence } from '#kernel/fence.ts';
import type { Lease, Leases } from '#kernel/leases.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type {
  ContactSet,
  RegistrarDomain,
  RegistrarNames,
  RegistrarSettings,
} from '../../ports/registrar.ts';
import { concluded, underLease } from './outcome.ts';
import { type DomainRecord, recordSettings } from './settings.repo.ts';
import { enqueueSync } from './sync-job.ts';
import { notedIfUnknown } from './unknown-outcome.ts';

export interface SettingActsDeps {
  db: Db;
  registrar: Pick<RegistrarNames, 'domain'> &
    Pick<
      RegistrarSettings,
      'setLock' | 'setAutoRenew' | 'setPrivacy' | 'setContacts' | 'setNameservers' | 'dsRecords'
    >;
  clock: Clock;
  leases: Leases;
}

/** One change of a setting: how it is sent, how it is known to have happened, and what the log calls it. */
interface Act {
  action: AuditAction;
  write: (fence: Fence) => Promise<Outcome<void>>;
  reached: (read: RegistrarDomain) => boolean;
  known: Parameters<typeof recordSettings>[2];
}

/** The change that sets the one part of `after`. */
function actOf(registrar: SettingActsDeps['registrar'], domain: string, after: DomainSettings): Act {
  const { locked, autoRenew, privacy, nameservers, contacts } = after;
  if (locked !== undefined) {
    return {
      action: locked ? 'domains.lock' : 'domains.unlock',
      write: (fence) => registrar.setLock(domain, locked, fence),
      reached: (read) => read.locked === locked,
      known: { locked },
    };
  }
  if (autoRenew !== undefined) {
    /**
     * The portal renews by itself (decisions no. 25): its switch is what counts, and the registrar's own stays off
     * whichever way it is turned, so that no year is ever bought twice (docs/decisions/0024).
     */
    return {
      action: 'domains.autoRenew',
      write: (fence) => registrar.setAutoRenew(domain, false, fence),
      reached: (read) => !read.autoRenew,
      known: { autoRenew },
    };
  }
  if (typeof privacy === 'boolean') {
    return {
      action: 'domains.privacy',
      write: (fence) => registrar.setPrivacy(domain, privacy, fence),
      reached: (read) => read.privacy === privacy,
      known: { privacy },
    };
  }
  if (nameservers) {
    const wanted = [...nameservers].sort().join();
    return {
      action: 'domains.updateNameservers',
      write: (fence) => registrar.setNameservers(domain, nameservers, fence),
      reached: (read) => [...read.nameservers].sort().join() === wanted,
      known: { nameservers },
    };
  }
  if (contacts) {
    return {
      action: 'domains.contacts',
      write: (fence) => registrar.setContacts(domain, contacts, fence),
      reached: (read) => holds(read.contacts, contacts),
      known: {},
    };
  }
  throw new Error('no setting to be set at the registrar');
}

export type Change = { before?: unknown; after?: unknown };

/** How a setting is sent to the registrar and kept, for one domain or one of many. */
export function createSettingActs({ db, registrar, clock, leases }: SettingActsDeps) {
  /** One change at a time to the settings of a domain. */
  const alone = <T>(scope: Scope, domain: string, work: (lease: Lease) => Promise<T>): Promise<T> =>
    leases.run(scope, `settings of ${domain}`, (lease) => asOrganisation(scope, () => work(lease)));

  /** Sends it, and reads it again where there was no answer. */
  async function send(row: DomainRecord, act: Act, lease: Lease) {
    const outcome = await underLease(lease, act.write);
    return concluded(outcome, () => readBack(row, act.reached));
  }

  async function set(
    scope: Scope,
    row: DomainRecord,
    after: DomainSettings,
    change: Change,
  ): Promise<SettingResult> {
    const act = actOf(registrar, row.address, after);
    const end = await notedIfUnknown({ db, clock }, scope, { row, action: act.action, change }, async () => {
      const outcome = await alone(scope, row.address, (lease) => underLease(lease, act.write));
      return concluded(outcome, () => readBack(row, act.reached));
    });
    await inTransaction(db, scope, (tx) => keep(tx, scope, row, act, change, end.kind === 'applied'));
    return { domain: row.address, notice: end.kind === 'later' ? end.text : null };
  }

  /** In one transaction: the portal's copy, a job that reads the registrar again, and the log. */
  async function keep(
    tx: Tx,
    scope: Scope,
    row: DomainRecord,
    act: Act,
    change: Change,
    isApplied: boolean,
  ): Promise<void> {
    if (isApplied) await recordSettings(tx, placeOf(scope, row), act.known);
    await enqueueSync(tx, placeOf(scope, row));
    await log(tx, scope, row, act.action, change);
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

  /** A customer's own users read what is of the kind `domain`. */
  function log(
    tx: Tx,
    scope: Scope,
    row: DomainRecord,
    action: AuditAction,
    change: Change,
    objectKind = 'domain',
  ): Promise<void> {
    const object = { objectKind, object: row.address, customerId: row.customer_id };
    return audit(tx, scope, { at: clock.now(), action, ...object, ...change });
  }

  return {
    ...{ alone, send, set, keep, log },
    actOf: (domain: string, after: DomainSettings) => actOf(registrar, domain, after),
  };
}

export type SettingActs = ReturnType<typeof createSettingActs>;

export function placeOf(scope: Scope, row: DomainRecord) {
  return { organisationId: scope.organisationId, address: row.address };
}

export function asOrganisation<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
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
