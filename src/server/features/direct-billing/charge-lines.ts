import type { Tx } from '#kernel/db/database.ts';
import { findBilledCustomer, isBilledDirectly } from '../customers/index.ts';
import { type ChargedItem, confirmedItem } from './charges.repo.ts';
import { chargeFor } from './charges.rules.ts';

/** A confirmed item of a customer whose chip is Active, with its markup; null for all others. */
export async function chargeable(tx: Tx, itemId: string): Promise<ChargedItem | null> {
  const item = await confirmedItem(tx, itemId);
  if (!item?.customerId) return null;
  const customer = await findBilledCustomer(tx, { id: item.customerId });
  if (!customer || !isBilledDirectly(customer)) return null;
  const charged = chargeFor(item.priceCents, customer.markups, item);
  return charged && { itemId, orderId: item.orderId, customerId: customer.id, ...charged };
}
