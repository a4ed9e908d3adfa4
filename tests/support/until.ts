import { type Db, inTransaction, sql } from '../../src/server/kernel/db/database.ts';
import type { JobName } from '../../src/server/kernel/job-table.ts';
import { enqueueJob } from '../../src/server/kernel/jobs.ts';
import type { Account } from './account.ts';
import type { Stack } from './stack.ts';

type Sweep = Extract<JobName, 'orders.sweep' | 'billing.sweep' | 'direct-billing.sweep'>;

/**
 * Waits until what is read is right, for some minutes: the database needs 20 seconds to take a lock from a stopped process.
 * Every two seconds the sweeps are started that the schedule starts every minute or every few minutes: a try that a slow
 * machine lets run out of time is made again at once.
 */
export function untilOf(stack: () => Stack, account: () => Account, sweeps: readonly Sweep[]) {
  return async <T>(what: string, read: () => Promise<T>, right: (found: T) => boolean): Promise<T> => {
    let found = await read();
    const end = performance.now() + 600_000;
    for (let round = 1; performance.now() < end && !right(found); round++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (round % 10 === 0) await startSweeps(stack(), account(), sweeps);
      found = await read();
    }
    if (!right(found)) throw new Error(`${what}: ${JSON.stringify(found)}\n${stack().log()}`);
    return found;
  };
}

/** One sweep may be in the hands of a stopped process and one may wait for its lock. More would fill the worker. */
async function startSweeps({ database }: Stack, { organisationId }: Account, sweeps: readonly Sweep[]) {
  const due: Sweep[] = [];
  for (const sweep of sweeps) if ((await unfinished(database.systemDb, sweep)) < 3) due.push(sweep);
  await inTransaction(database.db, { organisationId }, async (tx) => {
    for (const sweep of due) await enqueueJob(tx, sweep, {}, { key: `soon:${sweep}` });
  });
}

async function unfinished(systemDb: Db, sweep: Sweep): Promise<number> {
  const { rows } = await sql<{ jobs: number }>`SELECT count(*)::int AS jobs
    FROM graphile_worker._private_jobs AS j JOIN graphile_worker._private_tasks AS t ON t.id = j.task_id
    WHERE t.identifier = ${sweep}`.execute(systemDb);
  return rows[0]?.jobs ?? 0;
}
