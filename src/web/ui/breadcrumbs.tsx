import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import classes from './breadcrumbs.module.css';

export interface Crumb {
  to: string;
  label: string;
}

/** Where a screen belongs, before its heading: from the list it is part of down to itself. */
export function Breadcrumbs({ trail, here }: { trail: readonly Crumb[]; here: string }) {
  return (
    <nav aria-label="Breadcrumb" className={classes.trail}>
      {trail.map(({ to, label }) => (
        <Fragment key={to}>
          <Link to={to} className={classes.crumb}>
            {label}
          </Link>
          <span aria-hidden className={classes.mark}>
            /
          </span>
        </Fragment>
      ))}
      <span aria-current="page" className={classes.crumb}>
        {here}
      </span>
    </nav>
  );
}
