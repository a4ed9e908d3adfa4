import { expect, test } from 'vitest';
import type { Order } from '#contracts/operations/orders.ts';
import { testFiles } from '../../../../tests/support/asked.tsx';
import { hasEnded, useSaveReceipt } from './order-api.ts';

type Item = Order['items'][number];
const orderOf = (...states: Item['state'][]) => ({
  items: states.map((state, n) => ({ itemId: `item-${n}`, state }) as Item),
});

test.each([
  [orderOf('pending', 'succeeded'), orderOf('succeeded', 'succeeded')],
  [orderOf('unknown', 'pending'), orderOf('pending', 'declined')],
  [orderOf('review'), orderOf('declined')],
])('an item has come to its end: %j, %j', (before, now) => expect(hasEnded(before, now)).toBe(true));

test.each([
  [orderOf('queued'), orderOf('sending')],
  [orderOf('unknown'), orderOf('review')],
  [orderOf('succeeded', 'pending'), orderOf('succeeded', 'pending')],
  [orderOf('declined'), orderOf('declined')],
])('nothing has ended since: %j, %j', (before, now) => expect(hasEnded(before, now)).toBe(false));

testFiles(useSaveReceipt, [['a receipt', (save) => save.mutateAsync('o1'), 'GET /order/o1/receipt']]);
