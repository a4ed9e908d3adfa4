import {
  type AccessEvent,
  type AccessOutcome,
  type AccessState,
  accessLogDetailMost,
  type BuyLimits,
} from '#contracts/values/acme-access.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, later, type Tx } from '#kernel/db/database.ts';
import type { Seal } from '#kernel/seal.ts';
import { limitsNow, stateOf } from './access.rules.ts';
import {
  appendEntry,
  type Entry,
  findAccess,
  findAccountWithAccess,
  hmacContext,
  lockAccess,
  type MachineAccess,
  markUsed,
} from './access-log.repo.ts';
import type { AccountRecord } from './accounts.repo.ts';

/** An access as a machine's request meets it. */
export interface AcmeAccess {
  accessId: string;
  organisationId: string;
  customerId: string;
  /** Opens what the client signs its binding with. Empty once the access has been erased. */
  hmacKey(): Buffer;
  /** The one truth of whether the access and everything bound to it works. */
  state: AccessState;
  /** Null: every name of the customer. `coversName` reads it. */
  hosts: string[] | null;
  productId: string;
  lastUsedAt: Date | null;
  /** What holds now; null: it never buys. `mayBuy` decides. */
  mayBuy: BuyLimits | null;
}

export interface AcmeLogEntry {
  event: AccessEvent;
  identifiers: readonly string[];
  outcome: AccessOutcome;
  /** For a person: what was the matter and what to do. Never a secret, never another customer's name. */
  detail: string;
  /** For the MSP alone: what they can do about it. Absent: nothing, or what the detail says. */
  advice?: string;
}

/** Accesses across organizations: a machine has no session and names its access by key id or account. */
export interface AcmeAccesses {
  findByKeyId(keyId: string): Promise<AcmeAccess | null>;
  findById(accessId: string): Promise<AcmeAccess | null>;
  /** An account of a client, with its access; null: there is none. */
  ofAccount(accountId: string): Promise<{ account: AccountRecord; access: AcmeAccess } | null>;
  /**
   * As it is now; nobody else changes it or buys with it until this transaction of its organization has ended. What is asked
   * after it in the same go is seen as of then.
   */
  lock(tx: Tx, accessId: string): Promise<AcmeAccess | null>;
  /** Keeps the newest entries of each access. What repeats the entry before it counts that one up. */
  log(accessId: string, entry: AcmeLogEntry): Promise<void>;
  /** The same in a transaction of its organization, with its next statement. */
  logIn(tx: Tx, accessId: string, entry: AcmeLogEntry): Promise<void>;
  /** Says that it was used; within a minute one write. */
  touch(access: Pick<AcmeAccess, 'accessId' | 'lastUsedAt'>): Promise<void>;
}

function isMinuteOld(at: Date | null, now: Date): boolean {
  return at === null || now.getTime() - at.getTime() > 60_000;
}

function kept({ detail, advice = '', ...entry }: AcmeLogEntry): Entry {
  const short = (text: string) => text.slice(0, accessLogDetailMost);
  return { ...entry, detail: short(detail), advice: short(advice) };
}

export function createAcmeAccesses(deps: { systemDb: Db; clock: Clock; seal: Seal }): AcmeAccesses {
  const { systemDb, clock, seal } = deps;

  async function find(by: { keyId: string } | { id: string }, at: Db | Tx = systemDb) {
    const row = await findAccess(at, by);
    return row === undefined ? null : shown(row);
  }

  function keyOf({ hmacSealed: sealed, organisationId, id }: MachineAccess): Buffer {
    const key = sealed.length === 0 ? '' : seal.open(sealed, hmacContext(organisationId, id));
    return Buffer.from(key, 'base64url');
  }

  function shown(row: MachineAccess): AcmeAccess {
    const allowance = row.allowed ? { limits: row.allowedLimits } : null;
    return {
      accessId: row.id,
      organisationId: row.organisationId,
      customerId: row.customerId,
      hmacKey: () => keyOf(row),
      state: stateOf(row, clock.now()),
      ...{ hosts: row.hosts, lastUsedAt: row.lastUsedAt },
      productId: row.productType,
      mayBuy: limitsNow(row.limits, row.byCustomer, allowance),
    };
  }

  return {
    findByKeyId: (keyId) => find({ keyId }),
    findById: (id) => find({ id }),
    async ofAccount(accountId) {
      const found = await findAccountWithAccess(systemDb, accountId);
      return found === undefined ? null : { account: found.account, access: shown(found.access) };
    },
    async lock(tx, id) {
      await lockAccess(tx, id);
      return find({ id }, tx);
    },
    async log(accessId, entry) {
      await appendEntry(accessId, kept(entry), clock.now()).execute(systemDb);
    },
    logIn: (tx, accessId, entry) => later(tx, appendEntry(accessId, kept(entry), clock.now())),
    async touch({ accessId, lastUsedAt }) {
      const now = clock.now();
      if (isMinuteOld(lastUsedAt, now)) await markUsed(systemDb, accessId, now);
    },
  };
}
