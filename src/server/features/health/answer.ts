/** What somebody answered; undefined: nobody did. */
export type Answer<T> = T | undefined;
