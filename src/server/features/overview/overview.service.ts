import type { Overview } from '#contracts/operations/overview.ts';
import type { Permission } from '#contracts/permissions.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction } from '#kernel/db/database.ts';
import { holds, type Scope } from '#kernel/scope.ts';
import { countAll } from './overview.repo.ts';

export interface OverviewDeps {
  db: Db;
  clock: Clock;
  /** How long after its expiry a name can still be renewed. */
  graceDays: number;
  /** The certificates in reach that need a person, by the list's own rule. */
  flaggedCertificates: (scope: Scope) => Promise<number>;
}

export type OverviewApi = ReturnType<typeof createOverview>;

/** The figures of the start: each part only for people who may see what it counts. */
export function createOverview({ db, clock, graceDays, flaggedCertificates }: OverviewDeps) {
  async function get(scope: Scope): Promise<Overview> {
    const may = <T>(permission: Permission, part: T) => (holds(scope, permission) ? part : null);
    const [counts, flagged] = await Promise.all([
      inTransaction(db, scope, (tx) => countAll(tx, scope, { now: clock.now(), graceDays })),
      holds(scope, 'domains.read') ? flaggedCertificates(scope) : 0,
    ]);
    const { held, expiring, lapsing, unverified, manual, unlocked, transferring } = counts;
    return {
      domains: may('domains.read', {
        ...{ held, expiring, lapsing, unverified, manual, unlocked, transferring },
      }),
      certificates: may('domains.read', { flagged }),
      customers: may('customers.read', { total: counts.customers, billedDirectly: counts.billedDirectly }),
      people: may('users.manage', { users: counts.users, invites: counts.invites }),
      charges: may('customers.billing', { failed: counts.failedCharges }),
    };
  }

  return { get };
}
