import type { CSSProperties } from 'react';
import type { CertificateStanding } from './standing.ts';
import classes from './validity-bar.module.css';

/** How much of the validity has passed, the mark of the next reissue, and the same in words. */
export function ValidityBar({ standing }: { standing: CertificateStanding }) {
  const { passed, mark, tone, left } = standing;
  if (passed === null) return <span className={classes.left}>{left}</span>;
  const style = { '--passed': passed, ...(mark === null ? {} : { '--mark': mark }) } as CSSProperties;
  return (
    <span className={classes.validity}>
      <span className={classes.bar} data-tone={tone} style={style} aria-hidden>
        <i />
        {mark !== null && <u title="Next reissue" />}
      </span>
      <span className={classes.left} data-tone={tone}>
        {left}
      </span>
    </span>
  );
}
