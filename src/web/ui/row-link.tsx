import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

/** The link that a row of a table stands for: a click anywhere in the row, or Enter here, follows it. */
export function RowLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={classes.rowLink} data-row-link>
      {children}
    </Link>
  );
}
