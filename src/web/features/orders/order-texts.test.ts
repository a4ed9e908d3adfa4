import { expect, test } from 'vitest';
import type { Order, OrderItem } from '#contracts/operations/orders.ts';
import { openItemStates } from '#contracts/values/order-states.ts';
import { hasReceipt, itemMark, itemStory, paidBackOf, reservedOf } from './order-texts.ts';

const item = (change: Partial<OrderItem> = {}) =>
  ({
    kind: 'certificate',
    price: 49.99,
    refunded: 0,
    state: 'succeeded',
    orderId: 'o-1',
    error: null,
    ...change,
  }) as OrderItem;
const order = (...items: OrderItem[]) => {
  const own = items.filter(({ orderId, state }) => orderId === 'o-1' && state === 'succeeded');
  const charged = own.reduce((sum, { price, refunded }) => sum + price - refunded, 0);
  return { orderId: 'o-1', items, charged } as Order;
};
const paidBack = item({ refunded: 49.99 });

test('what was charged says so, and what was paid back later says that too', () => {
  expect(itemStory(item())).toBe('Done and charged.');
  expect(itemStory(paidBack)).toBe(
    'Charged, and it came to nothing later. $49.99 was paid back to your balance.',
  );
  expect([itemMark(item()).label, itemMark(paidBack).label]).toEqual(['Done', 'Paid back']);
});

test('there is a receipt once something was charged here, also when all of it was paid back', () => {
  expect(hasReceipt(order(item()))).toBe(true);
  expect(hasReceipt(order(paidBack))).toBe(true);
  expect(hasReceipt(order(item({ state: 'pending' }), item({ state: 'declined' })))).toBe(false);
  expect(hasReceipt(order(item({ price: 0 })))).toBe(false);
  expect(hasReceipt(order(item({ orderId: 'o-2' })))).toBe(false);
});

test('sums are of the order’s own items: what was paid back, and what is reserved', () => {
  const elsewhere = { orderId: 'o-2', refunded: 10 };
  expect(paidBackOf(order(paidBack, item(), item(elsewhere), item({ refunded: 0.1 })))).toBe(5_009);
  for (const state of openItemStates) expect(reservedOf(order(item({ state })))).toBe(4_999);
  const open = item({ state: 'unknown' });
  expect(
    reservedOf(order(open, item(), item({ state: 'declined' }), item({ ...open, orderId: 'o-2' }))),
  ).toBe(4_999);
});
