import type { VerifiedIdentity } from '#kernel/verified-identity.ts';

export type { VerifiedIdentity };

/** Where browsers sign in, by the names of OpenID Connect Discovery. */
export interface SignInMetadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  end_session_endpoint?: string | undefined;
  response_modes_supported?: string[] | undefined;
}

export interface IdentityProvider {
  /** Verifies an access token. Throws `InvalidToken` for anything but a valid one for this API. */
  verify(accessToken: string): Promise<VerifiedIdentity>;
  /** Name and email from the provider where the access token does not carry them. */
  userInfo(accessToken: string): Promise<Pick<VerifiedIdentity, 'email' | 'emailVerified' | 'name'>>;
  /** What the provider said of itself some minutes ago at most, if it has; waits for nothing. */
  signInMetadata(): SignInMetadata | null;
}

export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
