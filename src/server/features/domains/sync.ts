import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { patiently, withFairnessKey } from '#kernel/fairness.ts';
import type { Jobs } from '#kernel/job-table.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { RegistrarNames, RegistrarSettings } from '../../ports/registrar.ts';
import type { RegistrarFacts } from './details.ts';
import { expectedDeletion } from './redemption.rules.ts';
import { findHeld, recordDeletion, recordReading } from './settings.repo.ts';
import { planReadings, readingsWaiting } from './sync.repo.ts';
import { readingsToPlan } from './sync.rules.ts';
import { recordVerification } from './verification.repo.ts';
import { readVerification } from './verification-reading.ts';

/** Jobs that keep the portal's own copy of each domain true: one after a change, and each domain once a day (decision 272). */
export function createDomainSync(deps: {
  systemDb: Db;
  registrar: Pick<RegistrarNames, 'domain'> & Pick<RegistrarSettings, 'verification'>;
  clock: Clock;
  facts: Pick<RegistrarFacts, 'periods'>;
}): Jobs<'domains.sync' | 'domains.sync-due'> {
  const { systemDb, registrar, clock } = deps;
  return {
    'domains.sync': async (where) => {
      const asked = await systemTransaction(systemDb, (tx) => findHeld(tx, where));
      const held = { ...where, renewedAt: asked?.renewed_at ?? null };
      const readAt = clock.now();
      const ask = () =>
        Promise.all([registrar.domain(where.address), readVerification(registrar, where.address)]);
      const [read, verification] = await withFairnessKey(where.organisationId, () => patiently(ask));
      await systemTransaction(systemDb, async (tx) => {
        if (read) {
          await recordReading(tx, held, read, readAt);
          if (verification) await recordVerification(tx, where, verification, readAt);
          return;
        }
        const known = await findHeld(tx, where);
        // It was renewed or restored since the registrar was asked: a reading of its own follows.
        if (!known || known.renewed_at?.getTime() !== held.renewedAt?.getTime()) return;
        const until =
          known.restorable_until ?? expectedDeletion(known.expires_at, deps.facts.periods, readAt);
        if (until && until > readAt) {
          await recordDeletion(tx, { ...held, restorableUntil: until }, readAt);
          return;
        }
        // Transferred away, deleted, or a slip of the registrar: a person decides before anything is struck out.
        const text = `${where.address} is not in the registrar's account any more, but the portal has it as ${known.status}.`;
        await enqueueJob(
          tx,
          'operator.alert',
          { kind: 'domain missing', text },
          { key: `missing:${where.address}` },
        );
      });
    },
    'domains.sync-due': () =>
      systemTransaction(systemDb, async (tx) => {
        const most = readingsToPlan(await readingsWaiting(tx));
        if (most > 0) await planReadings(tx, most, clock.now());
      }),
  };
}
