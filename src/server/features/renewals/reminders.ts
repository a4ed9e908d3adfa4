import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { tellManagers } from '#kernel/letters.ts';
import { reminderLetter } from './renewals.letters.ts';
import { type Expiring, expiringUnreminded, noteReminders } from './renewals.repo.ts';

export interface RemindersDeps {
  systemDb: Db;
  clock: Clock;
  /** Policy dates: days before expiry, negative after it. */
  reminderDays: readonly number[];
  graceDays: number;
  publicUrl: string;
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
    const byOrganisation = Map.groupBy(due, (row) => row.organisation_id);
    await each(byOrganisation, ([organisationId, domains]) =>
      systemTransaction(systemDb, (tx) => remind(tx, organisationId, domains)),
    );
  }

  /** The letter and the note that it was sent are one transaction. */
  async function remind(tx: Tx, organisationId: string, domains: readonly Expiring[]): Promise<void> {
    const now = clock.now();
    const fresh = await noteReminders(tx, organisationId, domains, now);
    if (fresh.length === 0) return;
    await tellManagers(tx, {
      organisationId,
      notice: `renewal-reminder.${organisationId}`,
      letter: reminderLetter(fresh, now, deps),
    });
  }

  return { remindAll };
}
