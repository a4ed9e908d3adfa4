import { cart } from '../features/orders/cart.ts';
import { useLeftOut } from '../features/orders/use-cart.ts';
import { PlainButton } from '../ui/plain-button.tsx';
import classes from './shell.module.css';

/** Said on whatever screen the item was added: a click must not be without effect and without a word. */
export function FullCart() {
  const names = useLeftOut();
  const [first] = names;
  if (!first) return null;
  const rest = names.length > 1 ? ` and ${names.length - 1} more were` : ' was';
  return (
    <div role="alert" className={classes.connection} data-offline>
      Your cart holds 200 items, the most one order can have. {first}
      {rest} not added.{' '}
      <PlainButton variant="default" onClick={cart.forgetLeftOut}>
        Close
      </PlainButton>
    </div>
  );
}
