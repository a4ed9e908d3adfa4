import type { CertificateBand } from '#contracts/operations/certificates.ts';
import type { Overview } from '#contracts/operations/overview.ts';
import type { Permission } from '#contracts/permissions.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import { holds, isLimited, type Scope } from '#kernel/scope.ts';
import { countAll } from './overview.repo.ts';

export interface OverviewDeps {
  db: Db;
  clock: Clock;
  /** How long after its expiry a name can still be renewed. */
  graceDays: number;
  /** How many certificates in reach are in each band, by the list's own rule. */
  certificateBands: (scope: Scope) => Promise<Record<CertificateBand, number>>;
  /** What waits for a person, in reach. */
  attention: (scope: Scope) => Promise<{ now: number; soon: number }>;
}

export type OverviewApi = ReturnType<typeof createOverview>;

/** The figures of the start: each part only for people who may see what it counts. */
export function createOverview({ db, clock, graceDays, ...deps }: OverviewDeps) {
  async function get(scope: Scope): Promise<Overview> {
    const may = <T>(permission: Permission, part: T) => (holds(scope, permission) ? part : null);
    const [counts, bands, attention] = await Promise.all([
      inReading(db, scope, (tx) => countAll(tx, scope, { now: clock.now(), graceDays })),
      holds(scope, 'domains.read') ? deps.certificateBands(scope) : null,
      holds(scope, 'domains.read') ? deps.attention(scope) : null,
    ]);
    const { held, expiring, lapsing, unverified, manual, unlocked, transferring } = counts;
    return {
      domains: may('domains.read', {
        ...{ held, expiring, lapsing, unverified, manual, unlocked, transferring },
      }),
      certificates: bands && {
        ...{ flagged: bands.attention, valid: bands.valid, open: bands.open, ended: bands.ended },
      },
      customers: may('customers.read', {
        total: counts.customers,
        // As in their list: how the MSP has them pay is not shown to a customer's own users.
        billedDirectly: isLimited(scope) ? 0 : counts.billedDirectly,
      }),
      people: may('users.manage', { users: counts.users, invites: counts.invites }),
      charges: may('customers.billing', { failed: counts.failedCharges }),
      attention: attention && { now: attention.now, soon: attention.soon },
    };
  }

  return { get };
}
