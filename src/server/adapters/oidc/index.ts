import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import type { HttpClient } from '#kernel/http-client.ts';
import { type IdentityProvider, InvalidToken, type VerifiedIdentity } from '../../ports/identity.ts';

export interface OidcOptions {
  /** To the letter, with or without a slash at the end, as the provider's metadata has it. */
  issuer: string;
  audience: string;
  algorithms: string[];
  /** Accepted `typ` headers, e.g. `at+jwt` (RFC 9068) or `JWT`. */
  tokenTypes: string[];
  clockToleranceSeconds: number;
  claims: { email: string; emailVerified: string; name: string };
  http: HttpClient;
}

interface Metadata {
  issuer: string;
  jwks_uri: string;
  userinfo_endpoint?: string;
}

/** Keys are fetched again for an unknown key id, at most this often; a flood of invented ids costs one fetch. */
const cooldownMs = 30_000;
const keysMaxAgeMs = 600_000;
const metadataRetryMs = 5_000;

/**
 * Access tokens of any OpenID provider: Auth0, Keycloak, Entra ID and the like differ by configuration only
 * (facts checked 2026-11-21). An ID token is never an access token.
 */
export function createOidc(options: OidcOptions): IdentityProvider {
  let metadata: Promise<Metadata> | null = null;
  let failedAt = 0;
  let keys: ReturnType<typeof createRemoteJWKSet> | null = null;

  function discover(): Promise<Metadata> {
    if (metadata) return metadata;
    if (Date.now() - failedAt < metadataRetryMs)
      return Promise.reject(new InvalidToken('provider not reachable'));
    metadata = fetchMetadata().catch((error: unknown) => {
      metadata = null;
      failedAt = Date.now();
      throw error;
    });
    return metadata;
  }

  async function fetchMetadata(): Promise<Metadata> {
    const base = options.issuer.replace(/\/$/, '');
    const reply = await options.http.request({
      url: `${base}/.well-known/openid-configuration`,
      method: 'GET',
    });
    const found = JSON.parse(reply.body.toString('utf8')) as Metadata;
    // A provider that calls itself something else is not the one that was configured.
    if (found.issuer !== options.issuer) throw new InvalidToken(`the provider calls itself ${found.issuer}`);
    return found;
  }

  async function keySet() {
    if (keys) return keys;
    const { jwks_uri } = await discover();
    keys = createRemoteJWKSet(new URL(jwks_uri), {
      cooldownDuration: cooldownMs,
      cacheMaxAge: keysMaxAgeMs,
      timeoutDuration: 5_000,
    });
    return keys;
  }

  return {
    async verify(accessToken) {
      try {
        const { payload, protectedHeader } = await jwtVerify(accessToken, await keySet(), {
          issuer: options.issuer,
          audience: options.audience,
          algorithms: options.algorithms,
          clockTolerance: options.clockToleranceSeconds,
          requiredClaims: ['sub', 'exp', 'iat'],
        });
        requireAccessToken(payload, protectedHeader.typ);
        return toIdentity(payload);
      } catch (error) {
        if (error instanceof InvalidToken) throw error;
        throw new InvalidToken('the token is not valid', { cause: error });
      }
    },
    async userInfo(accessToken) {
      const { userinfo_endpoint } = await discover();
      if (!userinfo_endpoint) return { email: null, emailVerified: false, name: null };
      const reply = await options.http.request({
        url: userinfo_endpoint,
        method: 'GET',
        headers: { authorization: `Bearer ${accessToken}` },
      });
      return profileOf(JSON.parse(reply.body.toString('utf8')) as JWTPayload);
    },
  };

  function requireAccessToken(payload: JWTPayload, type: string | undefined): void {
    const accepted = options.tokenTypes.some((known) => known.toLowerCase() === (type ?? '').toLowerCase());
    if (!accepted) throw new InvalidToken(`a token of type ${type} is not an access token`);
    // Where both kinds say "JWT", these claims give an ID token away.
    if (payload.nonce !== undefined || payload.at_hash !== undefined)
      throw new InvalidToken('this is an ID token');
  }

  function toIdentity(payload: JWTPayload): VerifiedIdentity {
    return {
      issuer: options.issuer,
      subject: payload.sub ?? '',
      ...profileOf(payload),
      authenticatedAt: typeof payload.auth_time === 'number' ? payload.auth_time : null,
      expiresAt: payload.exp ?? 0,
    };
  }

  function profileOf(payload: JWTPayload): Pick<VerifiedIdentity, 'email' | 'emailVerified' | 'name'> {
    const { email, emailVerified, name } = options.claims;
    const text = (claim: unknown) => (typeof claim === 'string' && claim !== '' ? claim : null);
    return {
      email: text(payload[email])?.toLowerCase() ?? null,
      emailVerified: payload[emailVerified] === true || payload[emailVerified] === 'true',
      name: text(payload[name]),
    };
  }
}
