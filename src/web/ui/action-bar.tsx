import type { ReactNode } from 'react';
import classes from './action-bar.module.css';

/** What can be done with the rows that are chosen: it floats above the end of the window, whatever the list scrolls. */
export function ActionBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={classes.bar} aria-label={label}>
      {children}
    </section>
  );
}
