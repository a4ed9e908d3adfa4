import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './figures.module.css';

export interface Figure {
  title: string;
  /** undefined while it is not known yet, null where it cannot be read. */
  value: ReactNode | undefined | null;
  /** What it comes to. */
  detail?: ReactNode;
}

/** Figures of one thing side by side, above its details. */
export function Figures(props: {
  label: string;
  figures: readonly Figure[];
  /** In a card, which has the border. */
  within?: boolean;
}) {
  return (
    <dl className={classes.strip} aria-label={props.label} data-within={props.within || undefined}>
      {props.figures.map(({ title, value, detail }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            {value === undefined ? <Skeleton height={24} width={72} /> : <b>{value ?? '–'}</b>}
            {detail !== undefined && <span>{detail}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
