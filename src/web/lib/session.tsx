import { createContext, type ReactNode, useContext, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { PublicConfig } from '#contracts/operations/system.ts';
import { setTokenSource } from './api-client.ts';
import { connection } from './connection.ts';
import type { SignedInPerson } from './oidc.ts';
import { answerOtherTabs } from './other-tabs.ts';
import { askedAhead, loadProvider, namedBeside } from './provider.ts';
import { keepReturnPath, takeReturnPath } from './return-path.ts';
import { sessionMarks } from './session-marks.ts';
import { callbackPath } from './sign-in-paths.ts';
import { followSignOut, tellSignOut } from './sign-out.ts';
import { beTabOf } from './tab-owner.ts';
import { Tokens } from './tokens.ts';

/**
 * Who is signed in. Tokens live in memory only; a page that is opened asks the other tabs, and the provider silently. Each tab has its
 * own refresh token, so that no tab ever replays another's.
 */
export interface Session {
  status: 'loading' | 'signed-out' | 'signed-in';
  email: string | null;
  /** Why a sign-in did not succeed; to be shown where one starts again. */
  problem: string | null;
  /** The token has ended and the provider does not answer: nothing can be read or saved until it does. */
  lapsed: boolean;
  /** `fresh`: asks for the password again, for what needs a sign-in of the last minutes. Tells by `problem` what failed. */
  signIn(options?: SignInWish): Promise<void>;
  /**
   * The person has come to another screen. Nothing is typed there yet, so the whole page may ask the provider for a token where
   * the provider does not answer in frames.
   */
  arrive(returnPath: string): Promise<void>;
  signOut(): Promise<void>;
}

interface SignInWish {
  signUp?: boolean;
  fresh?: boolean;
  silently?: boolean;
  returnPath?: string;
}

/** Screens read it by `useSession`. Tests of screens put a person into it. */
export const SessionContext = createContext<{ session: Session; config: PublicConfig } | null>(null);

function useSessionContext() {
  const context = useContext(SessionContext);
  if (!context) throw new Error('no session around this component');
  return context;
}

export const useSession = (): Session => useSessionContext().session;
export const usePublicConfig = (): PublicConfig => useSessionContext().config;

/** The address at which the page was opened: the router soon writes another. */
const openedAt = typeof window === 'undefined' ? '' : window.location.href;

type Person = SignedInPerson | null | undefined;
const problemText = 'The sign-in did not succeed. Please try again.';

export function SessionProvider({ config, children }: { config: PublicConfig; children: ReactNode }) {
  const [person, setPerson] = useState<Person>(undefined);
  const [problem, setProblem] = useState<string | null>(null);
  const [lapsed, setLapsed] = useState(false);
  const source = useRef<Tokens | null>(null);
  const alive = useRef(false);

  // Before the effects of what is inside: what is asked there waits for a token.
  useLayoutEffect(() => {
    alive.current = true;
    const stopFollowing = followSignOut();
    // After a sign-out nobody is named, though the page is still there.
    const here = () => (sessionMarks.signedIn() ? (source.current?.person ?? null) : null);
    const stopAnswering = answerOtherTabs(here);
    const stop = () => {
      alive.current = false;
      stopFollowing();
      stopAnswering();
    };
    // React's strict mode mounts twice. The provider is asked once, and a code can be redeemed once.
    if (source.current) return stop;
    let latest: SignedInPerson | null = null;
    const tokens = new Tokens(
      () => loadProvider(config),
      (next, lapse) => {
        if (next) beTabOf(next.subject);
        mark(latest, next, tokens.isOthers);
        latest = next;
        // Perhaps there is no network at all: asking the portal tells.
        if (lapse) connection.unanswered();
        if (!alive.current) return;
        setPerson(next);
        setLapsed(lapse !== null);
        if (next && lapse === null) setProblem(null);
      },
      { ahead: askedAhead() },
    );
    source.current = tokens;
    setTokenSource({ token: () => tokens.token(), renew: (refused) => tokens.renew(refused) });
    // Unless the provider was quicker, or they have signed out since.
    void namedBeside()?.then((named) => {
      if (!tokens.person && sessionMarks.signedIn()) tokens.set(named);
    });
    void begin(config, tokens)
      .catch(() => {
        if (tokens.person) return false;
        tokens.set(null);
        // No answer is no word that the session has ended: the next start asks again.
        sessionMarks.setSignedIn(true);
        return true;
      })
      .then((refused) => alive.current && refused && setProblem(problemText));
    return stop;
  }, [config]);

  const session = useMemo<Session>(() => {
    const signIn = async ({ signUp, fresh, silently, returnPath }: SignInWish = {}) => {
      keepReturnPath(returnPath ?? window.location.pathname + window.location.search);
      const again = fresh ? { again: true, ...(person ? { loginHint: person.email } : {}) } : {};
      try {
        const oidc = await loadProvider(config);
        await oidc.signIn({ ...(signUp ? { signUp } : {}), ...(silently ? { silently } : {}), ...again });
      } catch {
        setProblem(problemText);
      }
    };
    return {
      status: person === undefined ? 'loading' : person ? 'signed-in' : 'signed-out',
      email: person?.email ?? null,
      problem,
      lapsed,
      signIn,
      arrive: async (returnPath) => {
        await source.current?.token().catch(() => null);
        if (source.current?.lapse === 'frame' && !connection.isOffline()) {
          await signIn({ silently: true, returnPath });
        }
      },
      signOut: async () => {
        tellSignOut();
        await (await loadProvider(config)).signOut();
      },
    };
  }, [config, person, problem, lapsed]);
  const context = useMemo(() => ({ session, config }), [session, config]);
  return <SessionContext value={context}>{children}</SessionContext>;
}

/** What the browser remembers of it. `isOthers`: somebody else is signed in there by now, whom the next start asks for. */
function mark(before: SignedInPerson | null, next: SignedInPerson | null, isOthers: boolean): void {
  if (next || !isOthers) sessionMarks.setSignedIn(next !== null);
  // The session has ended while the page was open.
  if (before && !next) sessionMarks.forgetProfileOf(isOthers ? before.email : null);
}

/** Finds out who is signed in. True when the provider, or the person there, refused. */
async function begin(config: PublicConfig, tokens: Tokens): Promise<boolean> {
  if (new URL(openedAt).pathname === callbackPath) {
    const answer = await (await loadProvider(config)).finishRedirect(openedAt);
    if (window.location.pathname === callbackPath) window.history.replaceState(null, '', '/');
    tokens.set(typeof answer === 'string' ? null : answer);
    if (answer === 'signedOut') returnSignedOut();
    return answer === 'refused';
  }
  // Nobody has signed in with this browser, or they have signed out.
  if (!sessionMarks.signedIn()) {
    tokens.set(null);
    return false;
  }
  const answer = sessionMarks.framesAnswer() ? await tokens.ask() : 'frame';
  if (typeof answer !== 'string') return false;
  if (answer === 'frame') sessionMarks.setFramesAnswer(false);
  // Another tab has named them: only the provider's word ends that.
  if (answer !== 'signedOut' && tokens.person) return false;
  if (answer !== 'frame') {
    tokens.set(null);
    if (tokens.isOthers) return false;
    // No answer is no word that the session has ended: the next start asks again.
    sessionMarks.setSignedIn(answer === 'offline');
    if (answer === 'signedOut') sessionMarks.keepProfile(null);
    return false;
  }
  // Where the provider's cookies do not reach into frames, the whole page goes there and comes back.
  keepReturnPath(window.location.pathname + window.location.search);
  await (await loadProvider(config)).signIn({ silently: true });
  return false;
}

/** The provider knew nobody after all: back to where the page was, which asks for a sign-in if it needs one. */
function returnSignedOut(): void {
  const path = takeReturnPath();
  if (path && path !== '/') window.location.replace(path);
}
