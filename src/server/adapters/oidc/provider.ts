import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Clock } from '#kernel/clock.ts';
import type { HttpClient } from '#kernel/http-client.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';

/** Keys are fetched again for an unknown key id, at most this often; a flood of invented ids costs one fetch. */
const cooldownMs = 30_000;
const keysMaxAgeMs = 600_000;
const metadataMaxAgeMs = 600_000;
/** After a failure, with nothing to go on. */
const retryMs = 2_000;

const metadata = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
  authorization_endpoint: z.url().optional(),
  token_endpoint: z.url().optional(),
  end_session_endpoint: z.url().optional(),
  // Makes a sign-in quicker and no more: what is wrong with it must not refuse everybody.
  response_modes_supported: z.array(z.string().max(50)).max(20).optional().catch(undefined),
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
  /** The same as it was told last, if it was. */
  knownMetadata(): Metadata | null;
  /** For `jwtVerify`. Throws `UpstreamUnavailable` when there have never been any keys. */
  key: JWTVerifyGetKey;
  /** Of the keys known now; another number once others were fetched. */
  keysVersion(): number;
  getJson(url: string, headers?: Record<string, string>): Promise<unknown>;
}

/** What the provider publishes about itself: its metadata and its keys, which both may change. */
export function createProvider(options: ProviderOptions): Provider {
  const nowMs = () => options.clock.now().getTime();
  const metadataOf = remembered(fetchMetadata, nowMs);
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
      const { jwks_uri } = await metadataOf.get();
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

  return {
    ...{ metadata: metadataOf.get, knownMetadata: metadataOf.known },
    ...{ key, keysVersion: () => version, getJson },
  };
}

/**
 * The answer once there is one. An old one is asked for again behind the back of those who get it; a failure is tried again after a
 * pause, and leaves what was answered before.
 */
function remembered<T>(ask: () => Promise<T>, nowMs: () => number) {
  let last: T | null = null;
  let asking: Promise<T> | null = null;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  let hasFailed = false;

  const isDue = () => nowMs() - endedAtMs >= (hasFailed || last === null ? retryMs : metadataMaxAgeMs);

  function start(): Promise<T> {
    asking ??= ask().then(
      (answer) => {
        last = answer;
        end(false);
        return answer;
      },
      (error: unknown) => {
        end(true);
        throw error;
      },
    );
    return asking;
  }

  function end(failed: boolean): void {
    asking = null;
    hasFailed = failed;
    endedAtMs = nowMs();
  }

  function known(): T | null {
    if (asking === null && isDue()) start().catch(() => undefined);
    return last;
  }

  async function get(): Promise<T> {
    const answer = known();
    if (answer !== null) return answer;
    if (asking === null) throw new Error('no answer a moment ago');
    return asking;
  }

  return { known, get };
}
