import type { ReactNode } from 'react';
import classes from './page.module.css';
import { useDocumentTitle } from './site-name.ts';

/** A screen: one heading, at most one primary action. `above`: what stands before the heading, e.g. a way back. */
export function Page(props: { title: string; action?: ReactNode; above?: ReactNode; children: ReactNode }) {
  useDocumentTitle(props.title);
  return (
    <>
      {props.above}
      <div className={classes.head}>
        <h1>{props.title}</h1>
        {props.action}
      </div>
      {props.children}
    </>
  );
}
