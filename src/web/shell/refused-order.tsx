import { Link, useLocation } from '@tanstack/react-router';
import { isUnsent } from '../features/orders/api.ts';
import { problemOf } from '../features/orders/purchase-problems.ts';
import { useRefusal } from '../features/orders/refusal.ts';
import classes from './shell.module.css';

/** Said wherever the person went while the order was sent; the cart shows all of it. */
export function RefusedOrder() {
  const refusal = useRefusal();
  const isInCart = useLocation({ select: ({ pathname }) => pathname === '/cart' });
  if (!refusal || isInCart) return null;
  return (
    <div role="alert" className={classes.connection} data-offline>
      {/* A try that was not sent says nothing of one before it whose answer was lost. */}
      {isUnsent(refusal) ? 'Your order was not sent.' : 'Your order was not placed, and nothing was charged.'}{' '}
      {problemOf(refusal).message} <Link to="/cart">Review your cart</Link>
    </div>
  );
}
