import { inTransaction } from '../../src/server/kernel/db/database.ts';
import type { JobName } from '../../src/server/kernel/job-table.ts';
import { enqueueJob } from '../../src/server/kernel/jobs.ts';
import type { Account } from './account.ts';
import type { Stack } from './stack.ts';

type Sweep = Extract<JobName, 'orders.sweep' | 'billing.sweep' | 'direct-billing.sweep'>;

/**
 * Waits until what is read is right, up to four minutes: the database needs one to take a lock from a stopped process.
 * Every two seconds the sweeps are started that the schedule starts every minute or every few minutes: a try that a slow
 * machine lets run out of time is made again at once.
 */
export function untilOf(stack: () => Stack, account: () => Account, sweeps: readonly Sweep[]) {
  return async <T>(what: string, read: () => Promise<T>, right: (found: T) => boolean): Promise<T> => {
    let found = await read();
    for (let round = 1; round <= 1_200 && !right(found); round++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (round % 10 === 0) await startSweeps(stack(), account(), sweeps);
      found = await read();
    }
    if (!right(found)) throw new Error(`${what}: ${JSON.stringify(found)}\n${stack().log()}`);
    return found;
  };
}

async function startSweeps({ database }: Stack, { organisationId }: Account, sweeps: readonly Sweep[]) {
  await inTransaction(database.db, { organisationId }, async (tx) => {
    for (const sweep of sweeps) await enqueueJob(tx, sweep, {}, { key: `soon:${sweep}` });
  });
}
