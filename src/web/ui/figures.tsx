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
export function Figures({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl className={classes.strip} aria-label={label}>
      {figures.map(({ title, value, detail }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            {value === undefined ? <Skeleton height={24} width={72} /> : <b>{value ?? '–'}</b>}
            <span>{detail}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
