import { minuteMs } from '#contracts/values/time.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { rankOf } from './topups.rules.ts';

/** Turns auto balance on with these amounts, or off; what was declined or paused before is forgotten. */
export async function storeSetting(
  tx: Tx,
  organisationId: string,
  setting: { enabled: true; amount: number; mark: number } | { enabled: false },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('billing_profiles')
    .set({
      auto_topup: setting.enabled,
      auto_topup_declines: 0,
      auto_topup_paused_until: null,
      ...(setting.enabled ? { auto_topup_cents: setting.amount, auto_topup_mark_cents: setting.mark } : {}),
      updated_at: now,
    })
    .where('organisation_id', '=', organisationId)
    .execute();
}

/** A person does not wait for the end of a pause. */
export async function endPause(tx: Tx, organisationId: string, now: Date): Promise<void> {
  await tx
    .updateTable('billing_profiles')
    .set({ auto_topup_paused_until: null, updated_at: now })
    .where('organisation_id', '=', organisationId)
    .where('auto_topup', '=', true)
    .execute();
}

export async function pauseUntil(tx: Tx, organisationId: string, until: Date): Promise<void> {
  await tx
    .updateTable('billing_profiles')
    .set({ auto_topup_paused_until: until })
    .where('organisation_id', '=', organisationId)
    .execute();
  await lookAfter(tx, organisationId, until);
}

/** Nobody may buy until a pause ends, so its end is a look of its own. A minute later, because clocks differ. */
function lookAfter(tx: Tx, organisationId: string, pausedUntil: Date): Promise<void> {
  const key = `auto-topup-after-pause:${organisationId}`;
  const runAt = new Date(pausedUntil.getTime() + minuteMs);
  return enqueueJob(tx, 'billing.consider-auto-topup', { organisationId }, { key, runAt });
}

export async function forgetDeclines(tx: Tx, organisationId: string): Promise<void> {
  await tx
    .updateTable('billing_profiles')
    .set({ auto_topup_declines: 0 })
    .where('organisation_id', '=', organisationId)
    .execute();
}

/** Ends the top-up of a refused charge. False when the provider's word on it has come already. */
export async function endRefused(tx: Tx, topupId: string, now: Date): Promise<boolean> {
  const ended = await tx
    .updateTable('topups')
    .set((eb) => ({ state: 'failed', rank: 3, version: eb('version', '+', 1), updated_at: now }))
    .where('id', '=', topupId)
    .where('state', 'in', ['requested', 'requires_action'])
    .executeTakeFirst();
  return ended.numUpdatedRows === 1n;
}

/** Counts a refused charge. */
export async function storeDecline(
  tx: Tx,
  organisationId: string,
  after: { declines: number; enabled: boolean; pausedUntil: Date },
): Promise<void> {
  await tx
    .updateTable('billing_profiles')
    .set({ auto_topup_declines: after.declines, auto_topup: after.enabled })
    .where('organisation_id', '=', organisationId)
    .execute();
  await pauseUntil(tx, organisationId, after.pausedUntil);
}

/** Off until a person turns it on again. */
export async function turnOff(tx: Tx, organisationId: string): Promise<void> {
  await tx
    .updateTable('billing_profiles')
    .set({ auto_topup: false })
    .where('organisation_id', '=', organisationId)
    .execute();
}

export async function wasToppedUpSince(tx: Tx, organisationId: string, since: Date): Promise<boolean> {
  const made = await tx
    .selectFrom('topups')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', 'auto')
    .where('updated_at', '>=', since)
    .executeTakeFirst();
  return made !== undefined;
}

export async function autoTopupsSince(tx: Tx, organisationId: string, since: Date): Promise<number> {
  const { count } = await tx
    .selectFrom('topups')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', 'auto')
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}

/** Across tenants: since when the oldest automatic top-up waits that was begun and has no payment. Null: none does. */
export async function oldestUncharged(tx: Tx): Promise<Date | null> {
  const { oldest } = await tx
    .selectFrom('topups')
    .select((eb) => eb.fn.min('created_at').as('oldest'))
    .where('kind', '=', 'auto')
    .where('state', '=', 'requested')
    .where('payment_intent', 'is', null)
    .executeTakeFirstOrThrow();
  return oldest;
}

/**
 * Across tenants: automatic top-ups that were begun in this span, have no payment, and that nobody is charging. They end as
 * cancelled, but for those that are excepted. Returns whose they were.
 */
export async function endUncharged(
  tx: Tx,
  { since, before, except }: { since: Date; before: Date; except: readonly string[] },
  now: Date,
): Promise<string[]> {
  const ended = await tx
    .updateTable('topups')
    .set((eb) => ({
      ...{ state: 'cancelled' as const, rank: rankOf('cancelled'), updated_at: now },
      version: eb('version', '+', 1),
    }))
    .where('kind', '=', 'auto')
    .where('state', '=', 'requested')
    .where('payment_intent', 'is', null)
    .where('created_at', '>=', since)
    .where('created_at', '<', before)
    .where((eb) => eb.or([eb('claimed_at', 'is', null), eb('claimed_at', '<', before)]))
    .where('id', '<>', sql<string>`all(${except}::uuid[])`)
    .returning('organisation_id')
    .execute();
  return ended.map((row) => row.organisation_id);
}

/** A crash between this row and the charge leaves it open: it is taken up again under the same key. */
export function openAutoTopup(tx: Tx, organisationId: string) {
  return tx
    .selectFrom('topups')
    .select(['id', 'cents'])
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', 'auto')
    .where('state', '=', 'requested')
    .where('payment_intent', 'is', null)
    .executeTakeFirst();
}
