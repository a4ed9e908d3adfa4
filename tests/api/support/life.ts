import type { Portal } from './portal.ts';
import type { Organisation } from './world.ts';

/** Who calls: a token, and how the log names them. */
export interface Actor {
  token: string;
  userId: string | null;
  name?: string;
}

interface Call {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  as?: Actor;
}

/** Carries an operation out, by its id; what was answered. It must succeed. */
export type Does = <T = Record<string, string>>(operation: string, call?: Call) => Promise<T>;

/** The organisation whose life it is, and what its acts need. */
export interface Life {
  portal: Portal;
  a: Organisation;
  does: Does;
  control<T>(part: string, route: string, body?: unknown): Promise<T>;
}

let count = 0;
/** A domain that no other act uses. */
export const fresh = (word: string) => {
  count += 1;
  return `${word}-${count}-acts.com`;
};
