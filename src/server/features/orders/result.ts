import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { isOpenItem } from '#contracts/values/order-states.ts';
import { stillBeingConfirmed, transferStarted } from '#contracts/values/outcome-texts.ts';
import type { Item } from './item.ts';

const lists = {
  domain: 'domains',
  renewal: 'renewals',
  // It comes back with a year more.
  redemption: 'renewals',
  transfer: 'transfers',
  certificate: 'certificates',
} as const;

/**
 * The purchase result (P1 §3, decisions no. 7 and 8), derived from the items. A transfer that was accepted counts as
 * succeeded to the person who ordered it: its money is held until it completes.
 */
export function purchaseResultOf(orderId: string, items: readonly Item[]): PurchaseResult {
  const result: PurchaseResult = {
    orderId,
    domains: { success: [], fail: [] },
    renewals: { success: [], fail: [] },
    transfers: { success: [], fail: [] },
    certificates: { success: [], fail: [] },
    pending: [],
  };
  for (const item of items) {
    const list = result[lists[item.kind]];
    const price = centsToUsd(item.priceCents);
    const earlier = item.orderId === orderId ? {} : { earlierOrderId: item.orderId };
    if (item.state === 'succeeded') {
      const note = item.outcomeNote ? { note: item.outcomeNote } : {};
      list.success.push({ domain: item.address, price, ...note, ...earlier });
    } else if (item.kind === 'transfer' && item.state === 'pending') {
      list.success.push({ domain: item.address, price, note: transferStarted, ...earlier });
    } else if (isOpenItem(item.state)) {
      list.fail.push({ domain: item.address, price, error: stillBeingConfirmed });
      result.pending.push({ domain: item.address, kind: item.kind, itemId: item.id });
    } else {
      list.fail.push({ domain: item.address, price, error: item.publicError ?? 'Something went wrong' });
    }
  }
  return result;
}
