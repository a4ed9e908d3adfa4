import type { Order, OrderItem } from '#contracts/operations/orders.ts';

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

/** What is happening to an item and to the money for it. */
export function itemStory(item: OrderItem): string {
  switch (item.state) {
    case 'queued':
      return 'Waiting to be sent to the registrar. Funds are reserved.';
    case 'sending':
      return 'Being sent to the registrar. Funds are reserved.';
    case 'pending':
      return item.kind === 'transfer'
        ? 'The transfer has started. Funds are reserved; you are charged when it completes.'
        : 'The registrar has accepted it and the registry has not finished yet. Funds are reserved; you are charged when it completes.';
    case 'unknown':
      return 'The registrar has not confirmed the outcome yet. The portal keeps asking and never buys anything twice. Funds are reserved; you are charged only if it succeeds.';
    case 'review':
      return 'The registrar’s answers do not show the outcome. The people who run this portal know about it and are looking into it. Funds stay reserved; you are charged only if it succeeded.';
    case 'succeeded':
      return 'Done and charged.';
    case 'declined':
      return `${sentence(item.error ?? 'This could not be completed')} The reserved funds were given back.`;
  }
}

/** A registrar's text ends as it likes. */
const sentence = (text: string) => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

const isOpen = (item: OrderItem) => item.state !== 'succeeded' && item.state !== 'declined';

/** Dollars still reserved for the order's own items. */
export function reservedOf(order: Order): number {
  return order.items
    .filter((item) => isOpen(item) && item.orderId === order.orderId)
    .reduce((sum, item) => sum + Math.round(item.price * 100), 0);
}
