import { useNavigate } from '@tanstack/react-router';
import { SearchBox } from '../features/domains/search-box.tsx';
import { cart, newDomainItem, useCart } from '../features/orders/cart.ts';
import { lazily } from '../ui/lazily.tsx';

const GoToList = lazily(() => import('./go-to-list.tsx'));

/** The one search: names to buy with the cart they fill, and everything else that one can go to. */
export function HeaderSearch({ userId }: { userId: string }) {
  const { has } = useCart(userId);
  const navigate = useNavigate();
  return (
    <SearchBox
      inCart={has}
      whileTyping={(typing) => <GoToList {...typing} />}
      onAdd={(address) => cart.add(newDomainItem(address))}
      onPick={(picked, name) =>
        void navigate({ to: '/domains', search: picked === name ? { name } : { name, picked } })
      }
    />
  );
}
