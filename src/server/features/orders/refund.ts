import { z } from 'zod';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import { adjust } from '../../ledger/ledger.ts';

export const refundTask = 'orders.refund-certificate';

const payload = z.object({ organisationId: z.uuid(), itemId: z.uuid(), reason: z.string().max(300) });

/**
 * A certificate order that was accepted, paid, and then came to nothing: the wallet gets its price back, once. The
 * journal's reference is the guard; the job may run as often as it likes.
 */
export function createRefund(deps: { db: Db; clock: Clock }) {
  return async (given: Record<string, unknown>): Promise<void> => {
    const { organisationId, itemId, reason } = payload.parse(given);
    try {
      await inTransaction(deps.db, { organisationId }, async (tx) => {
        const item = await tx
          .selectFrom('order_items')
          .select(['address', 'price_cents'])
          .where('organisation_id', '=', organisationId)
          .where('id', '=', itemId)
          .where('kind', '=', 'certificate')
          .where('state', '=', 'succeeded')
          .executeTakeFirst();
        if (!item || item.price_cents === 0) return;
        await adjust(tx, {
          organisationId,
          cents: item.price_cents,
          ref: `refund:${itemId}`,
          actor: 'orders',
          text: `Certificate for ${item.address}: ${reason}`,
        });
      });
    } catch (error) {
      // Paid back before.
      if (!isUniqueViolation(error)) throw error;
    }
  };
}
