import type { Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';

export const syncTask = 'domains.sync';

/** Reads the domain from the registrar soon, once for however many changes. */
export function enqueueSync(tx: Tx, where: { organisationId: string; address: string }): Promise<void> {
  const { organisationId, address } = where;
  return enqueueJob(
    tx,
    syncTask,
    { organisationId, address },
    { key: `${syncTask}:${address}`, maxAttempts: 5 },
  );
}
