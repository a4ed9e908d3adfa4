import type { Order, OrderItem } from '#contracts/operations/orders.ts';
import { usdText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { isOpenItem } from '#contracts/values/order-states.ts';
import { transferStarted } from '#contracts/values/outcome-texts.ts';

export const itemKinds = {
  domain: 'Registration',
  renewal: 'Renewal',
  redemption: 'Restoration',
  transfer: 'Transfer',
  certificate: 'Certificate',
} as const;

type Tone = 'teal' | 'yellow' | 'red' | 'gray';

export const itemStates: Record<OrderItem['state'], { label: string; tone: Tone }> = {
  queued: { label: 'Waiting', tone: 'gray' },
  sending: { label: 'Being sent', tone: 'gray' },
  pending: { label: 'In progress', tone: 'yellow' },
  unknown: { label: 'Being confirmed', tone: 'yellow' },
  review: { label: 'Under review', tone: 'yellow' },
  succeeded: { label: 'Done', tone: 'teal' },
  declined: { label: 'Not done', tone: 'red' },
};

export const orderStates: Record<Order['state'], { label: string; tone: Tone }> = {
  held: { label: 'Waiting', tone: 'gray' },
  running: { label: 'In progress', tone: 'yellow' },
  settled: { label: 'Completed', tone: 'teal' },
  partial: { label: 'Partly completed', tone: 'yellow' },
  failed: { label: 'Not completed', tone: 'red' },
};

/** In a word or two. */
export function itemMark({ state, refunded }: Pick<OrderItem, 'state' | 'refunded'>) {
  return refunded > 0 ? ({ label: 'Paid back', tone: 'gray' } as const) : itemStates[state];
}

/** What is happening to an item and to the money for it. */
export function itemStory(item: OrderItem): string {
  switch (item.state) {
    case 'queued':
      return 'Waiting to be sent to the registrar. Funds are reserved.';
    case 'sending':
      return 'Being sent to the registrar. Funds are reserved.';
    case 'pending':
      return item.kind === 'transfer'
        ? transferStarted
        : 'The registrar has accepted it and the registry has not finished yet. Funds are reserved; you are charged when it completes.';
    case 'unknown':
      return 'The registrar has not confirmed the outcome yet. The portal keeps asking and never buys anything twice. Funds are reserved; you are charged only if it succeeds.';
    case 'review':
      return 'The registrar’s answers do not show the outcome. The people who run this portal know about it and are looking into it. Funds stay reserved; you are charged only if it succeeded.';
    case 'succeeded':
      return item.refunded > 0
        ? `Charged, and it came to nothing later. ${usdText(item.refunded)} was paid back to your balance.`
        : 'Done and charged.';
    case 'declined':
      return `${sentence(item.error ?? 'This could not be completed')} The reserved funds were given back.`;
  }
}

/** A registrar's text ends as it likes. */
const sentence = (text: string) => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

const ownItems = (order: Order) => order.items.filter(({ orderId }) => orderId === order.orderId);

/** Whether anything was ever charged: its receipt stays when all of it was paid back. */
export function hasReceipt(order: Order): boolean {
  return ownItems(order).some(({ state, price }) => state === 'succeeded' && price > 0);
}

/** Cents that were charged for the order's own items and paid back. */
export function paidBackOf(order: Order): number {
  return ownItems(order).reduce((sum, item) => sum + usdToCents(item.refunded), 0);
}

/** Cents still reserved for the order's own items. */
export function reservedOf(order: Order): number {
  return ownItems(order)
    .filter(({ state }) => isOpenItem(state))
    .reduce((sum, item) => sum + usdToCents(item.price), 0);
}
