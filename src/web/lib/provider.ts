import type { PublicConfig } from '#contracts/operations/system.ts';
import { askDataAhead } from './data-ahead.ts';
import type { Oidc, SignedInPerson, SilentFailure } from './oidc.ts';
import { askOtherTabs, type Beside } from './other-tabs.ts';
import { configOfPage } from './page-config.ts';
import { sessionMarks } from './session-marks.ts';
import { callbackPath } from './sign-in-paths.ts';

/**
 * The identity provider, as the page asks it. This file comes before the app (`main.tsx`): nothing here may lead to the app's
 * own files.
 */

export type SilentAnswer = Promise<SignedInPerson | SilentFailure>;

const lockName = 'nameward.session';

let provider: Promise<Oidc> | null = null;
let ahead: SilentAnswer | null = null;
let beside: Beside | null = null;
/** Where another tab has named the person, the provider's frame waits until their screen is likely to be there. */
const afterScreenMs = 3_000;
/** A sign-in library that comes late does not keep the app from being made. */
const appWaitsMs = 1_000;
/** A provider that answers late does not keep the screen from being drawn. */
const screenWaitsMs = 1_500;

let questionHasLeft: Promise<void> = Promise.resolve();
let dataIsAsked: Promise<void> = Promise.resolve();

/** The sign-in library is loaded when somebody signs in or may be signed in: visitors do without it. */
export function loadProvider(config: PublicConfig): Promise<Oidc> {
  provider ??= import('./oidc.ts')
    .then(({ createOidc }) => createOidc(config))
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
 * Asks the other tabs and the provider who is signed in before there is an app: a phone takes longer to draw it than the answer takes to
 * come.
 */
export function askAhead(): void {
  const config = configOfPage();
  const mayAnswer = sessionMarks.signedIn() && sessionMarks.framesAnswer();
  if (!config || !mayAnswer || window.location.pathname === callbackPath) return;
  connectTo(config.identity.authority);
  beside = askOtherTabs();
  ahead = loadProvider(config).then(async (oidc) => {
    // What other tabs have answered is heard first.
    await afterMs(0);
    if (beside?.person) await afterMs(afterScreenMs);
    return askSilently(oidc);
  });
  // Who asks for the answer hears it.
  ahead.catch(() => undefined);
  const known = beside ? Promise.race([ahead, beside.named]) : ahead;
  questionHasLeft = Promise.race([frameIsMade(), settled(known), afterMs(appWaitsMs)]);
  const asked = known.then((person) => {
    if (typeof person !== 'string') askDataAhead(person);
  });
  // In a task of its own: a screen that is there already would be drawn in the one in which the token came.
  dataIsAsked = Promise.race([settled(asked).then(() => afterMs(0)), afterMs(screenWaitsMs)]);
}

const settled = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    () => undefined,
  );

/** The sign-in library has made the frame in which the provider answers. */
function frameIsMade(): Promise<void> {
  return new Promise((resolve) => {
    const observer = new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
      if (!added.some(({ nodeName }) => nodeName === 'IFRAME')) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document.body, { childList: true });
  });
}

/** Once the provider is being asked, or nobody is: to make the app takes a phone a third of a second, in which nothing can leave. */
export const untilQuestionLeaves = (): Promise<void> => questionHasLeft;

/**
 * Once the person is known and their data are asked for, or nobody is. To make and draw a screen takes a phone up to a second, in which the
 * answers of the provider would not be heard.
 */
export const untilDataIsAsked = (): Promise<void> => dataIsAsked;

/** The way to the provider is opened while the library comes. Its pages and its calls have a connection each (Fetch 2.6). */
function connectTo(href: string): void {
  for (const how of [{}, { crossOrigin: 'anonymous' }]) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href, ...how }));
  }
}

const afterMs = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms));

/** Who another tab names, once it does; null: none was asked. */
export const namedBeside = (): Promise<SignedInPerson> | null => beside?.named ?? null;

/** What was asked ahead on this page; null: nothing was. */
export const askedAhead = (): SilentAnswer | null => ahead;
