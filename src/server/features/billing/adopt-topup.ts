import { type Db, inTransaction } from '#kernel/db/database.ts';
import type { Payment } from '../../ports/payments.ts';
import { findTopup, insertTopup } from './topups.repo.ts';
import type { createTopups } from './topups.service.ts';

/**
 * A payment of ours whose top-up the database does not know, after a restore: the top-up is written down again, as the
 * payment's metadata tells it, and the payment applied. False for one that is known.
 */
export function createTopupAdoption(db: Db, topups: Pick<ReturnType<typeof createTopups>, 'refresh'>) {
  return async ({ id, organisationId, topupId, amountCents: cents }: Payment): Promise<boolean> => {
    if (!organisationId || !topupId) return false;
    const isNew = await inTransaction(db, { organisationId }, async (tx) => {
      if (await findTopup(tx, organisationId, topupId)) return false;
      await insertTopup(tx, { id: topupId, organisationId, userId: null, kind: 'manual', cents });
      return true;
    });
    await topups.refresh(organisationId, topupId, id);
    return isNew;
  };
}
