import { renewalsAheadDays, renewSoonDays } from '#contracts/values/domain-life.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';

const dayMs = 86_400_000;

export interface Counts {
  held: number;
  expiring: number;
  lapsing: number;
  unverified: number;
  manual: number;
  unlocked: number;
  transferring: number;
  customers: number;
  billedDirectly: number;
  users: number;
  invites: number;
  failedCharges: number;
}

/**
 * All figures of the start in one statement, within the caller's reach. What has left the account expires for nobody, nobody confirms
 * it, and its settings are not ours: the list of domains filters alike.
 */
export async function countAll(
  tx: Tx,
  scope: Scope,
  { now, graceDays }: { now: Date; graceDays: number },
): Promise<Counts> {
  const organisation = scope.organisationId;
  const soon = new Date(now.getTime() + renewSoonDays * dayMs);
  const grace = new Date(now.getTime() - graceDays * dayMs);
  const quarter = new Date(now.getTime() + renewalsAheadDays * dayMs);
  const { rows } = await sql<Counts>`
    SELECT d.*, c.*, p.*, i.*, f.* FROM
      (SELECT count(*) FILTER (WHERE d.status IN ('active', 'expired'))::int AS held,
          count(*) FILTER (WHERE d.status IN ('active', 'expired') AND d.expires_at <= ${soon}
            AND d.missing_since IS NULL)::int AS expiring,
          count(*) FILTER (WHERE d.status IN ('active', 'expired') AND d.expires_at <= ${quarter}
            AND d.expires_at > ${grace} AND NOT d.auto_renew AND d.missing_since IS NULL)::int AS lapsing,
          count(*) FILTER (WHERE d.status <> 'ended' AND d.missing_since IS NULL
            AND d.verification IN ('waiting', 'reviewing', 'suspended'))::int AS unverified,
          count(*) FILTER (WHERE d.status IN ('active', 'expired') AND NOT d.auto_renew
            AND d.missing_since IS NULL)::int AS manual,
          count(*) FILTER (WHERE d.status IN ('active', 'expired') AND NOT d.locked
            AND d.missing_since IS NULL)::int AS unlocked,
          count(*) FILTER (WHERE d.status = 'transferring')::int AS transferring
        FROM domains d WHERE d.organisation_id = ${organisation} AND d.status <> 'ended'
          AND ${withinReach(scope, 'd.customer_id')}) d,
      (SELECT count(*)::int AS customers, count(*) FILTER (WHERE c.bill_directly)::int AS "billedDirectly"
        FROM customers c WHERE c.organisation_id = ${organisation} AND c.deleted_at IS NULL AND ${withinReach(scope, 'c.id')}) c,
      (SELECT count(*)::int AS users FROM users u
        WHERE u.organisation_id = ${organisation} AND u.removed_at IS NULL) p,
      (SELECT count(*)::int AS invites FROM invites i WHERE i.organisation_id = ${organisation}
        AND i.accepted_at IS NULL AND i.cancelled_at IS NULL AND i.expires_at > ${now}) i,
      (SELECT count(*)::int AS "failedCharges" FROM direct_charges x
        WHERE x.organisation_id = ${organisation} AND x.state = 'failed') f`.execute(tx);
  const [counts] = rows;
  if (!counts) throw new Error('a statement of counts gives one row');
  return counts;
}
