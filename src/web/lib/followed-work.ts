import { useSyncExternalStore } from 'react';
import { keepText, readKept } from './storage.ts';

/** Long work that this person began in this tab: the shell says on every screen how far it is. */
export interface FollowedWork {
  kind: (typeof kinds)[number];
  id: string;
}

const kinds = ['change', 'import', 'order'] as const;
const place = 'followed-work';
/** Older ones are on their own screens. */
const mostFollowed = 3;

function mend(stored: unknown): FollowedWork[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (one): one is FollowedWork => kinds.includes(one?.kind) && typeof one.id === 'string' && one.id !== '',
  );
}

let followed: readonly FollowedWork[] | null = null;
const listeners = new Set<() => void>();
// Kept with the tab: a reload goes on following.
const read = () => (followed ??= readKept('session', place, mend));

function set(now: readonly FollowedWork[]): void {
  followed = now;
  keepText('session', place, now.length > 0 ? JSON.stringify(now) : null);
  for (const listener of listeners) listener();
}

export function follow(work: FollowedWork): void {
  if (read().some(({ id }) => id === work.id)) return;
  set([...read(), work].slice(-mostFollowed));
}

export function stopFollowing(id: string): void {
  if (read().some((one) => one.id === id)) set(read().filter((one) => one.id !== id));
}

/** Nor is anything that this page still knows. */
export const followNothing = () => set([]);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useFollowedWork = () => useSyncExternalStore(subscribe, read);
