import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

/** Nothing here yet, and the next step. */
export function EmptyState(props: { title: string; text?: string; action?: ReactNode }) {
  return (
    <div className={classes.empty} role="status">
      <p className={classes.title}>{props.title}</p>
      {props.text && <p className={classes.text}>{props.text}</p>}
      {props.action && <div className={classes.action}>{props.action}</div>}
    </div>
  );
}
