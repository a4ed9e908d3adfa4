import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { ReplyOf } from '#contracts/operation.ts';
import type { purchaseOutcome } from '#contracts/operations/orders.ts';
import { call } from '../../lib/api-client.ts';
import { isRefusal } from '../../lib/api-error.ts';
import { follow } from '../../lib/followed-work.ts';
import { useMutation } from '../../lib/mutation.ts';
import { changedByOrders, readAgain } from '../../lib/read-again.ts';
import { type CartItem, cart, type RunningItem, type SentOrder } from './cart.ts';
import { useOrder } from './order-api.ts';
import { keepRefusal } from './refusal.ts';
import { isNotPlaced } from './sent-order.ts';

export const orderKeys = { prices: (request: unknown) => ['cart', 'prices', request] as const };

/** All that is asked for is in the key: another period or product is another price. */
export function cartPricesQuery(items: readonly CartItem[]) {
  const request = items.map((item) => ({
    address: item.address,
    period: item.type === 'domain' ? item.registration : 1,
    whois: item.type === 'domain' ? item.whois : false,
    kind: item.type,
    ...(item.type === 'certificate' ? { productType: item.productType } : {}),
  }));
  return {
    queryKey: orderKeys.prices(request),
    queryFn: () => call('POST /cart/prices', { body: request }),
    // A price is good for a while; the server checks it again before it charges.
    staleTime: 60_000,
  };
}

/** Present prices of the cart's items. */
export function useCartPrices(items: readonly CartItem[]) {
  const enabled = items.length > 0;
  return useQuery({ ...cartPricesQuery(items), enabled, placeholderData: keepPreviousData });
}

/** A user who wanted to leave and is still here after this time has stayed. */
const leftWithinMs = 5_000;
let leaving = false;
if (typeof window !== 'undefined') {
  window.addEventListener('beforeunload', () => {
    leaving = true;
    setTimeout(() => {
      leaving = false;
    }, leftWithinMs);
  });
}

/** Buys the cart. What is sent is stored with its key before: asking again after a lost answer is the same order. */
export function usePurchase() {
  const client = useQueryClient();
  return useMutation(
    {
      mutationFn: (order: SentOrder) =>
        call('POST /cart/purchase', {
          body: order.body,
          idempotencyKey: order.key,
        }),
      onError: (error, order) => {
        if (!isNotPlaced(error, order)) return;
        keepRefusal(error);
        // A page that is being left drops its requests. The next page asks for the result.
        if (leaving) return;
        // A refusal ends the order; silence keeps it. What was not sent is not waited for.
        if (isRefusal(error)) cart.forgetOrder(order.key);
        else cart.notSent(order.key);
      },
      onSuccess: ({ orderId, pending }) => {
        if (pending.length > 0) follow({ kind: 'order', id: orderId });
      },
      // P1 §4: balances and prices are refetched after every attempt.
      onSettled: () => readAgain(client, ...changedByOrders),
    },
    sameOrder,
  );
}

const sameOrder = (a: SentOrder, b: SentOrder) => a.key === b.key;

export { isUnsent } from './sent-order.ts';

export type OrderProgress = NonNullable<ReplyOf<typeof purchaseOutcome>['progress']>;

/** While the answer is awaited it is asked for this often. */
const askEveryMs = 2_000;

/** What became of an order whose answer was lost: asked by its key, which orders nothing. null: nothing is asked. */
export function usePurchaseOutcome(order: SentOrder | null) {
  return useQuery({
    queryKey: ['cart', 'outcome', order?.key],
    queryFn: ({ signal }) => call('GET /cart/purchase/:key', { params: { key: order?.key ?? '' }, signal }),
    enabled: order !== null,
    refetchInterval: (query) => (query.state.data?.state === 'done' ? false : askEveryMs),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
}

/** How far an order is that this page waits for: first asked after a while, as most have their answer by then. */
export function usePurchaseProgress(order: SentOrder | null): OrderProgress | null {
  const key = order?.key ?? '';
  const { data } = useQuery({
    queryKey: ['cart', 'progress', key],
    queryFn: ({ signal }) => call('GET /cart/purchase/:key', { params: { key }, signal }),
    enabled: order !== null,
    refetchInterval: askEveryMs,
    retry: false,
    initialData: { state: 'running', result: null, progress: null },
    staleTime: askEveryMs,
    gcTime: 0,
  });
  return order && data.progress;
}

/** The same, asked once: before another order is sent, which would buy the same items again. */
export function useEarlierOutcome() {
  return useMutation({
    mutationFn: ({ key }: SentOrder) => call('GET /cart/purchase/:key', { params: { key } }),
  });
}

/** Calls when a running item has ended, with whether it was bought. */
export function useRunningItem(item: RunningItem, onEnd: (bought: boolean) => void) {
  const client = useQueryClient();
  const order = useOrder(item.orderId);
  const state = order.data?.items.find(({ itemId }) => itemId === item.itemId)?.state;
  const ended = state === 'succeeded' || state === 'declined';
  const end = useEffectEvent((bought: boolean) => {
    onEnd(bought);
    void readAgain(client, ...changedByOrders);
  });
  useEffect(() => {
    if (ended) end(state === 'succeeded');
  }, [ended, state]);
  return state;
}
