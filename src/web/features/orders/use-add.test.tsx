import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mostItems } from '#contracts/values/order-limits.ts';
import { cart, cartNow, newDomainItem, type TransferItem } from './cart.ts';
import { placed, useAddAndGo } from './use-add.ts';

const transfer: TransferItem = {
  ...{ type: 'transfer', address: 't.com', customerId: 'tim', registration: 1, autoRenew: false },
  EPPCode: 'Code-1',
};
const fill = () => cart.add(...Array.from({ length: mostItems }, (_, n) => newDomainItem(`n${n}.com`)));

/** Adds as a screen does, and says where it leads. */
function addAndGo(): unknown {
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  let way: unknown = null;
  router.navigate = (async ({ to }: { to: unknown }) => {
    way = to;
  }) as never;
  const take = (add: ReturnType<typeof useAddAndGo>) => add(transfer);
  renderToStaticMarkup(
    <RouterContextProvider router={router as never}>
      <Screen take={take} />
    </RouterContextProvider>,
  );
  return way;
}

function Screen({ take }: { take: (add: ReturnType<typeof useAddAndGo>) => void }) {
  take(useAddAndGo('ann'));
  return null;
}

beforeEach(() => {
  // The previous user leaves nothing behind.
  cart.init(`nobody-${Math.random()}`);
  cart.clear();
});
afterEach(() => cart.clear());

test('an item that is put into the cart, or replaces the same one, is placed; a full cart places none', () => {
  expect(placed(transfer)).toBe(true);
  expect(placed({ ...transfer, EPPCode: 'Code-2' })).toBe(true);
  expect(cartNow().items).toEqual([{ ...transfer, EPPCode: 'Code-2' }]);
  cart.clear();
  fill();
  expect(placed(transfer)).toBe(false);
  expect(cartNow().items).toHaveLength(mostItems);
  expect(placed({ ...newDomainItem('n0.com'), whois: true })).toBe(true);
});

test('the way leads to the cart with the item in it, and not where the cart is full', () => {
  expect(addAndGo()).toBe('/cart');
  cart.clear();
  fill();
  expect(addAndGo()).toBeNull();
});
