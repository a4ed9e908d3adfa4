import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { PublicConfig } from '#contracts/operations/system.ts';
import { setTokenSource } from './api-client.ts';
import { callbackPath, createOidc, type Oidc, type SignedInPerson } from './oidc.ts';
import { keepReturnPath } from './return-path.ts';

/**
 * Who is signed in. Tokens live in memory only; a reload asks the provider silently. Each tab has its own refresh
 * token, so that no tab ever replays another's.
 */
export interface Session {
  status: 'loading' | 'signed-out' | 'signed-in';
  email: string | null;
  signIn(options?: { signUp?: boolean; fresh?: boolean; returnPath?: string }): Promise<void>;
  signOut(): Promise<void>;
}

const SessionContext = createContext<{ session: Session; config: PublicConfig } | null>(null);

function useSessionContext() {
  const context = useContext(SessionContext);
  if (!context) throw new Error('no session around this component');
  return context;
}

export const useSession = (): Session => useSessionContext().session;
export const usePublicConfig = (): PublicConfig => useSessionContext().config;

/** A token is renewed this long before it ends. */
const renewBeforeMs = 60_000;

/** The tokens of this tab: one renewal at a time, whoever asks. */
class Tokens {
  person: SignedInPerson | null = null;
  readonly #oidc: Oidc;
  readonly #changed: (person: SignedInPerson | null) => void;
  #renewing: Promise<string | null> | null = null;

  constructor(oidc: Oidc, changed: (person: SignedInPerson | null) => void) {
    this.#oidc = oidc;
    this.#changed = changed;
  }

  set(person: SignedInPerson | null): void {
    this.person = person;
    this.#changed(person);
  }

  async token(): Promise<string | null> {
    const { person } = this;
    if (person && person.expiresAtMs - Date.now() > renewBeforeMs) return person.accessToken;
    return this.renew();
  }

  renew(): Promise<string | null> {
    this.#renewing ??= this.#ask().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #ask(): Promise<string | null> {
    const answer = await this.#oidc.renew();
    if (typeof answer !== 'string') {
      this.set(answer);
      return answer.accessToken;
    }
    // Without an answer the old token may still be good; only the provider's word ends the session.
    const { person } = this;
    if (answer === 'offline' && person && person.expiresAtMs > Date.now()) return person.accessToken;
    this.set(null);
    return null;
  }
}

export function SessionProvider({ config, children }: { config: PublicConfig; children: ReactNode }) {
  const [person, setPerson] = useState<SignedInPerson | null | undefined>(undefined);
  const oidc = useMemo(() => createOidc(config), [config]);

  useEffect(() => {
    let alive = true;
    const tokens = new Tokens(oidc, (next) => {
      if (alive) setPerson(next);
    });
    setTokenSource({ token: () => tokens.token(), renew: () => tokens.renew() });
    void begin(oidc, tokens);
    return () => {
      alive = false;
    };
  }, [oidc]);

  const session = useMemo<Session>(
    () => ({
      status: person === undefined ? 'loading' : person ? 'signed-in' : 'signed-out',
      email: person?.email ?? null,
      signIn: async ({ signUp, fresh, returnPath } = {}) => {
        keepReturnPath(returnPath ?? window.location.pathname + window.location.search);
        await oidc.signIn({ ...(signUp ? { signUp } : {}), ...(fresh ? { again: true } : {}) });
      },
      signOut: () => oidc.signOut(),
    }),
    [oidc, person],
  );
  const context = useMemo(() => ({ session, config }), [session, config]);
  return <SessionContext value={context}>{children}</SessionContext>;
}

/** React's strict mode mounts twice; a code can be redeemed once. */
let redeeming: Promise<SignedInPerson | null> | null = null;

async function begin(oidc: Oidc, tokens: Tokens): Promise<void> {
  if (window.location.pathname === callbackPath) {
    redeeming ??= oidc.finishRedirect().catch(() => null);
  }
  if (redeeming) {
    const person = await redeeming;
    if (window.location.pathname === callbackPath) window.history.replaceState(null, '', '/');
    if (person) return tokens.set(person);
  }
  await tokens.renew();
}
