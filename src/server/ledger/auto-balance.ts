import type { Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';

/**
 * What may be spent has become less, or did not suffice: once this transaction is committed, auto balance looks whether the sum
 * is below its mark.
 */
export function considerTopUp(tx: Tx, organisationId: string): Promise<void> {
  const key = `auto-topup:${organisationId}`;
  return enqueueJob(tx, 'billing.consider-auto-topup', { organisationId }, { key });
}
