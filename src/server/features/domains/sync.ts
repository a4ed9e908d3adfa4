import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { patiently, withFairnessKey } from '#kernel/fairness.ts';
import type { Jobs } from '#kernel/job-table.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { RegistrarNames, RegistrarSettings } from '../../ports/registrar.ts';
import type { RegistrarFacts } from './details.ts';
import { deletedUntil } from './redemption.rules.ts';
import { findHeld, type Held, recordDeletion, recordMissing, recordReading } from './settings.repo.ts';
import { isOrderedElsewhere, planReadings, readingsWaiting } from './sync.repo.ts';
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
        // What another organisation's order brings into the account is not theirs who listed it before (decision 276).
        const isElsewhere = read !== null && (await isOrderedElsewhere(tx, where));
        if (!read || isElsewhere) {
          if (asked)
            await recordAbsence(tx, where, { asked, isElsewhere, readAt, periods: deps.facts.periods });
          return;
        }
        await recordReading(tx, { ...held, isFound: true }, read, readAt);
        if (verification) await recordVerification(tx, where, verification, readAt);
      });
    },
    'domains.sync-due': () =>
      systemTransaction(systemDb, async (tx) => {
        const most = readingsToPlan(await readingsWaiting(tx));
        if (most > 0) await planReadings(tx, most, clock.now());
      }),
  };
}

/** The name was not there for us when the registrar was read at `readAt`. */
async function recordAbsence(
  tx: Tx,
  where: { organisationId: string; address: string },
  reading: {
    asked: Held;
    /** It is there, by another organisation's order. */
    isElsewhere: boolean;
    readAt: Date;
    periods: RegistrarFacts['periods'];
  },
): Promise<void> {
  const { asked, isElsewhere, readAt } = reading;
  const known = await findHeld(tx, where);
  // It was renewed, restored or bought again since the registrar was asked: a reading of its own follows.
  if (known?.id !== asked.id || known.renewed_at?.getTime() !== asked.renewed_at?.getTime()) return;
  const held = { ...where, renewedAt: known.renewed_at };
  const until = isElsewhere ? null : deletedUntil(known, reading.periods, readAt);
  if (until) {
    await recordDeletion(tx, { ...held, restorableUntil: until }, readAt);
    return;
  }
  // Transferred away, deleted, or a slip of the registrar: a person decides before anything is struck out (decision 275).
  const isRecorded = await recordMissing(tx, held, readAt);
  if (!isRecorded || known.missing_since) return;
  const text = isElsewhere
    ? `${where.address} is in the registrar's account by an order of another organization, and one that had it before still lists it.`
    : `${where.address} is not in the registrar's account any more, but the portal has it as ${known.status}.`;
  const alert = { kind: 'domain missing', text };
  await enqueueJob(tx, 'operator.alert', alert, { key: `missing:${where.address}` });
}
