import {
  ErrorResponse,
  InMemoryWebStorage,
  type OidcMetadata,
  type User,
  UserManager,
  type UserManagerSettings,
  WebStorageStateStore,
} from 'oidc-client-ts';
import type { PublicConfig } from '#contracts/operations/system.ts';
import { callbackPath, silentCallbackPath } from './sign-in-paths.ts';

/** The sign-in library, behind this one file. Code flow with PKCE; tokens are in memory only. */

/** A provider that may not be framed, or whose cookies are blocked there, never answers. */
const frameAnswerSeconds = 6;

export interface SignedInPerson {
  subject: string;
  email: string;
  name: string;
  accessToken: string;
  /** Epoch milliseconds. */
  expiresAtMs: number;
}

export interface SignInOptions {
  /** Opens the provider's sign-up page (P2 §2: a sign-up hint for visitors with an invite). */
  signUp?: boolean;
  /** Asks for the password again, for what needs a fresh sign-in. */
  again?: boolean;
  /** Only when nothing needs to be asked. */
  silently?: boolean;
  loginHint?: string;
}

export type Oidc = ReturnType<typeof createOidc>;

/**
 * What is behind a `#` is not sent: the browser takes the page of the silent sign-in from its cache (OAuth 2.0 Multiple Response
 * Type Encoding Practices 2.1). A redirect is answered to another page than asked, which may know other ways: its answer has the
 * usual one.
 */
const inFragment = { response_mode: 'fragment' } as const;

/** `signedOut`: the provider knows nobody here; `frame`: it does not answer in a frame; `offline`: not at all. */
export type SilentFailure = 'signedOut' | 'frame' | 'offline';

/** `refused`: by the provider or by the person there, or the answer fits no question of this tab. */
export type RedirectFailure = 'signedOut' | 'refused';

export function createOidc({ identity }: PublicConfig) {
  const { origin } = window.location;
  const settings: UserManagerSettings = {
    authority: identity.authority,
    // Without it the library asks the provider.
    ...(identity.metadata ? { metadata: identity.metadata as Partial<OidcMetadata> } : {}),
    client_id: identity.clientId,
    redirect_uri: `${origin}${callbackPath}`,
    silent_redirect_uri: `${origin}${silentCallbackPath}`,
    post_logout_redirect_uri: `${origin}/`,
    response_type: 'code',
    scope: identity.scope,
    extraQueryParams: identity.extraParams,
    userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    // What a redirect must find again: state, nonce and verifier, for this tab.
    stateStore: new WebStorageStateStore({ store: window.sessionStorage }),
    automaticSilentRenew: false,
    monitorSession: false,
    loadUserInfo: false,
    silentRequestTimeoutInSeconds: frameAnswerSeconds,
  };
  const manager = new UserManager(settings);
  const canBeInFragment = identity.metadata?.response_modes_supported?.includes('fragment');
  const framed = canBeInFragment ? new UserManager({ ...settings, ...inFragment }) : manager;

  return {
    /** Redeems what the provider sent along to the callback address. */
    async finishRedirect(address: string): Promise<SignedInPerson | RedirectFailure> {
      try {
        return toPerson(await manager.signinRedirectCallback(address));
      } catch (error) {
        return needsSignIn(error) ? 'signedOut' : 'refused';
      }
    },

    /** A new token by the refresh token, or by asking the provider in a hidden frame. */
    async renew(): Promise<SignedInPerson | SilentFailure> {
      const user = await manager.getUser();
      if (user?.refresh_token) {
        try {
          const renewed = await manager.signinSilent();
          if (renewed) return toPerson(renewed);
        } catch (error) {
          if (!(error instanceof ErrorResponse)) return 'offline';
        }
      }
      return askInFrame(framed);
    },

    async signIn(options: SignInOptions): Promise<void> {
      await manager.signinRedirect({
        ...(options.silently ? { prompt: 'none' } : {}),
        ...(options.again ? { prompt: 'login', max_age: 0 } : {}),
        ...(options.loginHint ? { login_hint: options.loginHint } : {}),
        extraQueryParams: { ...identity.extraParams, ...(options.signUp ? { screen_hint: 'signup' } : {}) },
      });
    },

    /** Signs out here and at the provider, where it has a way to do that. */
    async signOut(): Promise<void> {
      try {
        await manager.signoutRedirect();
      } catch {
        await manager.removeUser();
        window.location.assign('/');
      }
    },
  };
}

async function askInFrame(manager: UserManager): Promise<SignedInPerson | SilentFailure> {
  try {
    const user = await manager.signinSilent({ forceIframeAuth: true });
    return user ? toPerson(user) : 'signedOut';
  } catch (error) {
    // Out of order, the provider says nothing of the session.
    if (error instanceof ErrorResponse) return isOutage(error) ? 'offline' : 'signedOut';
    return error instanceof Error && error.name === 'ErrorTimeout' ? 'frame' : 'offline';
  }
}

/** RFC 6749 §4.1.2.1: what stands for 500 and 503, which a redirect cannot carry. */
const isOutage = ({ error }: ErrorResponse) =>
  error === 'server_error' || error === 'temporarily_unavailable';

/** Whether the provider refused to go on without asking the person. */
function needsSignIn(error: unknown): boolean {
  return (
    error instanceof ErrorResponse &&
    /^(login|interaction|consent|account_selection)_required$/.test(error.error ?? '')
  );
}

function toPerson(user: User): SignedInPerson {
  return {
    subject: user.profile.sub,
    email: user.profile.email ?? '',
    name: user.profile.name ?? '',
    accessToken: user.access_token,
    expiresAtMs: (user.expires_at ?? 0) * 1_000,
  };
}
