/** Who signed in, as far as the identity provider vouches for it. The user is (issuer, subject), never the e-mail. */
export interface VerifiedIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  /** When the person last proved who he is, seconds since the epoch; null when the provider does not say. */
  authenticatedAt: number | null;
  /** Seconds since the epoch. */
  expiresAt: number;
}

export interface IdentityProvider {
  /** Verifies an access token. Throws `InvalidToken` for anything but a valid one for this API. */
  verify(accessToken: string): Promise<VerifiedIdentity>;
  /** Name and e-mail from the provider where the access token does not carry them. */
  userInfo(accessToken: string): Promise<Pick<VerifiedIdentity, 'email' | 'emailVerified' | 'name'>>;
}

export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}
