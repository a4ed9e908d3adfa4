import { type ReactNode, useId } from 'react';
import classes from './card.module.css';

/** A region of a screen with a heading: a hairline, a round corner. `flush`: the content reaches the edges, as tables do. */
export function Card(props: {
  title: string;
  /** Chips and units beside the heading. */
  beside?: ReactNode;
  /** One small action or figure at the end of the head. */
  end?: ReactNode;
  flush?: boolean;
  /** What is done here cannot be undone. */
  danger?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={classes.card} data-danger={props.danger || undefined} aria-labelledby={id}>
      <header className={classes.head}>
        <h2 id={id}>{props.title}</h2>
        {props.beside}
        {props.end && <div className={classes.end}>{props.end}</div>}
      </header>
      <div data-card className={props.flush ? undefined : classes.body}>
        {props.children}
      </div>
    </section>
  );
}
