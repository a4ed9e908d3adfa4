import { AppError } from '#contracts/errors.ts';
import type { SettingResult } from '#contracts/operations/domain-settings.ts';
import { hourMs } from '#contracts/values/time.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Leases } from '#kernel/leases.ts';
import { tellManagers } from '#kernel/letters.ts';
import type { Scope } from '#kernel/scope.ts';
import type { RegistrarSettings } from '../../ports/registrar.ts';
import { verificationLetter } from './domains.letters.ts';
import { concluded, underLease } from './outcome.ts';
import { requireDomain, requireSettings } from './settings.service.ts';
import { enqueueSync, inParts } from './sync-job.ts';
import { notedIfUnknown } from './unknown-outcome.ts';
import {
  claimResend,
  enqueueUnverified,
  openVerifications,
  organisationsToTell,
  recordTold,
  releaseResend,
} from './verification.repo.ts';
import { noticeDue } from './verification.rules.ts';

export interface VerificationDeps {
  db: Db;
  systemDb: Db;
  registrar: Pick<RegistrarSettings, 'resendVerification'>;
  clock: Clock;
  publicUrl: string;
  leases: Leases;
}

/** Between two letters to one registrant: enough for a mailbox to show the first. */
const resendPauseMs = 10 * 60_000;
/** An open verification is asked about so often, besides the registrar's own events. */
const askEveryMs = 6 * hourMs;

/** Whether registrants have confirmed their address: seen, sent again, and told to the MSP before it is too late. */
export function createVerification(deps: VerificationDeps) {
  const { db, systemDb, registrar, clock } = deps;

  async function resend(scope: Scope, domain: string): Promise<SettingResult> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    requireSettings(scope, row);
    const where = { organisationId: scope.organisationId, address: row.address };
    const now = clock.now();
    if (!(await inTransaction(db, scope, (tx) => claimResend(tx, where, now, resendPauseMs)))) {
      throw new AppError('unprocessable', {
        message: 'The email was sent a moment ago. Please wait ten minutes before you send it again.',
      });
    }
    const outcome = await deps.leases.run(scope, `verification of ${row.address}`, (lease) =>
      withFairnessKey(scope.organisationId, () =>
        underLease(lease, (fence) => registrar.resendVerification(row.address, fence)),
      ),
    );
    if (outcome.kind === 'refused' || outcome.kind === 'busy') {
      await inTransaction(db, scope, (tx) => releaseResend(tx, where, now));
    }
    const end = await notedIfUnknown(deps, scope, { row, action: 'domains.resendVerification' }, () =>
      // A letter leaves no trace that could be read back.
      concluded(outcome, async () => ({ applied: false, present: null })),
    );
    await inTransaction(db, scope, async (tx) => {
      const object = { objectKind: 'domain', object: row.address, customerId: row.customer_id };
      await audit(tx, scope, { at: clock.now(), action: 'domains.resendVerification', ...object });
      await enqueueSync(tx, where);
    });
    return { domain: row.address, notice: end.kind === 'later' ? end.text : null };
  }

  /** One letter to each organisation for each kind of news, with all its domains. */
  async function tellAll(): Promise<void> {
    const organisations = await systemTransaction(systemDb, organisationsToTell);
    await each(organisations, (organisationId) =>
      systemTransaction(systemDb, (tx) => tell(tx, organisationId)),
    );
  }

  async function tell(tx: Tx, organisationId: string): Promise<void> {
    const now = clock.now();
    const due = (await openVerifications(tx, organisationId)).flatMap((row) => {
      const { verification: state, verification_deadline: deadline, verification_told: told } = row;
      const notice = noticeDue({ state, deadline, told }, now);
      return notice ? [{ row, notice }] : [];
    });
    for (const [notice, news] of Map.groupBy(due, (one) => one.notice)) {
      const rows = news.map(({ row }) => row);
      const ids = rows.map(({ id }) => id);
      await recordTold(tx, ids, notice);
      await tellManagers(tx, {
        organisationId,
        notice: `verification.${notice}.${ids[0] ?? ''}`,
        letter: verificationLetter(notice, rows, now, deps.publicUrl),
      });
    }
  }

  return {
    resend,
    tasks: {
      'domains.verification-letters': tellAll,
      'domains.verification-due': () =>
        inParts(systemDb, (tx, after) =>
          enqueueUnverified(tx, 'domains.sync', new Date(clock.now().getTime() - askEveryMs), after),
        ),
    },
  };
}
