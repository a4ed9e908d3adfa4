import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import { cart } from '../features/orders/cart.ts';
import { useCart } from '../features/orders/use-cart.ts';
import { useMay, useProfile } from '../features/users/api.ts';

/** The one act that helps: renewing puts the name into the cart, here; the rest opens where it is done. */
export function AttentionAct({ item }: { item: AttentionItem }) {
  const { items } = useCart(useProfile().data?.userId);
  const mayBuy = useMay('orders.purchase');
  const { action, renewal, name, customerId } = item;
  if (!renewal || name === null) {
    const [to, query] = action.to.split('?');
    return (
      <Button
        size="xs"
        variant="default"
        component={Link}
        to={to as never}
        search={Object.fromEntries(new URLSearchParams(query)) as never}
        aria-label={`${action.label}: ${name ?? item.title}`}
      >
        {action.label}
      </Button>
    );
  }
  if (!mayBuy) return null;
  const added = items.some((line) => line.type === 'renewal' && line.address === name);
  return (
    <Button
      size="xs"
      variant="default"
      disabled={added}
      aria-label={added ? `In cart: renewal of ${name}` : `Renew ${name}`}
      onClick={() => cart.add({ type: 'renewal', address: name, registration: 1, customerId, ...renewal })}
    >
      {added ? 'In cart' : action.label}
    </Button>
  );
}
