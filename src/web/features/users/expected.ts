import { useEffect, useRef } from 'react';
import type { CallReply } from '../../lib/operations.ts';
import type { Session } from '../../lib/session.tsx';
import { sessionMarks } from '../../lib/session-marks.ts';
import { callbackPath } from '../../lib/sign-in-paths.ts';
import { expected } from './kept-profile.ts';

type Profile = CallReply<'GET /user'>;

/**
 * The profile to go by until it has been asked for; undefined: there is none. The person's screen is drawn by it, as far as it has come,
 * while the provider and the portal are still asked, and lets nobody act before they have answered (docs/decisions/0295).
 */
export function expectedProfile({ status, email }: Pick<Session, 'status' | 'email'>): Profile | undefined {
  const person = expected();
  if (person === null || (status !== 'loading' && email !== person.email)) return undefined;
  // Where the provider does not answer in frames the page leaves at once, and comes back with the answer.
  const leaves = !sessionMarks.framesAnswer() || window.location.pathname === callbackPath;
  return sessionMarks.signedIn() && !leaves ? person.profile : undefined;
}

/** Where it was somebody else after all, nothing of what was drawn stays. */
export function useReloadForAnother(profile: Profile | null | undefined, isExpected: boolean): void {
  const drawn = useRef<string>(undefined);
  const userId = profile?.userId;
  useEffect(() => {
    if (userId === undefined) return;
    if (isExpected) drawn.current = userId;
    else if (drawn.current !== undefined && drawn.current !== userId) window.location.reload();
  }, [userId, isExpected]);
}
