import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { managersOf } from '../users/index.ts';
import { type Expiring, expiringUnreminded, noteReminder } from './renewals.repo.ts';

export interface RemindersDeps {
  systemDb: Db;
  clock: Clock;
  /** Policy dates: days before expiry, negative after it. */
  reminderDays: readonly number[];
  graceDays: number;
  publicUrl: string;
  productName: string;
}

/**
 * Mails the MSP about domains that reached a policy date: one letter a day with all of them, each domain once for each
 * date. What was missed while the portal stood still is made up for by the date that counts now.
 */
export function createReminders(deps: RemindersDeps) {
  const { systemDb, clock } = deps;

  async function remindAll(): Promise<void> {
    const due = await systemTransaction(systemDb, (tx) =>
      expiringUnreminded(tx, { now: clock.now(), days: deps.reminderDays, graceDays: deps.graceDays }),
    );
    for (const [organisationId, domains] of Map.groupBy(due, (row) => row.organisation_id)) {
      await systemTransaction(systemDb, (tx) => remind(tx, organisationId, domains));
    }
  }

  /** The letter and the note that it was sent are one transaction. */
  async function remind(tx: Tx, organisationId: string, domains: readonly Expiring[]): Promise<void> {
    const now = clock.now();
    const fresh: Expiring[] = [];
    for (const domain of domains) {
      if (await noteReminder(tx, domain, now)) fresh.push(domain);
    }
    if (fresh.length === 0) return;
    for (const to of await managersOf(tx, organisationId)) {
      await enqueueJob(tx, 'mail.send', {
        to,
        subject: subjectOf(fresh, now),
        text: letterOf(fresh, now),
        messageId: `renewal-reminder.${organisationId}.${now.toISOString()}.${to}`,
      });
    }
  }

  function letterOf(domains: readonly Expiring[], now: Date): string {
    const gone = domains.filter(({ expires_at }) => expires_at <= now);
    const coming = domains.filter(({ expires_at }) => expires_at > now);
    const parts = [
      gone.length > 0
        ? `These domains have expired and do not work any more. They can still be renewed at the normal price for ${deps.graceDays} days after their expiry:\n\n${linesOf(gone)}`
        : '',
      coming.length > 0 ? `These domains expire soon:\n\n${linesOf(coming)}` : '',
      `What falls due, and whether your balance lasts for it: ${deps.publicUrl}/domain/renewals`,
      deps.productName,
    ];
    return parts.filter((part) => part !== '').join('\n\n');
  }

  return { remindAll };
}

function subjectOf(domains: readonly Expiring[], now: Date): string {
  const [first] = domains;
  const expired = domains.some(({ expires_at }) => expires_at <= now);
  const what = domains.length === 1 && first ? first.address : `${domains.length} domains`;
  const verb =
    domains.length === 1
      ? expired
        ? 'has expired'
        : 'expires soon'
      : expired
        ? 'expired or expire soon'
        : 'expire soon';
  return `${what} ${verb}`;
}

function linesOf(domains: readonly Expiring[]): string {
  return domains
    .map(({ address, expires_at, auto_renew }) => {
      const renewal = auto_renew ? 'auto renew is on' : 'auto renew is OFF: renew it by hand';
      return `  ${address}  ${expires_at.toISOString().slice(0, 10)}  ${renewal}`;
    })
    .join('\n');
}
