import { useEffect, useMemo } from 'react';
import { type CartItem, cart, type SeenPrice } from './cart.ts';
import { remarkOfPrice } from './purchase-problems.ts';
import { comparedPrices, type ItemPrice, itemKey } from './summary.ts';

/** Prices that are not those that the person knows of, and what is said of them beside each item. What is shown first is known. */
export function useNewPrices(
  items: readonly CartItem[],
  prices: ReadonlyMap<string, ItemPrice>,
  seen: readonly SeenPrice[],
) {
  const { firstSeen, changed } = useMemo(() => comparedPrices(items, prices, seen), [items, prices, seen]);
  useEffect(() => {
    cart.see(firstSeen);
  }, [firstSeen]);
  const remarks = useMemo(
    () => new Map(changed.map((change) => [itemKey(change.present), remarkOfPrice(change)])),
    [changed],
  );
  return { changed, remarkOn: (item: CartItem) => remarks.get(itemKey(item)) ?? null };
}
