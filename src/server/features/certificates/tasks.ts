import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, systemTransaction } from '#kernel/db/database.ts';
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

/** The registrar is not to be asked for more at a stroke. */
const mostAtOnce = 500;

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
      await systemTransaction(systemDb, async (tx) => {
        await expireCertificates(tx, now);
        for (const place of await dueForSync(tx, now, mostAtOnce)) await enqueueSync(tx, place, now);
      });
      await reissueDue(now);
    },
  };

  async function reissueDue(now: Date): Promise<void> {
    const due = await systemTransaction(systemDb, (tx) =>
      dueForReissue(tx, { ...dueForReissueAt(now), limit: mostAtOnce }),
    );
    for (const place of due) {
      const row = await inTransaction(db, place, (tx) => findById(tx, place));
      if (row) await deps.reissue(row);
    }
  }
}
