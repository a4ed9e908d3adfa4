import type { Clock } from '#kernel/clock.ts';
import { type Db, sql, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { managersOf } from './renewals.repo.ts';

export interface RemindersDeps {
  systemDb: Db;
  clock: Clock;
  /** Policy dates: days before expiry, negative after it. */
  reminderDays: readonly number[];
  graceDays: number;
  publicUrl: string;
  productName: string;
}

/** What is reminded of. */
interface Expiring {
  organisation_id: string;
  address: string;
  expires_at: Date;
  auto_renew: boolean;
  days: number;
}

/**
 * Mails the MSP about domains that reached a policy date: one letter a day with all of them, each domain once for each
 * date. What was missed while the portal stood still is made up for by the date that counts now.
 */
export function createReminders(deps: RemindersDeps) {
  const { systemDb, clock } = deps;

  async function remindAll(): Promise<void> {
    const due = await systemTransaction(systemDb, (tx) => expiringUnreminded(tx));
    for (const [organisationId, domains] of Map.groupBy(due, (row) => row.organisation_id)) {
      await systemTransaction(systemDb, (tx) => remind(tx, organisationId, domains));
    }
  }

  /** Of several dates that are past only the last one counts: a domain with five days left gets the letter of seven. */
  function expiringUnreminded(tx: Tx): Promise<Expiring[]> {
    const now = clock.now();
    const dates = sql.join(deps.reminderDays.map((days) => sql`(${days}::int)`));
    return sql<Expiring>`
      SELECT d.organisation_id, d.address, d.expires_at, d.auto_renew, reached.days
      FROM domains d
      JOIN organisations o ON o.id = d.organisation_id AND o.closed_at IS NULL
      CROSS JOIN LATERAL (
        SELECT min(policy.days) AS days FROM (VALUES ${dates}) AS policy (days)
        WHERE d.expires_at <= ${now}::timestamptz + make_interval(days => policy.days)
      ) AS reached
      WHERE d.status IN ('active', 'expired') AND reached.days IS NOT NULL
        AND d.expires_at > ${now}::timestamptz - make_interval(days => ${deps.graceDays}::int)
        AND NOT EXISTS (
          SELECT 1 FROM renewal_reminders r
          WHERE r.organisation_id = d.organisation_id AND r.address = d.address AND r.days <= reached.days
            AND r.expiry_year = extract(year FROM d.expires_at AT TIME ZONE 'UTC'))
      ORDER BY d.expires_at, d.address`
      .execute(tx)
      .then(({ rows }) => rows);
  }

  /** The letter and the note that it was sent are one transaction. */
  async function remind(tx: Tx, organisationId: string, domains: readonly Expiring[]): Promise<void> {
    const now = clock.now();
    const fresh: Expiring[] = [];
    for (const domain of domains) {
      const inserted = await tx
        .insertInto('renewal_reminders')
        .values({
          organisation_id: organisationId,
          address: domain.address,
          expiry_year: domain.expires_at.getUTCFullYear(),
          days: domain.days,
          sent_at: now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if ((inserted.numInsertedOrUpdatedRows ?? 0n) > 0n) fresh.push(domain);
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
