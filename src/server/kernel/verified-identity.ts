/** Who signed in, as far as the identity provider vouches for it. The user is (issuer, subject), never the email. */
export interface VerifiedIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  /** When the person last proved who they are, seconds since the epoch; null when the provider does not say. */
  authenticatedAt: number | null;
  /** Seconds since the epoch. */
  expiresAt: number;
}
