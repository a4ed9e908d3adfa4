import { randomBytes } from 'node:crypto';
import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';
import { sha256 } from '#kernel/ids.ts';
import { type Seal, SealBroken } from '#kernel/seal.ts';
import { keepNonce } from './nonces.repo.ts';
import { AcmeProblem } from './problems.rules.ts';

/** A client that prepares its request for longer asks for another nonce. */
const validMs = 3_600_000;
const context = 'acme nonce';

export interface Nonces {
  make(): string;
  /** Throws `badNonce`, with which every client tries again, unless it is ours, fresh, and used for the first time. */
  use(nonce: string | null): Promise<void>;
}

/**
 * A nonce is the time at which it was made, sealed with the portal's key: any process knows its own, and nobody who only
 * asks for nonces fills the database. What is written is that one was used (docs/decisions/0209).
 */
export function createNonces(deps: { db: Db; seal: Pick<Seal, 'seal' | 'open'>; clock: Clock }): Nonces {
  const { db, seal, clock } = deps;

  function isFresh(nonce: string): boolean {
    try {
      const text = seal.open(Buffer.from(nonce, 'base64url'), context);
      const ageMs = clock.now().getTime() - Number(text.split(' ')[0]);
      return ageMs > -validMs && ageMs < validMs;
    } catch (error) {
      if (error instanceof SealBroken) return false;
      throw error;
    }
  }

  return {
    make: () =>
      seal.seal(`${clock.now().getTime()} ${randomBytes(6).toString('hex')}`, context).toString('base64url'),
    async use(nonce) {
      if (nonce === null) {
        throw new AcmeProblem('badNonce', 'The request has no nonce. Ask for one at new-nonce.');
      }
      // Only one spelling of the same bytes: base64url has several.
      const bytes = Buffer.from(nonce, 'base64url');
      const known = bytes.toString('base64url') === nonce && isFresh(nonce);
      if (known && (await keepNonce(db, sha256(bytes)))) return;
      throw new AcmeProblem(
        'badNonce',
        'The nonce of the request is not valid or was used already. Send the request again with the new one.',
      );
    },
  };
}
