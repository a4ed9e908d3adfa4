import { useState } from 'react';
import classes from './folded-text.module.css';

/** About two lines on a desktop; what the portal says of its own is shorter. */
const shortEnough = 240;

/**
 * What a registrar answers may be long, and a list repeats it in every row: there it has two lines, until somebody wants all of it.
 * `about`: whose text it is, where buttons of several rows are read without their rows.
 */
export function FoldedText({ children: text, about }: { children: string; about: string }) {
  const [open, setOpen] = useState(false);
  if (text.length <= shortEnough) return <>{text}</>;
  const label = open ? 'Show less' : 'Show all';
  return (
    <>
      <span className={open ? classes.whole : classes.folded}>{text}</span>
      <button
        type="button"
        className={classes.button}
        aria-label={`${label}: ${about}`}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
    </>
  );
}
