import type { KeyUse, ResealReply } from '#contracts/operations/operator.ts';
import type { Db } from '#kernel/db/database.ts';
import { sealedLetters } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import { type Seal, SealBroken } from '#kernel/seal.ts';
import type { SealedPlace, SealedRow } from '#kernel/sealed-places.ts';

export interface KeysDeps {
  systemDb: Db;
  seal: Seal;
  logger: Logger;
  /** Everywhere that anything is kept sealed. */
  places: readonly SealedPlace[];
}

export type KeysApi = ReturnType<typeof createKeys>;

/** Values of one call: a reply within a second, and the caller asks again. */
const atOnce = 500;
const lettersPlace = 'letters that wait';

/** The sealing keys: what each still seals, and the move of everything to the newest (docs/decisions/0102). */
export function createKeys({ systemDb, seal, logger, places }: KeysDeps) {
  async function use(): Promise<KeyUse> {
    const counted = await Promise.all(
      places.map(async (place) => ({ place: place.name, keys: await place.count() })),
    );
    const letters = { place: lettersPlace, keys: await sealedLetters(systemDb) };
    return { newest: seal.newest, configured: [...seal.configured], places: [...counted, letters] };
  }

  /** Reseals values of older keys, as many as fit into one call. It can be stopped and repeated at any time. */
  async function reseal(): Promise<ResealReply> {
    let left = atOnce;
    const unreadable: ResealReply['unreadable'] = [];
    for (const place of places) {
      const done = await resealPlace(place, left);
      left -= done.resealed;
      if (done.unreadable > 0) unreadable.push({ place: place.name, values: done.unreadable });
      if (left <= 0) break;
    }
    const resealed = atOnce - left;
    logger.info({ resealed, unreadable, key: seal.newest }, 'sealed values moved to the newest key');
    return { resealed, more: left <= 0, unreadable };
  }

  async function resealPlace(place: SealedPlace, most: number) {
    let [resealed, unreadable] = [0, 0];
    let after: SealedRow | null = null;
    while (resealed < most) {
      const rows: Awaited<ReturnType<SealedPlace['under']>> = await place.under({
        ...{ than: seal.newest, after, limit: most - resealed },
      });
      for (const row of rows) {
        const moved = sealedAnew(row.sealed, place.contexts(row));
        if (moved === null) unreadable += 1;
        // A change in the meantime has already sealed it under the newest key.
        else if (await place.replace(row, row.sealed, moved)) resealed += 1;
      }
      after = rows.at(-1) ?? null;
      if (after === null) break;
    }
    return { resealed, unreadable };
  }

  /** null: no configured key opens it for any of these. */
  function sealedAnew(sealed: Buffer, contexts: readonly string[]): Buffer | null {
    for (const context of contexts) {
      try {
        return seal.seal(seal.open(sealed, context), context);
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
      }
    }
    return null;
  }

  return { use, reseal };
}
