import { type Db, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';

/** Goes on for some three and a half hours: a registrar that has no turn for a reading is back by then. */
export const syncAttempts = 10;

/**
 * Reads the domain from the registrar soon, once for however many changes. `runAt`: not before. The key needs no organization: a name is
 * alive in one at a time (index `domains_living`), and a job of the one that had it before finds nothing to write. Should that one's job
 * take the place of the present owner's (it was queued by a call to the registrar that was under way as the name changed hands), the
 * daily reading makes up for it.
 */
export function enqueueSync(
  tx: Tx,
  where: { organisationId: string; address: string },
  runAt?: Date,
): Promise<void> {
  const { organisationId, address } = where;
  return enqueueJob(
    tx,
    'domains.sync',
    { organisationId, address },
    { key: `domains.sync:${address}`, maxAttempts: syncAttempts, ...(runAt ? { runAt } : {}) },
  );
}

/** Names part by part, each in a transaction of its own, until there are no more. */
export async function inParts(
  systemDb: Db,
  enqueue: (tx: Tx, after: string) => Promise<string | null>,
): Promise<void> {
  let after: string | null = '';
  while (after !== null) {
    const begin: string = after;
    after = await systemTransaction(systemDb, (tx) => enqueue(tx, begin));
  }
}
