import { useNavigate } from '@tanstack/react-router';
import { SearchBox } from '../features/domains/search-box.tsx';
import { cart, newDomainItem } from '../features/orders/cart.ts';
import { useCart } from '../features/orders/use-cart.ts';
import { lazily } from '../ui/lazily.tsx';

const GoToList = lazily(() => import('./go-to-list.tsx'));

/**
 * The one search, by `/` and by `Ctrl K`: names to buy with the cart they fill, and everything that one can go to.
 * `buying`: whether this person buys; who does not goes to things only.
 */
export function HeaderSearch({ userId, buying }: { userId: string; buying: boolean }) {
  const { has } = useCart(userId);
  const navigate = useNavigate();
  return (
    <SearchBox
      buying={buying}
      inCart={has}
      onIntent={() => void GoToList.preload().catch(() => undefined)}
      whileTyping={(typing) => <GoToList {...typing} />}
      onAdd={(address) => cart.add(newDomainItem(address))}
      onPick={(picked, name) =>
        void navigate({ to: '/domains', search: picked === name ? { name } : { name, picked } })
      }
    />
  );
}
