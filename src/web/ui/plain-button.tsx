import type { ComponentProps } from 'react';
import classes from './plain-button.module.css';

/** The button of the first screen: what everybody waits for carries no more than it needs. */
export function PlainButton({
  variant = 'primary',
  size = 'sm',
  type = 'button',
  ...rest
}: ComponentProps<'button'> & { variant?: 'primary' | 'default'; size?: 'sm' | 'md' }) {
  return <button {...rest} type={type} className={classes.button} data-variant={variant} data-size={size} />;
}

/** A whole screen on its way. */
export function PageLoader() {
  return <div className={classes.loader} role="status" aria-label="Loading" />;
}
