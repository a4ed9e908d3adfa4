import { keepText, readKept, readText } from './storage.ts';

/**
 * What this browser remembers of sessions; nothing secret. Storage may be forbidden: then nothing is remembered. What is a
 * person's own is forgotten with their session.
 */
const signedIn = 'signed-in';
const noFrames = 'no-frames';
const creating = 'creating-account';
const profile = 'profile';
const asks = 'asks';
const tabOf = 'tab-of';

/** The person has signed out, and the browser has not left this page yet. What still arrives here is not kept. */
let isLeft = false;

const has = (name: string) => readText('local', name) !== null;
const set = (name: string, on: boolean) => keepText('local', name, on ? '1' : null);

export const sessionMarks = {
  /** Somebody has signed in here and not signed out: worth asking the provider at the start. */
  signedIn: () => has(signedIn),
  setSignedIn: (on: boolean) => isLeft || set(signedIn, on),
  /** Of who was signed in, as it was kept. */
  profileText: () => readText('local', profile),
  keepProfile: (kept: (Record<string, unknown> & { email: string }) | null) => {
    if (isLeft) return;
    keepText('local', profile, kept && JSON.stringify(kept));
    if (kept === null) keepText('local', asks, null);
  },
  /** What their pages asked for when they were opened. `mend` makes something whole of anything at all. */
  asks: <T>(mend: (stored: unknown) => T) => readKept('local', asks, mend),
  keepAsks: (kept: Record<string, unknown> & { email: string }) =>
    isLeft || keepText('local', asks, JSON.stringify(kept)),
  /** At a sign-out, here or in another tab. From here on this page changes no mark: the next ones are for who comes then. */
  forgetPerson: () => {
    set(signedIn, false);
    keepText('local', profile, null);
    keepText('local', asks, null);
    isLeft = true;
  },
  /** Whether that has happened to this page. */
  isLeft: () => isLeft,
  /** Whose profile that is. */
  profileEmail: () =>
    readKept('local', profile, (stored) => {
      const email = (stored as { email?: unknown } | null | undefined)?.email;
      return typeof email === 'string' ? email : null;
    }),
  /** Where it is this person's; null: whosever it is. */
  forgetProfileOf: (email: string | null) => {
    if (email === null || email === sessionMarks.profileEmail()) sessionMarks.keepProfile(null);
  },
  /** Whose this tab is (`beTabOf`). */
  tabOf: () => readText('session', tabOf),
  setTabOf: (subject: string | null) => keepText('session', tabOf, subject),
  /** Whether the provider answers in a hidden frame. */
  framesAnswer: () => !has(noFrames),
  setFramesAnswer: (on: boolean) => set(noFrames, !on),
  /** Somebody went to the provider by "Create Account": the dialog of that name waits for the return. */
  creatingAccount: () => has(creating),
  setCreatingAccount: (on: boolean) => set(creating, on),
};
