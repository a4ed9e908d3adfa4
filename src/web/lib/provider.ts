import type { PublicConfig } from '#contracts/operations/system.ts';
import type { Oidc, SignedInPerson, SilentFailure } from './oidc.ts';
import { configOfPage } from './page-config.ts';
import { sessionMarks } from './session-marks.ts';
import { callbackPath } from './sign-in-paths.ts';

/**
 * The identity provider, as the page asks it. This file comes before the app (`main.ts`): nothing here may lead to the app's
 * own files.
 */

export type SilentAnswer = Promise<SignedInPerson | SilentFailure>;

/** A library that does not come must not keep the page from being drawn. */
const questionMs = 500;
const lockName = 'nameward.session';

let provider: Promise<Oidc> | null = null;
let onQuestion: () => void = () => undefined;
let ahead: SilentAnswer | null = null;

/** The sign-in library is loaded when somebody signs in or may be signed in: visitors do without it. */
export function loadProvider(config: PublicConfig): Promise<Oidc> {
  provider ??= import('./oidc.ts')
    .then(({ createOidc }) => createOidc(config, () => onQuestion()))
    .catch((error) => {
      // The next try may find the network back.
      provider = null;
      throw error;
    });
  return provider;
}

/** Tabs ask one after the other: the provider's cookies are shared, the refresh tokens are each tab's own. */
export function askSilently(oidc: Pick<Oidc, 'renew'>): SilentAnswer {
  return navigator.locks ? navigator.locks.request(lockName, () => oidc.renew()) : oidc.renew();
}

/**
 * Asks the provider who is signed in before there is an app: a phone takes longer to draw it than the answer takes to come.
 * Ends when the question has left, or cannot leave.
 */
export async function askAhead(): Promise<void> {
  const config = configOfPage();
  const mayAnswer = sessionMarks.signedIn() && sessionMarks.framesAnswer();
  if (!config || !mayAnswer || window.location.pathname === callbackPath) return;
  await new Promise<void>((resolve) => {
    onQuestion = resolve;
    setTimeout(resolve, questionMs);
    ahead = loadProvider(config).then(askSilently);
    ahead.then(() => resolve()).catch(() => resolve());
  });
}

/** What was asked ahead on this page; null: nothing was. */
export const askedAhead = (): SilentAnswer | null => ahead;
