import { z } from 'zod';
import { reissueDaysBefore } from '#contracts/values/certificate-life.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import {
  type CertificatePlace,
  enqueueSync,
  type FoundCertificate,
  findById,
  syncTask,
} from './certificates.repo.ts';

const placePayload = z.object({ organisationId: z.uuid(), certificateId: z.uuid() });
const dayMs = 86_400_000;
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
    [syncTask]: (given: Record<string, unknown>) => deps.refresh(placePayload.parse(given)),

    /** What is due, what has run out, and what is to be reissued. The net under the jobs that plan themselves. */
    'certificates.sweep': async () => {
      const now = clock.now();
      await systemTransaction(systemDb, async (tx) => {
        await tx
          .updateTable('certificates')
          .set({ state: 'expired' })
          .where('state', '=', 'completed')
          .where('valid_to', '<=', now)
          .execute();
        const due = await tx
          .selectFrom('certificates')
          .select(['id', 'organisation_id'])
          .where('next_sync_at', '<=', now)
          .limit(mostAtOnce)
          .execute();
        for (const row of due) {
          await enqueueSync(tx, { organisationId: row.organisation_id, certificateId: row.id }, now);
        }
      });
      await reissueDue(now);
    },
  };

  async function reissueDue(now: Date): Promise<void> {
    const rows = await systemTransaction(systemDb, (tx) =>
      tx
        .selectFrom('certificates as s')
        .select(['s.id', 's.organisation_id'])
        .where('s.state', '=', 'completed')
        .where('s.auto_reissue', '=', true)
        .where('s.proof_state', 'in', ['set', 'present'])
        .where('s.valid_to', '<', new Date(now.getTime() + reissueDaysBefore * dayMs))
        .whereRef('s.term_ends_at', '>', 's.valid_to')
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('certificate_reissues as r')
                .select('r.id')
                .whereRef('r.certificate_id', '=', 's.id')
                // A day between two tries that came to nothing.
                .where((or) =>
                  or.or([
                    or('r.state', 'in', ['sending', 'unknown', 'running']),
                    or('r.created_at', '>', new Date(now.getTime() - dayMs)),
                  ]),
                ),
            ),
          ),
        )
        .limit(mostAtOnce)
        .execute(),
    );
    for (const { id, organisation_id } of rows) {
      const place = { organisationId: organisation_id, certificateId: id };
      const row = await inTransaction(db, place, (tx) => findById(tx, place));
      if (row) await deps.reissue(row);
    }
  }
}
