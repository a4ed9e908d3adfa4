import { createDatabase, type Db, sql } from '#kernel/db/database.ts';
import type { Logger } from '#kernel/logger.ts';
import { createLostJobs } from './lost-jobs.ts';

/** Often enough that the connection, and with it the lock, is never idle long enough to be closed. */
const lookEveryMs = 4_000;
/** A runner that has just begun may have taken a job before it shows that it lives. */
const graceSeconds = 30;

export interface Orphans {
  /** Jobs of runners that died are free again. Before the own runner starts, nobody is given the grace. */
  release(): Promise<void>;
  /** Shows that this runner lives, and keeps looking after those that do not. */
  watch(poolId: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A process that is killed leaves its jobs and their queues locked, and the job tables give them out again only after
 * four hours (graphile-worker 0.18.0, checked 2026-11-21). A runner therefore holds a lock of its session as long as
 * it lives, and a runner that finds jobs of one whose lock is free hands them out at once. Should a runner that lives lose
 * its connection, a job may run twice beside itself, which each job has to bear anyway.
 */
export function createOrphans(options: {
  databaseUrl: string;
  logger: Logger;
  /** Ids of the jobs that this runner works on. */
  underWay: ReadonlySet<string>;
}): Orphans {
  const db = createDatabase({ url: options.databaseUrl, maxConnections: 1 });
  const lost = createLostJobs(db, options.underWay);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  const look = async (poolId: string) => {
    await sql`SELECT pg_advisory_lock_shared(${lockOf(sql`${poolId}::text`)})`.execute(db);
    await free(db, poolId, graceSeconds);
    await lost.handBack(poolId);
    await clearSuperseded(db);
  };
  const logged = (error: unknown) =>
    options.logger.warn({ err: error }, 'jobs of dead runners not looked for');

  return {
    release: () => free(db, '', 0),
    async watch(poolId) {
      await look(poolId);
      timer = setInterval(() => {
        looking = look(poolId).catch(logged);
      }, lookEveryMs);
    },
    async stop() {
      clearInterval(timer);
      await looking;
      await db.destroy();
    },
  };
}

const lockOf = (poolId: ReturnType<typeof sql>) => sql`hashtextextended('runner:' || ${poolId}, 0)`;

/** A process that gets the lock exclusively knows that its owner is gone. */
async function free(db: Db, ownId: string, grace: number): Promise<void> {
  await sql`SELECT graphile_worker.force_unlock_workers(dead.ids) FROM (
    SELECT array_agg(locked_by) AS ids FROM (
      SELECT DISTINCT locked_by FROM (
        SELECT locked_by, locked_at FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL
        UNION ALL
        SELECT locked_by, locked_at FROM graphile_worker._private_job_queues WHERE locked_at IS NOT NULL
      ) held
      WHERE locked_by IS NOT NULL AND locked_by <> ${ownId} AND locked_at <= now() - make_interval(secs => ${grace})
    ) owners
    WHERE pg_try_advisory_xact_lock(${lockOf(sql`locked_by`)})
  ) dead WHERE dead.ids IS NOT NULL`.execute(db);
}

/** Jobs that gave their key to a later one (`enqueue_job`) and then failed or lost their process: the later one does it. */
export async function clearSuperseded(db: Db): Promise<void> {
  await sql`DELETE FROM graphile_worker._private_jobs WHERE locked_at IS NULL AND flags ? 'superseded'`.execute(
    db,
  );
}
