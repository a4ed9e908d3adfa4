import { Fragment } from 'react';

/**
 * A name, an address or a key: a narrow column breaks it behind a dot, a colon, a slash or an at sign rather than inside a
 * word. Of several, each goes to a line of its own before it is broken.
 */
export const breakable = (text: string) =>
  [...text.matchAll(/\S+|\s+/g)].map(({ 0: word, index }) => (
    <Fragment key={index}>{/[.:@/]/.test(word) ? whole(word) : word}</Fragment>
  ));

const whole = (word: string) => (
  <span style={{ display: 'inline-block', maxWidth: '100%' }}>{atMarks(word)}</span>
);

/** The same for a text that ends in an ellipsis where it is cut: as one piece, a name would leave with it. */
export const atMarks = (text: string) =>
  [...text.matchAll(/[^.:@/]*[.:@/]?/g)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
