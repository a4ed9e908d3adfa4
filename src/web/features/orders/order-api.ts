import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Order } from '#contracts/operations/orders.ts';
import { isOpenItem } from '#contracts/values/order-states.ts';
import { call, callFile, callPage } from '../../lib/api-client.ts';
import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallInput } from '../../lib/operations.ts';
import { changedByOrders, readAgain } from '../../lib/read-again.ts';
import { usePage } from '../../lib/use-page.ts';

/** While something is being sent it is looked at often; what takes days, now and then. */
const lookOftenMs = 2_000;
const lookSeldomMs = 30_000;

/** One order with the live state of its items; follows it until nothing is open, and has read again what an end changes. */
export function useOrder(id: string) {
  const client = useQueryClient();
  const queryKey = ['orders', 'one', id];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<Order>(queryKey);
      const now = await call('GET /order/:id', { params: { id }, signal });
      if (before && hasEnded(before, now)) void readAgain(client, ...changedByOrders);
      return now;
    },
    refetchInterval: (query) => nextLookMs(query.state.data),
    staleTime: 0,
  });
}

/** Whether an item has come to its end since. */
export function hasEnded(before: Pick<Order, 'items'>, now: Pick<Order, 'items'>): boolean {
  const open = new Set(before.items.filter(({ state }) => isOpenItem(state)).map(({ itemId }) => itemId));
  return now.items.some(({ itemId, state }) => open.has(itemId) && !isOpenItem(state));
}

function nextLookMs(order: Order | undefined): number | false {
  const states = order?.items.map((item) => item.state) ?? [];
  if (states.some((state) => state === 'queued' || state === 'sending' || state === 'unknown'))
    return lookOftenMs;
  return states.some((state) => state === 'pending' || state === 'review') ? lookSeldomMs : false;
}

export type OrderQuery = NonNullable<CallInput<'GET /order'>['query']>;

export function useOrders(query: OrderQuery) {
  return usePage(['orders', 'list'], query, (wanted, signal) =>
    callPage('GET /order', { query: wanted, signal }),
  );
}

export function useSaveReceipt() {
  return useMutation({
    mutationFn: async (id: string) =>
      saveFile(await callFile('GET /order/:id/receipt', { params: { id }, timeoutMs: 60_000 })),
  });
}
