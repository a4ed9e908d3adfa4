import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import type { CallBody } from '../../lib/operations.ts';
import { type CartItem, cart } from './cart.ts';

export const orderKeys = { prices: (request: unknown) => ['cart', 'prices', request] as const };

/** Present prices of the cart's items. */
export function useCartPrices(items: readonly CartItem[]) {
  const request = items.map((item) => ({
    address: item.address,
    period: item.type === 'domain' ? item.registration : 1,
    whois: item.type === 'domain' ? item.whois : false,
    kind: item.type,
    ...(item.type === 'certificate' ? { productType: item.productType } : {}),
  }));
  return useQuery({
    queryKey: orderKeys.prices(request),
    queryFn: () => call('POST /cart/prices', { body: request }),
    enabled: items.length > 0,
    // A price is good for a while; the server checks it again before it charges.
    staleTime: 60_000,
    placeholderData: (previous) => previous,
  });
}

/** Longer than the server takes at most to answer. */
const purchaseTimeoutMs = 80_000;

/** Buys the cart. The key is stored with it before the request: asking again after a lost answer is the same order. */
export function usePurchase() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /cart/purchase'>) =>
      call('POST /cart/purchase', { body, idempotencyKey: cart.key(), timeoutMs: purchaseTimeoutMs }),
    onSuccess: () => cart.forgetKey(),
    onError: (error) => {
      // An answer, even a refusal, ends the order; only silence keeps its key.
      if (error instanceof ApiError && error.status > 0 && error.status < 500) {
        cart.forgetKey();
      }
    },
    // P1 §4: balances and prices are refetched after every attempt.
    onSettled: () =>
      Promise.all(
        [['account'], ['cart', 'prices'], ['customers'], ['domains'], ['certificates']].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
