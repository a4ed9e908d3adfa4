import { AppError } from '#contracts/errors.ts';
import { type Db, sql, systemTransaction } from '#kernel/db/database.ts';
import { leftMsOf } from '#kernel/db/time.ts';
import type { ZonePlace } from './versions.repo.ts';
import { type ReadingDeps, readZone } from './zone-reading.ts';

/** Zones that one run asks the registrar about. */
const mostAtOnce = 100;

/**
 * Concludes versions that a killed process, or an answer that never came, left open: the registrar is asked what the zone
 * is now, as when somebody looks at it. Those that may still reach the registrar wait for a later run.
 */
export async function settleVersions(deps: ReadingDeps & { systemDb: Db }): Promise<void> {
  for (const place of await openPlaces(deps)) {
    try {
      await readZone(deps, place);
    } catch (error) {
      // The registrar does not answer: the next run asks again.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

async function openPlaces({
  systemDb,
  clock,
  settleMs,
}: Pick<ReadingDeps, 'clock' | 'settleMs'> & { systemDb: Db }): Promise<ZonePlace[]> {
  const { rows } = await systemTransaction(systemDb, (tx) =>
    sql<ZonePlace>`
      SELECT DISTINCT d.organisation_id AS "organisationId", d.id AS "domainId", d.address, d.nameservers
      FROM zone_versions v JOIN domains d ON d.id = v.domain_id AND d.organisation_id = v.organisation_id
      WHERE v.state IN ('writing', 'unknown') AND ${leftMsOf(clock, sql.ref('v.created_at'), settleMs)} <= 0
        AND d.status IN ('active', 'expired')
      LIMIT ${mostAtOnce}`.execute(tx),
  );
  return rows;
}
