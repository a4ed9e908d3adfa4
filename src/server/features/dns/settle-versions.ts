import { AppError } from '#contracts/errors.ts';
import { hourMs, minuteMs } from '#contracts/values/time.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { turnOf } from '#kernel/turn-of.rules.ts';
import { openPlaces } from './places.repo.ts';
import { type ReadingDeps, readZone } from './zone-reading.ts';

/** Zones that one run asks the registrar about, and how often it comes. */
const turn = { most: 100, everyMs: 2 * minuteMs };
/** A process that is paused for longer finds its connection closed. */
const watchMs = hourMs;

/**
 * Concludes versions that a killed process, or an answer that never came, left open: the registrar is asked what the zone
 * is now, as when somebody looks at it. Those that may still reach the registrar wait for a later run. Those that were given up
 * are looked at for an hour: one that strikes late is repaired, though its process may not live any more.
 */
export async function settleVersions(deps: ReadingDeps & { systemDb: Db }): Promise<void> {
  const { systemDb, clock, settleMs } = deps;
  const open = await systemTransaction(systemDb, (tx) => openPlaces(tx, { clock, settleMs, watchMs }));
  await each(turnOf(open, clock.now(), turn), async (place) => {
    try {
      await readZone(deps, place);
    } catch (error) {
      // The registrar does not answer: a later run asks again.
      if (!(error instanceof AppError)) throw error;
    }
  });
}
