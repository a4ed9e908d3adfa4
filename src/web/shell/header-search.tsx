import { useNavigate } from '@tanstack/react-router';
import { SearchBox } from '../features/domains/search-box.tsx';
import { cart, newDomainItem, useCart } from '../features/orders/cart.ts';

/** The search box with the cart it fills and the screen it opens. */
export function HeaderSearch({ userId }: { userId: string }) {
  const { has } = useCart(userId);
  const navigate = useNavigate();
  return (
    <SearchBox
      inCart={has}
      onAdd={(address) => cart.add(newDomainItem(address))}
      onPick={(picked, name) =>
        void navigate({ to: '/domains', search: picked === name ? { name } : { name, picked } })
      }
    />
  );
}
