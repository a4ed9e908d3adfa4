import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Clock } from '#kernel/clock.ts';
import type { HttpClient } from '#kernel/http-client.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';

/** Keys are fetched again for an unknown key id, at most this often; a flood of invented ids costs one fetch. */
const cooldownMs = 30_000;
const keysMaxAgeMs = 600_000;
/** After a failure, with nothing to go on. */
const retryMs = 2_000;

const metadata = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
});
type Metadata = z.output<typeof metadata>;

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

export interface ProviderOptions {
  issuer: string;
  http: HttpClient;
  clock: Clock;
}

export interface Provider {
  metadata(): Promise<Metadata>;
  /** For `jwtVerify`. Throws `UpstreamUnavailable` when there have never been any keys. */
  key: JWTVerifyGetKey;
  /** Of the keys known now; another number once others were fetched. */
  keysVersion(): number;
  getJson(url: string, headers?: Record<string, string>): Promise<unknown>;
}

/** What the provider publishes about itself: its metadata, asked once, and its keys, which change. */
export function createProvider(options: ProviderOptions): Provider {
  const nowMs = () => options.clock.now().getTime();
  const askMetadata = remembered(fetchMetadata, nowMs);
  let keys: JWTVerifyGetKey | null = null;
  let fetchedAtMs = 0;
  let version = 0;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  async function fetchMetadata(): Promise<Metadata> {
    const base = options.issuer.replace(/\/$/, '');
    const found = metadata.parse(await getJson(`${base}/.well-known/openid-configuration`));
    // A provider that calls itself something else is not the one that was configured (ASVS 10.5.3).
    if (found.issuer !== options.issuer) {
      throw new Error(
        `${options.issuer} calls itself ${found.issuer}: OIDC_ISSUER must be the same to the letter`,
      );
    }
    return found;
  }

  async function getJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
    const reply = await options.http.request({
      url,
      method: 'GET',
      headers: { accept: 'application/json', ...headers },
    });
    if (reply.status !== 200) throw new Error(`${url} answers with ${reply.status}`);
    return JSON.parse(reply.body.toString('utf8'));
  }

  /** Only one fetch runs at a time. If it fails, the last good keys stay. */
  function fetchKeys(): Promise<void> {
    askedAtMs = nowMs();
    asking ??= (async () => {
      const { jwks_uri } = await askMetadata();
      keys = createLocalJWKSet(keySet.parse(await getJson(jwks_uri)) as JSONWebKeySet);
      fetchedAtMs = nowMs();
      version += 1;
    })().finally(() => {
      asking = null;
    });
    return asking;
  }

  const mayAsk = (pauseMs: number) => asking !== null || nowMs() - askedAtMs >= pauseMs;

  async function currentKeys(): Promise<JWTVerifyGetKey> {
    const stale = nowMs() - fetchedAtMs >= keysMaxAgeMs;
    if (keys && stale && mayAsk(cooldownMs)) await fetchKeys().catch(() => undefined);
    if (!keys) {
      if (!mayAsk(retryMs))
        throw new UpstreamUnavailable('the identity provider did not answer a moment ago');
      await fetchKeys().catch((error: unknown) => {
        throw new UpstreamUnavailable('the identity provider’s keys cannot be had', { cause: error });
      });
    }
    if (!keys) throw new UpstreamUnavailable('the identity provider has no keys');
    return keys;
  }

  const key: JWTVerifyGetKey = async (header, token) => {
    const present = await currentKeys();
    try {
      return await present(header, token);
    } catch (error) {
      // A rotation is noticed by its first token.
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayAsk(cooldownMs)) throw error;
      await fetchKeys().catch(() => undefined);
      return (await currentKeys())(header, token);
    }
  };

  return { metadata: askMetadata, key, keysVersion: () => version, getJson };
}

/** The answer once there is one; a failure is asked again after a pause. */
function remembered<T>(ask: () => Promise<T>, nowMs: () => number): () => Promise<T> {
  let answer: Promise<T> | null = null;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (answer !== null) return answer;
    if (nowMs() - failedAtMs < retryMs) throw new Error('no answer a moment ago');
    answer = ask().catch((error: unknown) => {
      answer = null;
      failedAtMs = nowMs();
      throw error;
    });
    return answer;
  };
}
