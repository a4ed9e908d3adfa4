import { useDeferredValue, useSyncExternalStore } from 'react';

/** What was done, in a sentence, and the way back where there is one. */
export interface Toast {
  text: string;
  undo?: () => void;
}

let shown: Toast | null = null;
const listeners = new Set<() => void>();

/** Says what was done, in place of what was said before; null: nothing is said any more. */
export function showToast(toast: Toast | null): void {
  shown = toast;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What was done is drawn first, and what is said of it after that. */
export const useToast = () => useDeferredValue(useSyncExternalStore(subscribe, () => shown));
