import { useMatches } from '@tanstack/react-router';

/**
 * The path of the screen that is shown. The browser's own is ahead of it on the way to another screen: what hangs on that one is drawn
 * within the touch, for a screen that is about to go. `read`: what of it is drawn; who reads no more is drawn no more often.
 */
export function useScreenPath<T extends string | boolean | null>(read: (path: string) => T): T {
  // The router's types take no kind of value for what a function yields.
  const select = (matches: readonly { pathname: string }[]): string | boolean | null =>
    read(matches.at(-1)?.pathname ?? '/');
  return useMatches({ select }) as T;
}
