import { useSyncExternalStore } from 'react';

/** Why the last order was not placed, until the person has seen it: they may have left the cart in the meantime. */
let refusal: Error | null = null;
const listeners = new Set<() => void>();

export function keepRefusal(error: Error | null): void {
  refusal = error;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useRefusal = () => useSyncExternalStore(subscribe, () => refusal);
