import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { type Clock, systemClock } from '#kernel/clock.ts';
import type { HttpClient } from '#kernel/http-client.ts';
import { type IdentityProvider, InvalidToken, type VerifiedIdentity } from '../../ports/identity.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { createProvider } from './provider.ts';
import { createVerifiedTokens } from './verified-tokens.ts';

export interface OidcOptions {
  /** To the letter, with or without a slash at the end, as the provider's metadata has it. */
  issuer: string;
  audience: string;
  /** Of the web app. Where it is the audience too, as Entra ID may have it, ID tokens look most alike. */
  clientId?: string;
  algorithms: string[];
  /** Accepted `typ` headers, e.g. `at+jwt` (RFC 9068) or `JWT`. */
  tokenTypes: string[];
  clockToleranceSeconds: number;
  claims: { email: string; emailVerified: string; name: string; authTime?: string };
  http: HttpClient;
  clock?: Clock;
}

/** Keycloak names a token's kind in a claim too (checked 2026-11-21). */
const otherKinds = ['id', 'refresh', 'offline', 'logout'];

/**
 * Access tokens of any OpenID provider: Auth0, Keycloak, Entra ID and the like differ by configuration only
 * (facts checked 2026-11-21). An ID token is never an access token.
 */
export function createOidc(options: OidcOptions): IdentityProvider {
  const clock = options.clock ?? systemClock;
  const provider = createProvider({ issuer: options.issuer, http: options.http, clock });
  const verified = createVerifiedTokens();
  const acceptedTypes = options.tokenTypes.map(bareType);

  return {
    async verify(accessToken) {
      const nowMs = clock.now().getTime();
      const keys = provider.keysVersion();
      const known = verified.find(accessToken, nowMs, keys);
      if (known) return known;
      try {
        const { payload, protectedHeader } = await jwtVerify(accessToken, provider.key, {
          issuer: options.issuer,
          audience: options.audience,
          algorithms: options.algorithms,
          clockTolerance: options.clockToleranceSeconds,
          currentDate: clock.now(),
          requiredClaims: ['sub', 'exp', 'iat'],
        });
        requireAccessToken(payload, bareType(protectedHeader.typ ?? ''));
        const identity = toIdentity(payload);
        // Keys that changed meanwhile may have been others than those that it was checked with.
        if (provider.keysVersion() === keys) verified.keep(accessToken, identity, nowMs, keys);
        return identity;
      } catch (error) {
        if (error instanceof InvalidToken || error instanceof UpstreamUnavailable) throw error;
        // Everything that the library finds wrong is wrong with the token; anything else is a fault of ours.
        if (error instanceof errors.JOSEError) throw new InvalidToken(error.message, { cause: error });
        throw error;
      }
    },

    signInMetadata() {
      const {
        issuer,
        authorization_endpoint,
        token_endpoint,
        end_session_endpoint,
        response_modes_supported,
      } = provider.knownMetadata() ?? {};
      if (!issuer || !authorization_endpoint || !token_endpoint) return null;
      return {
        ...{ issuer, authorization_endpoint, token_endpoint, end_session_endpoint },
        response_modes_supported,
      };
    },

    async userInfo(accessToken) {
      const nothing = { email: null, emailVerified: false, name: null };
      const { userinfo_endpoint } = await provider.metadata();
      if (!userinfo_endpoint) return nothing;
      const told = await provider.getJson(userinfo_endpoint, { authorization: `Bearer ${accessToken}` });
      if (told === null || typeof told !== 'object') return nothing;
      const claims = told as JWTPayload;
      // OpenID Connect Core 5.3.2: it must be about the same person.
      if (claims.sub !== decodeJwt(accessToken).sub)
        throw new InvalidToken('the user information is another person’s');
      return profileOf(claims);
    },
  };

  function requireAccessToken(payload: JWTPayload, type: string): void {
    if (typeof payload.sub !== 'string' || payload.sub === '')
      throw new InvalidToken('the token names nobody');
    if (!acceptedTypes.includes(type)) {
      throw new InvalidToken(`a token of type ${type || 'none'} is not an access token`);
    }
    if (type === 'at+jwt') return;
    // Where both kinds say "JWT", these claims give an ID token away.
    if (['nonce', 'at_hash', 'c_hash'].some((claim) => payload[claim] !== undefined)) {
      throw new InvalidToken('this is an ID token');
    }
    if (typeof payload.typ === 'string' && otherKinds.includes(payload.typ.toLowerCase())) {
      throw new InvalidToken(`this is a token of kind ${payload.typ}`);
    }
    // The audience tells nothing then; only an access token says what it is good for.
    const saysScope = payload.scp !== undefined || payload.scope !== undefined;
    if (options.clientId === options.audience && !saysScope) throw new InvalidToken('this is an ID token');
  }

  function toIdentity(payload: JWTPayload): VerifiedIdentity {
    const authenticatedAt = payload[options.claims.authTime ?? 'auth_time'];
    return {
      issuer: options.issuer,
      subject: payload.sub ?? '',
      ...profileOf(payload),
      authenticatedAt: typeof authenticatedAt === 'number' ? authenticatedAt : null,
      expiresAt: payload.exp ?? 0,
    };
  }

  function profileOf(payload: JWTPayload): Pick<VerifiedIdentity, 'email' | 'emailVerified' | 'name'> {
    const { email, emailVerified, name } = options.claims;
    const text = (claim: unknown) => (typeof claim === 'string' && claim !== '' ? claim : null);
    return {
      email: text(payload[email])?.toLowerCase() ?? null,
      // Entra ID's claim xms_edov is a number or a text (checked 2026-11-21).
      emailVerified: [true, 'true', 1, '1'].some((yes) => payload[emailVerified] === yes),
      name: text(payload[name]),
    };
  }
}

/** RFC 7515 4.1.9: `at+jwt` and `application/at+jwt` are the same, in any case. */
function bareType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}
