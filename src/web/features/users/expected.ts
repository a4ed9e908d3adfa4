import { useEffect, useRef } from 'react';
import type { CallReply } from '../../lib/operations.ts';
import type { Session } from '../../lib/session.tsx';
import { sessionMarks } from '../../lib/session-marks.ts';
import { callbackPath } from '../../lib/sign-in-paths.ts';

type Profile = CallReply<'GET /user'>;

/**
 * Who most likely is there: the person that this browser had the last time. Their screen is drawn by that profile, as far as it has
 * come, while the provider and the portal are still asked, and lets nobody act before they have answered (docs/decisions/0295).
 */
interface Expected {
  /** Another version of this program may read the profile in another way. */
  build: string;
  email: string;
  profile: Profile;
}

let last: { text: string | null; person: Expected | null } = { text: null, person: null };

/** Asked for at each drawing, and read when it has changed. */
function expected(): Expected | null {
  const text = sessionMarks.profileText();
  if (text !== last.text) last = { text, person: read(text) };
  return last.person;
}

function read(text: string | null): Expected | null {
  try {
    const { email, profile, ...kept } = JSON.parse(text ?? 'null') as Partial<Expected>;
    return kept.build === build() && email !== undefined && profile
      ? { build: build(), email, profile }
      : null;
  } catch {
    return null;
  }
}

/** Which version of the program this is. */
const build = () => document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? '';

/** The profile to go by until it has been asked for; undefined: there is none. */
export function expectedProfile({ status, email }: Pick<Session, 'status' | 'email'>): Profile | undefined {
  const person = expected();
  if (person === null || (status !== 'loading' && email !== person.email)) return undefined;
  // Where the provider does not answer in frames the page leaves at once, and comes back with the answer.
  const leaves = !sessionMarks.framesAnswer() || window.location.pathname === callbackPath;
  return sessionMarks.signedIn() && !leaves ? person.profile : undefined;
}

/** For the next start in this browser; null: this person has none. */
export function keepProfile(email: string | null, profile: Profile | null): void {
  sessionMarks.keepProfile(email !== null && profile ? { build: build(), email, profile } : null);
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
