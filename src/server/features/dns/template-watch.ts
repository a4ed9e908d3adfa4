import { AppError } from '#contracts/errors.ts';
import { driftOf } from '#contracts/values/dns-templates.ts';
import { dayMs, minuteMs } from '#contracts/values/time.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { startPassage } from '#kernel/passage.ts';
import { type DueUse, postponeLook, recordLook, takeDue } from './template-uses.repo.ts';
import { type ReadingDeps, readZone } from './zone-reading.ts';

/** Zones that are read at once. */
const beside = 4;
const claimMs = 3 * minuteMs;
/** One job works for so long; the next minute's goes on. */
const turnMs = 20_000;
const retryMs = 10 * minuteMs;

/** Looks at the zones that templates were applied to: each day, and after each change of the zone. */
export function createTemplateWatch(deps: ReadingDeps & { systemDb: Db }) {
  const { systemDb, clock } = deps;

  async function look(use: DueUse): Promise<void> {
    try {
      const zone = await readZone(deps, use);
      const drift = zone.delegated ? driftOf(use.address, zone.records, use.owned) : [];
      const state = !zone.delegated ? 'away' : drift.length > 0 ? 'drifted' : 'held';
      const now = clock.now();
      // Spread, so that domains which were changed together are not read together each day.
      const next = new Date(now.getTime() + dayMs * (0.8 + 0.4 * Math.random()));
      await systemTransaction(systemDb, (tx) => recordLook(tx, use, { state, drift, now, next }));
    } catch (error) {
      const next = new Date(clock.now().getTime() + retryMs);
      await systemTransaction(systemDb, (tx) => postponeLook(tx, use, next));
      if (!(error instanceof AppError)) throw error;
    }
  }

  /** What became of the looks at what is due, as long as this job works. */
  async function* looks(): AsyncGenerator<PromiseSettledResult<void>> {
    const passed = startPassage();
    while (passed() < turnMs) {
      const due = await systemTransaction(systemDb, (tx) => takeDue(tx, clock, { most: beside, claimMs }));
      if (due.length === 0) return;
      yield* await Promise.allSettled(due.map(look));
    }
  }

  return (): Promise<void> =>
    each(looks(), async (look) => {
      if (look.status === 'rejected') throw look.reason;
    });
}
