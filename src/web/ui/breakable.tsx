import { Fragment } from 'react';

/** A name, an address or a key: a narrow column breaks it behind a dot, a colon, a slash or an at sign rather than inside a word. */
export const breakable = (text: string) =>
  [...text.matchAll(/[^.:@/]*[.:@/]?/g)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
