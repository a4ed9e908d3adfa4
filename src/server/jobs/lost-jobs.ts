import { type Db, sql } from '#kernel/db/database.ts';

/** A job that was taken only just may not have been handed over yet. */
const graceSeconds = 30;

/**
 * Jobs that this runner has taken and does not know of: the connection was lost between the database's answer and us.
 * Nobody would work on them as long as this process lives. Two looks in a row, because a job that has just ended may
 * still be being written down.
 */
export function createLostJobs(
  db: Db,
  underWay: ReadonlySet<string>,
): { handBack(poolId: string): Promise<void> } {
  let suspects: readonly string[] = [];
  return {
    async handBack(poolId) {
      const { rows } = await sql<{ id: string }>`
        SELECT id::text FROM graphile_worker._private_jobs
        WHERE locked_by = ${poolId} AND locked_at <= now() - make_interval(secs => ${graceSeconds})`.execute(
        db,
      );
      const unknown = rows.map(({ id }) => id).filter((id) => !underWay.has(id));
      const lost = unknown.filter((id) => suspects.includes(id));
      suspects = unknown;
      if (lost.length === 0) return;
      await sql`WITH freed AS (
          UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL
          WHERE id = ANY(${lost}::bigint[]) AND locked_by = ${poolId} RETURNING job_queue_id
        )
        UPDATE graphile_worker._private_job_queues q SET locked_by = NULL, locked_at = NULL
        FROM freed WHERE q.id = freed.job_queue_id AND q.locked_by = ${poolId}`.execute(db);
    },
  };
}
