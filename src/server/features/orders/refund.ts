import { jobActions } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { refundItem } from '../../ledger/ledger.ts';
import { paidCertificate } from './items.repo.ts';

/**
 * A certificate order that was accepted, paid, and then came to nothing: the wallet gets its price back, once, and
 * the statement shows it beside the order. The
 * journal's reference is the guard; the job may run as often as it likes.
 */
export function createRefund(deps: { db: Db; clock: Clock }) {
  return async (ordered: JobPayload<'orders.refund-certificate'>): Promise<void> => {
    const { organisationId, itemId, reason } = ordered;
    try {
      await inTransaction(deps.db, { organisationId }, async (tx) => {
        const item = await paidCertificate(tx, { organisationId, itemId });
        if (!item || item.priceCents === 0) return;
        await refundItem(tx, {
          organisationId,
          itemId,
          cents: item.priceCents,
          actor: 'orders',
          text: `Certificate for ${item.address}: ${reason}`,
        });
        // A customer who was charged directly gets the money back too.
        await enqueueJob(tx, 'orders.after-refund', { organisationId, itemId, reason });
        const { action, actor } = jobActions['orders.refund-certificate'];
        const job = { organisationId, userId: null, email: actor, ip: null };
        await audit(tx, job, {
          ...{ at: deps.clock.now(), action, objectKind: 'order item', object: item.address },
          ...{ customerId: item.customerId, after: { item: itemId, cents: item.priceCents, reason } },
        });
      });
    } catch (error) {
      // Paid back before.
      if (!isUniqueViolation(error)) throw error;
    }
  };
}
