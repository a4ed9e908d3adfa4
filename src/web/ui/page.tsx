import type { ReactNode } from 'react';
import classes from './page.module.css';
import { useDocumentTitle } from './site-name.ts';

/** A screen: one heading, at most one primary action. `above`: what comes before the heading, e.g. a way back. */
export function Page(props: {
  title: string;
  /** The heading as it is drawn, when it is more than the title's text. */
  heading?: ReactNode;
  /** Beside the heading, such as a button to copy it. */
  beside?: ReactNode;
  /** Below the heading: its state in one line. */
  below?: ReactNode;
  action?: ReactNode;
  above?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(props.title);
  return (
    <>
      {props.above}
      <div className={classes.head}>
        <div className={classes.title}>
          <h1>{props.heading ?? props.title}</h1>
          {props.beside}
        </div>
        {props.action}
        {props.below && <div className={classes.below}>{props.below}</div>}
      </div>
      {props.children}
    </>
  );
}
