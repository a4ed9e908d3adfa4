import type { VerifiedIdentity } from '#kernel/verified-identity.ts';

export type { VerifiedIdentity };

export interface IdentityProvider {
  /** Verifies an access token. Throws `InvalidToken` for anything but a valid one for this API. */
  verify(accessToken: string): Promise<VerifiedIdentity>;
  /** Name and email from the provider where the access token does not carry them. */
  userInfo(accessToken: string): Promise<Pick<VerifiedIdentity, 'email' | 'emailVerified' | 'name'>>;
}

export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
