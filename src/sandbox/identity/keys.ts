import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Settings } from './database.ts';

/** A signing key with its private part. */
export type SigningKey = JWK & { kid: string; alg: string };

export interface Keys {
  /** Newest first; tokens are signed by the first of their algorithm, and those of all are accepted. */
  all(): SigningKey[];
  /** The first of its key type, also for an algorithm that it is not published for, e.g. PS256. */
  forAlgorithm(alg: string): SigningKey | null;
  /** Puts new keys in front. `drop` forgets the earlier ones at once, as after a leak. */
  rotate(drop: boolean): Promise<void>;
}

const ALGORITHMS = ['RS256', 'ES256'];
const KEPT_GENERATIONS = 2;

async function generate(alg: string): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = `${alg.toLowerCase()}-${crypto.randomUUID().slice(0, 8)}`;
  return { ...jwk, kid, alg, use: 'sig' };
}

/** Keys outlive a restart, so that what was signed before it stays valid. */
export async function openKeys(settings: Settings): Promise<Keys> {
  let keys = (settings.read('keys') as SigningKey[] | undefined) ?? [];

  async function rotate(drop: boolean): Promise<void> {
    const fresh = await Promise.all(ALGORITHMS.map(generate));
    keys = [...fresh, ...(drop ? [] : keys.slice(0, ALGORITHMS.length * (KEPT_GENERATIONS - 1)))];
    settings.write('keys', keys);
  }

  if (keys.length === 0) await rotate(true);
  return {
    all: () => keys,
    forAlgorithm(alg) {
      const kind = alg.startsWith('ES') ? 'EC' : 'RSA';
      return keys.find((key) => key.kty === kind) ?? null;
    },
    rotate,
  };
}

/** As published: without the private parts. */
export function publicPart(key: SigningKey): JWK {
  const { kty, kid, alg, use, crv, x, y, n, e } = key;
  const entries = Object.entries({ kty, kid, alg, use, crv, x, y, n, e });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as JWK;
}
