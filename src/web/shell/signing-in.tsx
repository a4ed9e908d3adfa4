import { useEffect, useState } from 'react';
import classes from './shell.module.css';

/** Sooner it would only flicker. */
const afterMs = 1_000;

/** Says why a screen that is there cannot be used yet, where that takes its time. */
export function SigningIn() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), afterMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className={classes.signingIn} data-late={isLate || undefined}>
      {isLate && 'Signing you in…'}
    </p>
  );
}
