import { useNavigate } from '@tanstack/react-router';
import { type CartItem, cart, cartNow } from './cart.ts';
import { sameItem } from './cart-state.ts';
import { useCart } from './use-cart.ts';

/** Puts an item into the cart, or in the place of the same one. False where the cart is full; the shell says so. */
export function placed(item: CartItem): boolean {
  if (!cartNow().items.some((known) => sameItem(known, item))) return cart.add(item).length === 0;
  cart.update(item);
  return true;
}

/** Puts an item into the user's cart and goes there, unless it found no place. */
export function useAddAndGo(userId: string | undefined): (item: CartItem) => void {
  const navigate = useNavigate();
  useCart(userId);
  return (item) => {
    if (cart.add(item).length === 0) void navigate({ to: '/cart' });
  };
}
