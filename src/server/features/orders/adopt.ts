import { jobActions } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import type { OrderItemKind } from '#kernel/db/schema.ts';
import { readSharedNow } from '#kernel/db/time.ts';
import { newId } from '#kernel/ids.ts';
import { hold } from '../../ledger/ledger.ts';
import { insertOrder } from './checkout.repo.ts';
import type { ItemDetails } from './item.ts';
import { itemExists, moveItem } from './items.repo.ts';

/** An order that the registrar carried out for us and the database does not know, as its tag tells it. */
export interface LostOrder {
  itemId: string;
  organisationId: string;
  customerId: string | null;
  kind: OrderItemKind;
  address: string;
  years: number;
  priceCents: number;
  costCents: number;
  details: Omit<ItemDetails, 'adopted'>;
  orderedAt: Date;
}

export type Adoption =
  /** The engine asks for it by its tag, and charges it once. */
  | 'adopted'
  | 'known'
  /** The wallet has not enough: nothing was written. */
  | 'unfunded'
  /** An open item of the same name and kind is in the way: nothing was written. */
  | 'in the way';

class Unfunded extends Error {}

/**
 * Writes a lost order down again, held at its price, as one whose answer was lost: what follows is the engine's usual way of
 * finding out, so that money and names move by the same code as ever. A repeat changes nothing.
 */
export function createAdoption(deps: { db: Db; clock: Clock; pendingLimitCents: number }) {
  return async (lost: LostOrder): Promise<Adoption> => {
    try {
      return await inTransaction(deps.db, lost, async (tx) => {
        if (await itemExists(tx, lost.itemId)) return 'known';
        const { itemId, organisationId, customerId, orderedAt } = lost;
        const now = await readSharedNow(tx, deps.clock);
        const line = { ...lost, customerId };
        const details = { ...lost.details, adopted: true };
        const order = { id: newId(now.getTime()), organisationId, userId: null, source: 'recovery' as const };
        const item = { id: itemId, line, details, secretsSealed: null, expiryYear: null, firstLookAt: now };
        await insertOrder(tx, {
          ...order,
          ...{ totalCents: lost.priceCents, attached: [], items: [item], now: orderedAt },
        });
        const held = await hold(tx, {
          organisationId,
          items: [{ itemId, cents: lost.priceCents }],
          pendingLimitCents: deps.pendingLimitCents,
        });
        if (!held) throw new Unfunded();
        const first = { id: itemId, attempt: 0 };
        await moveItem(tx, first, ['queued'], { to: 'unknown', now, nextCheckAt: now, unknownSince: now });
        const { action, actor } = jobActions.recovery;
        await audit(
          tx,
          { organisationId, userId: null, email: actor, ip: null },
          {
            ...{ at: now, action, objectKind: 'order item', object: lost.address, customerId },
            after: { item: itemId, kind: lost.kind, cents: lost.priceCents },
          },
        );
        return 'adopted';
      });
    } catch (error) {
      if (error instanceof Unfunded) return 'unfunded';
      if (isUniqueViolation(error)) return 'in the way';
      throw error;
    }
  };
}
