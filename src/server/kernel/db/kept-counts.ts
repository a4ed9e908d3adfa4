import { sql } from 'kysely';
import { type Db, systemTransaction } from './database.ts';

/** What the database counts while it changes (migration 0174, decision 236). */
export type KeptCount = 'customers' | 'domains' | 'renewing' | 'not_renewing' | 'locked' | 'not_locked';

/** The number of an organisation's rows, as of the moment of the statement that it is part of. */
export function keptCount(what: KeptCount, organisationId: string) {
  return sql<number>`(SELECT coalesce(sum(${sql.ref(`k.${what}`)}), 0)::int FROM kept_counts k
    WHERE k.organisation_id = ${organisationId})`;
}

/** One process mends at a time; the number is arbitrary and ours. */
const mending = 7_263_940_117;

/**
 * Counts everything, and writes what the kept numbers lack of it; says for which organisations they were wrong. One statement compares
 * what it counts with what is kept, in one snapshot: what others write meanwhile is in both or in neither.
 */
export function mendCounts(systemDb: Db): Promise<string[]> {
  return systemTransaction(systemDb, async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${mending})`.execute(tx);
    const { rows } = await sql<{ organisation_id: string }>`
      INSERT INTO kept_counts (organisation_id, customers, domains, renewing, not_renewing, locked, not_locked)
      SELECT organisation_id, sum(customers), sum(domains), sum(renewing), sum(not_renewing), sum(locked), sum(not_locked)
      FROM (
        SELECT organisation_id, count(*) AS customers, 0 AS domains, 0 AS renewing, 0 AS not_renewing, 0 AS locked, 0 AS not_locked
          FROM customers WHERE deleted_at IS NULL GROUP BY 1
        UNION ALL
        SELECT organisation_id, 0, sum(n.domains), sum(n.renewing), sum(n.not_renewing), sum(n.locked), sum(n.not_locked)
          FROM domains d, counts_of_domain(d.status, d.auto_renew, d.locked, 1) n GROUP BY 1
        UNION ALL
        SELECT organisation_id, -sum(customers), -sum(domains), -sum(renewing), -sum(not_renewing), -sum(locked), -sum(not_locked)
          FROM kept_counts GROUP BY 1) differences
      GROUP BY 1
      HAVING (sum(customers), sum(domains), sum(renewing), sum(not_renewing), sum(locked), sum(not_locked)) <> (0, 0, 0, 0, 0, 0)
      RETURNING organisation_id`.execute(tx);
    return rows.map(({ organisation_id: organisationId }) => organisationId);
  });
}
