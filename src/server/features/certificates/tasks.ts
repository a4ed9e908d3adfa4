import { minuteMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, systemTransaction } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { turnOf } from '#kernel/turn-of.rules.ts';
import {
  type CertificatePlace,
  dueForReissue,
  dueForSync,
  enqueueSync,
  expireCertificates,
  type FoundCertificate,
  findById,
} from './certificates.repo.ts';
import { dueForReissueAt } from './reissue.rules.ts';

/** The registrar is not to be asked for more at a stroke; the sweep comes each minute. */
const turn = { most: 500, everyMs: minuteMs };

/** Jobs that bring certificates along. */
export function createCertificateTasks(deps: {
  db: Db;
  systemDb: Db;
  clock: Clock;
  refresh(place: CertificatePlace): Promise<void>;
  /** Reissues when that needs no person. */
  reissue(row: FoundCertificate): Promise<void>;
}) {
  const { db, systemDb, clock } = deps;
  return {
    'certificates.sync': deps.refresh,

    /** What is due, what has run out, and what is to be reissued. The net under the jobs that plan themselves. */
    'certificates.sweep': async () => {
      const now = clock.now();
      await each([lookAtDue, reissueDue], (part) => part(now));
    },
  };

  async function lookAtDue(now: Date): Promise<void> {
    await systemTransaction(systemDb, async (tx) => {
      await expireCertificates(tx, now);
      for (const place of turnOf(await dueForSync(tx, now), now, turn)) await enqueueSync(tx, place, now);
    });
  }

  async function reissueDue(now: Date): Promise<void> {
    const due = await systemTransaction(systemDb, (tx) => dueForReissue(tx, dueForReissueAt(now)));
    await each(turnOf(due, now, turn), async (place) => {
      // What was intended is not due any more, whatever became of it: none is ordered twice, by this sweep or the next one beside it.
      const span = { ...dueForReissueAt(clock.now()), only: place };
      if ((await systemTransaction(systemDb, (tx) => dueForReissue(tx, span))).length === 0) return;
      const row = await inReading(db, place, (tx) => findById(tx, place));
      if (row) await deps.reissue(row);
    });
  }
}
