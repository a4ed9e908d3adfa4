import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { cart, cartNow, leftOutNow, onCartChange } from './cart.ts';
import { type ItemName, sameItem } from './cart-state.ts';

/** The items; and whether a name is among them. */
export function useCart(userId?: string | null) {
  useEffect(() => {
    if (userId) cart.init(userId);
  }, [userId]);
  const { items, running, seen, sharedOwner } = useSyncExternalStore(onCartChange, cartNow, cartNow);
  const addresses = useMemo(
    () => new Set(items.filter((i) => i.type === 'domain').map((i) => i.address)),
    [items],
  );
  const has = useCallback((address: string) => addresses.has(address), [addresses]);
  return { items, has, running, seen, sharedOwner };
}

/** Whether the cart holds it. Other changes of the cart draw nothing again. */
export function useInCart(name: ItemName): boolean {
  const now = () => cartNow().items.some((item) => sameItem(item, name));
  return useSyncExternalStore(onCartChange, now, now);
}

/** What found no place in the cart since the person was last told. */
export function useLeftOut(): readonly string[] {
  return useSyncExternalStore(onCartChange, leftOutNow, leftOutNow);
}
