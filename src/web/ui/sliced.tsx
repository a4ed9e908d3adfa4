import { type ReactNode, useDeferredValue } from 'react';

/**
 * Makes what is large in slices of a few milliseconds, so that the page answers meanwhile: data that arrives would have
 * it made at once otherwise. Holds for the first time only; what changes later changes at once.
 */
export function Sliced({ meanwhile, children }: { meanwhile: ReactNode; children: ReactNode }) {
  const begun = useDeferredValue(true, false);
  return begun ? children : meanwhile;
}
