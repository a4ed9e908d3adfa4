/** What this browser remembers of sessions; nothing secret. Storage may be forbidden: then nothing is remembered. */
const signedInKey = 'nameward.signed-in';
const noFramesKey = 'nameward.no-frames';
const creatingKey = 'nameward.creating-account';

function read(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function write(key: string, on: boolean): void {
  try {
    if (on) localStorage.setItem(key, '1');
    else localStorage.removeItem(key);
  } catch {
    // Not remembered, then.
  }
}

export const sessionMarks = {
  /** Somebody has signed in here and not signed out: worth asking the provider at the start. */
  signedIn: () => read(signedInKey),
  setSignedIn: (on: boolean) => write(signedInKey, on),
  /** Whether the provider answers in a hidden frame. */
  framesAnswer: () => !read(noFramesKey),
  setFramesAnswer: (on: boolean) => write(noFramesKey, !on),
  /** Somebody went to the provider by "Create Account": the dialog of that name waits for the return. */
  creatingAccount: () => read(creatingKey),
  setCreatingAccount: (on: boolean) => write(creatingKey, on),
};
