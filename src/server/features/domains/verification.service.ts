import { AppError } from '#contracts/errors.ts';
import type { SettingResult } from '#contracts/operations/domain-settings.ts';
import { verificationDaysLeft } from '#contracts/values/registrant-verification.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Leases } from '#kernel/leases.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Registrar } from '../../ports/registrar.ts';
import { concluded, underLease } from './outcome.ts';
import { requireDomain, requireSettings } from './settings.service.ts';
import { enqueueSync, syncTask } from './sync-job.ts';
import {
  claimResend,
  enqueueUnverified,
  type OpenVerification,
  openVerifications,
  recordTold,
  releaseResend,
} from './verification.repo.ts';
import { type Notice, noticeDue } from './verification.rules.ts';

export interface VerificationDeps {
  db: Db;
  systemDb: Db;
  registrar: Pick<Registrar, 'resendVerification'>;
  clock: Clock;
  publicUrl: string;
  leases: Leases;
}

/** Between two letters to one registrant: enough for a mailbox to show the first. */
const resendPauseMs = 10 * 60_000;
/** An open verification is asked about so often, besides the registrar's own events. */
const askEveryMs = 6 * 3_600_000;

/** Whether registrants have confirmed their address: seen, sent again, and told to the MSP before it is too late. */
export function createVerification(deps: VerificationDeps) {
  const { db, systemDb, registrar, clock } = deps;

  async function resend(scope: Scope, domain: string): Promise<SettingResult> {
    const row = await inTransaction(db, scope, (tx) => requireDomain(tx, scope, domain));
    requireSettings(scope, row);
    const where = { organisationId: scope.organisationId, address: row.address };
    const now = clock.now();
    if (!(await inTransaction(db, scope, (tx) => claimResend(tx, where, now, resendPauseMs)))) {
      throw new AppError('unprocessable', {
        message: 'The email was sent a moment ago. Please wait ten minutes before sending it again.',
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
    // A letter leaves no trace that could be read back.
    const end = await concluded(outcome, async () => ({ applied: false, present: null }));
    await inTransaction(db, scope, async (tx) => {
      const object = { objectKind: 'domain', object: row.address, customerId: row.customer_id };
      await audit(tx, scope, { at: clock.now(), action: 'domains.resendVerification', ...object });
      await enqueueSync(tx, where);
    });
    return { domain: row.address, notice: end.kind === 'later' ? end.text : null };
  }

  /** One letter to each organisation for each kind of news, with all its domains. */
  async function tell(): Promise<void> {
    await systemTransaction(systemDb, async (tx) => {
      const now = clock.now();
      const due = (await openVerifications(tx)).flatMap((row) => {
        const { verification: state, verification_deadline: deadline, verification_told: told } = row;
        const notice = noticeDue({ state, deadline, told }, now);
        return notice ? [{ row, notice }] : [];
      });
      for (const news of Map.groupBy(due, ({ row, notice }) => `${row.organisation_id} ${notice}`).values()) {
        const [first] = news;
        if (!first) continue;
        const rows = news.map(({ row }) => row);
        const { notice } = first;
        await recordTold(
          tx,
          rows.map(({ id }) => id),
          notice,
        );
        await enqueueJob(tx, 'billing.notify', {
          organisationId: first.row.organisation_id,
          notice: `verification.${notice}.${first.row.id}`,
          subject: subjectOf(notice, rows),
          text: letterOf(notice, rows, now, deps.publicUrl),
        });
      }
    });
  }

  return {
    resend,
    tasks: {
      'domains.verification-letters': tell,
      'domains.verification-due': () =>
        systemTransaction(systemDb, (tx) =>
          enqueueUnverified(tx, syncTask, new Date(clock.now().getTime() - askEveryMs)),
        ),
    },
  };
}

function subjectOf(notice: Notice, rows: readonly OpenVerification[]): string {
  const [first] = rows;
  const one = rows.length === 1 && first ? first.address : null;
  switch (notice) {
    case 'begun':
      return one
        ? `The registrant of ${one} has to confirm their email address`
        : `Registrants of ${rows.length} domains have to confirm their email address`;
    case 'soon':
      return one ? `${one} will be suspended soon` : `${rows.length} domains will be suspended soon`;
    case 'suspended':
      return one ? `${one} is suspended` : `${rows.length} domains are suspended`;
  }
}

const openings: Record<Notice, string> = {
  begun:
    'The registrar has sent an email to the registrants of these domains. They have to follow the link in it; otherwise the registrar suspends the domain, and its website and mail stop working.',
  soon: 'The registrants of these domains have still not confirmed their email address. The registrar will suspend the domains: their websites and mail will stop working.',
  suspended:
    'The registrar has suspended these domains because their registrants did not confirm their email address in time. Their websites and mail do not work. They come back after the registrant has followed the link in the email.',
};

function letterOf(notice: Notice, rows: readonly OpenVerification[], now: Date, publicUrl: string): string {
  const lines = rows.map((row) => {
    const days = verificationDaysLeft(row.verification_deadline, now);
    const day = row.verification_deadline?.toISOString().slice(0, 10);
    const left =
      notice === 'suspended' || days === null
        ? ''
        : `  until ${day} (${days === 1 ? '1 day' : `${days} days`} left)`;
    const bounced = row.verification_bounced ? '  THE EMAIL COULD NOT BE DELIVERED' : '';
    return `  ${row.address}${left}${bounced}\n  ${publicUrl}/domain/${row.address}`;
  });
  const help =
    "Each domain's page sends the email again, and changes the registrant's address if it is wrong.";
  return [openings[notice], lines.join('\n\n'), help].join('\n\n');
}
