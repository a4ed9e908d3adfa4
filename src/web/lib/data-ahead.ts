import { waitedForMs } from '#contracts/values/answer-times.ts';
import type { SignedInPerson } from './oidc.ts';
import { sessionMarks } from './session-marks.ts';
import { callbackPath } from './sign-in-paths.ts';

/**
 * What a page asks the portal by itself when it is opened is remembered, and asked ahead the next time: as soon as it is known who is there,
 * while the app is still being loaded and drawn (docs/decisions/0325). The app takes the answers where it would have asked.
 */

/** Of one person, the pages that were opened last. Each with the addresses that its app asked, in that order. */
interface KeptAsks {
  email: string;
  pages: [page: string, urls: string[]][];
}

const mostPages = 20;
const mostUrls = 12;
/** What nobody has taken by then was not needed, and is no longer what the portal would say. */
const goodForMs = 10_000;
/** A page that is still asking later does so for another reason than being opened. */
const openingMs = 10_000;
/** One writing for all that is asked together. */
const gatherMs = 1_000;

interface Ahead {
  token: string;
  response: Promise<Response>;
  /** Ends a question whose answer nobody will take: it would keep one of the few connections to the portal. */
  giveUp: () => void;
}

const ahead = new Map<string, Ahead>();
let opening: Opening | null = null;

/** A page from its loading until somebody does something there. */
class Opening {
  readonly #path: string;
  readonly #page: string;
  readonly #untilMs = performance.now() + openingMs;
  readonly #urls: string[] = [];
  #isWriting = false;

  constructor({ pathname, search }: Location) {
    this.#path = pathname;
    this.#page = pathname + search;
  }

  note(url: string): void {
    const isOver = window.location.pathname !== this.#path || performance.now() > this.#untilMs;
    if (isOver || this.#urls.length >= mostUrls || this.#urls.includes(url)) return;
    this.#urls.push(url);
    if (this.#isWriting) return;
    this.#isWriting = true;
    setTimeout(() => {
      this.#isWriting = false;
      // Whose it is may have come with the first answer.
      const email = sessionMarks.profileEmail();
      if (email === null) return;
      const { pages } = keptFor(email);
      const others = pages.filter(([page]) => page !== this.#page);
      sessionMarks.keepAsks({ email, pages: [[this.#page, this.#urls], ...others].slice(0, mostPages) });
    }, gatherMs);
  }
}

/** What the page asks by itself can be asked again by itself: some readings that people ask for do something. */
const touches = ['pointerdown', 'keydown'] as const;

/** Begins to remember what this page asks. */
export function noteOpening(): void {
  if (window.location.pathname === callbackPath) return;
  opening = new Opening(window.location);
  const end = () => {
    opening = null;
    for (const touch of touches) window.removeEventListener(touch, end, true);
  };
  for (const touch of touches) window.addEventListener(touch, end, true);
}

/** Asks what this page asked the last time it was opened. */
export function askDataAhead({ email, accessToken }: SignedInPerson): void {
  const { pathname, search } = window.location;
  const [, urls = []] = keptFor(email).pages.find(([page]) => page === pathname + search) ?? [];
  const headers = { accept: 'application/json', authorization: `Bearer ${accessToken}` };
  for (const url of urls) {
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(waitedForMs.read)]);
    const response = fetch(url, { headers, signal });
    // Who takes it hears it.
    response.catch(() => undefined);
    ahead.set(url, { token: accessToken, response, giveUp: () => ending.abort() });
  }
  if (urls.length > 0) setTimeout(forgetAhead, goodForMs);
}

/** The answer to a reading that was asked ahead by this token. Null: it was not, or somebody has taken it. */
export function takeAhead(url: string, token: string): Promise<Response> | null {
  const found = ahead.get(url);
  ahead.delete(url);
  if (found?.token === token) return found.response;
  found?.giveUp();
  return null;
}

/** Something changes, and what was read before it is not to be shown after it; or nobody has asked for it in all that time. */
export function forgetAhead(): void {
  for (const { giveUp } of ahead.values()) giveUp();
  ahead.clear();
}

/** A reading that the app begins: by what is given back it says what it asks for, as soon as that leaves. Null: nobody notes it. */
export function beginAsking(): ((url: string) => void) | null {
  const page = opening;
  return page && ((url) => page.note(url));
}

/** What is asked for meanwhile is for later, and not for the screen that is opened. */
export function forLater<T>(ask: () => T): T {
  const before = opening;
  opening = null;
  try {
    return ask();
  } finally {
    opening = before;
  }
}

/** What is kept for this person; without pages where it is somebody else's, or damaged. */
function keptFor(email: string): KeptAsks {
  const kept = sessionMarks.asks((stored) => (isKept(stored) && stored.email === email ? stored : null));
  return kept ?? { email, pages: [] };
}

function isKept(stored: unknown): stored is KeptAsks {
  const { email, pages } = (stored ?? {}) as Partial<Record<keyof KeptAsks, unknown>>;
  return typeof email === 'string' && Array.isArray(pages) && pages.every(isPage);
}

function isPage(stored: unknown): boolean {
  const [page, urls] = Array.isArray(stored) ? (stored as unknown[]) : [];
  return (
    typeof page === 'string' &&
    Array.isArray(urls) &&
    urls.every((url) => typeof url === 'string' && url.startsWith('/api/'))
  );
}
