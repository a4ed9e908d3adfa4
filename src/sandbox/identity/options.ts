import type { MailPart } from '../mail/index.ts';
import type { ListenOptions } from '../part.ts';
import type { SandboxStore } from '../store.ts';

/** A single-page app that may ask for sign-ins: a public client, PKCE instead of a secret. */
export interface IdentityClient {
  client_id: string;
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  /** Origins whose pages may call the token endpoint and frame a silent sign-in. The first is where "back" leads. */
  origins: string[];
}

/**
 * How other providers differ from this one, so that the portal can be tried against each (checked 2026-11-21):
 * Auth0: issuer ends in a slash, `typ` JWT, `aud` an array with the user-information address, no e-mail in the access
 * token; Keycloak: issuer with a path, `typ` JWT, `aud` a string; Entra ID: path ending in `/v2.0`, `typ` JWT.
 */
export interface Shape {
  /** `/realms/main` */
  issuerPath?: string;
  trailingSlash?: boolean;
  /** Header `typ` of access tokens; `at+jwt` unless set. */
  tokenTyp?: string;
  audArray?: boolean;
  /** False: access tokens carry neither name nor e-mail; they are to be asked for at the user information. */
  emailInToken?: boolean;
  /** What name and e-mail are called in access tokens, e.g. `{ email: 'https://msp.example/email' }`. */
  claimNames?: Partial<Record<'email' | 'email_verified' | 'name', string>>;
}

export interface IdentityOptions extends ListenOptions {
  store: SandboxStore;
  /** The address by which browsers reach it; the one it listens on unless set. */
  publicUrl?: string;
  clients: IdentityClient[];
  audience: string;
  mail: Pick<MailPart, 'send'>;
  shape?: Shape;
  /** Keeps several providers in one store apart. */
  realm?: string;
  /** How long a sign-in waits after so many failed ones; tests set it to none. */
  loginDelayMs?: (failures: number) => number;
}

/** What is fixed for one running provider. */
export interface Realm {
  store: SandboxStore;
  name: string;
  /** Without a slash at the end; the issuer may have one. */
  baseUrl: string;
  /** `''` or `/realms/main` */
  basePath: string;
  issuer: string;
  audience: string;
  shape: Shape;
  secure: boolean;
}

export const SCOPES = ['openid', 'profile', 'email', 'offline_access'];

export const ACCESS_TOKEN_SECONDS = 600;
export const ID_TOKEN_SECONDS = 3600;
/** design/security.md, sessions: absolute 30 d, idle 7 d. */
export const ABSOLUTE_SECONDS = 30 * 86_400;
export const IDLE_SECONDS = 7 * 86_400;
