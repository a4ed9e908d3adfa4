import type { CallReply } from '../../lib/operations.ts';
import { sessionMarks } from '../../lib/session-marks.ts';

type Profile = CallReply<'GET /user'>;

/** Who most likely is there: the person that this browser had the last time (docs/decisions/0295). */
export interface Expected {
  /** Another version of this program may read the profile in another way. */
  build: string;
  email: string;
  profile: Profile;
}

let last: { text: string | null; person: Expected | null } = { text: null, person: null };

/** Asked for at each drawing, and read when it has changed. */
export function expected(): Expected | null {
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

/** For the next start in this browser; null: this person has none. */
export function keepProfile(email: string | null, profile: Profile | null): void {
  sessionMarks.keepProfile(email !== null && profile ? { build: build(), email, profile } : null);
}
