import { keepText, readKept, readText } from './storage.ts';

/**
 * What this browser remembers of sessions; nothing secret. Storage may be forbidden: then nothing is remembered. What is a
 * person's own is forgotten with their session.
 */
const signedIn = 'signed-in';
const noFrames = 'no-frames';
const creating = 'creating-account';
const profile = 'profile';

const has = (name: string) => readText('local', name) !== null;
const set = (name: string, on: boolean) => keepText('local', name, on ? '1' : null);

export const sessionMarks = {
  /** Somebody has signed in here and not signed out: worth asking the provider at the start. */
  signedIn: () => has(signedIn),
  setSignedIn: (on: boolean) => set(signedIn, on),
  /** Of who was signed in, as it was kept. */
  profileText: () => readText('local', profile),
  keepProfile: (kept: (Record<string, unknown> & { email: string }) | null) =>
    keepText('local', profile, kept && JSON.stringify(kept)),
  /** Whose profile that is. */
  profileEmail: () =>
    readKept('local', profile, (stored) => {
      const email = (stored as { email?: unknown } | null | undefined)?.email;
      return typeof email === 'string' ? email : null;
    }),
  /** Whether the provider answers in a hidden frame. */
  framesAnswer: () => !has(noFrames),
  setFramesAnswer: (on: boolean) => set(noFrames, !on),
  /** Somebody went to the provider by "Create Account": the dialog of that name waits for the return. */
  creatingAccount: () => has(creating),
  setCreatingAccount: (on: boolean) => set(creating, on),
};
