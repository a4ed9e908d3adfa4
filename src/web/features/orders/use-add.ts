import { useNavigate } from '@tanstack/react-router';
import { type CartItem, cart } from './cart.ts';
import { useCart } from './use-cart.ts';

/** Puts an item into the user's cart and goes there. */
export function useAddAndGo(userId: string | undefined): (item: CartItem) => void {
  const navigate = useNavigate();
  useCart(userId);
  return (item) => {
    cart.add(item);
    void navigate({ to: '/cart' });
  };
}
