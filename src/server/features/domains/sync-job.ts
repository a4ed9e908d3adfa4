import type { Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';

/** Reads the domain from the registrar soon, once for however many changes. */
export function enqueueSync(tx: Tx, where: { organisationId: string; address: string }): Promise<void> {
  const { organisationId, address } = where;
  return enqueueJob(
    tx,
    'domains.sync',
    { organisationId, address },
    { key: `domains.sync:${address}`, maxAttempts: 5 },
  );
}
