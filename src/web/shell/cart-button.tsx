import { IconShoppingCart } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useCart } from '../features/orders/use-cart.ts';
import classes from './shell.module.css';

/** Highlighted when there is something in the signed-in user's cart (P1 §2). */
export function CartButton({ userId }: { userId: string }) {
  const { items } = useCart(userId);
  const count = items.length;
  return (
    <Link
      to="/cart"
      className={classes.cartButton}
      data-filled={count > 0 || undefined}
      aria-label={`Cart, ${count} ${count === 1 ? 'item' : 'items'}`}
    >
      <IconShoppingCart size={18} aria-hidden />
      <span className={classes.wide}>Cart</span>
      {/* Drawn, not written: the name above says it already. */}
      {count > 0 && <span className={`${classes.count} number`} data-count={count} />}
    </Link>
  );
}
