import type { Tx } from '#kernel/db/database.ts';

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
}

export async function forgetDeclines(tx: Tx, organisationId: string): Promise<void> {
  await tx
    .updateTable('billing_profiles')
    .set({ auto_topup_declines: 0 })
    .where('organisation_id', '=', organisationId)
    .execute();
}

/** Counts a refused charge, and ends its top-up unless the provider's word on it has come already. */
export async function storeDecline(
  tx: Tx,
  organisationId: string,
  topupId: string,
  after: { declines: number; enabled: boolean; pausedUntil: Date },
): Promise<void> {
  await tx
    .updateTable('billing_profiles')
    .set({
      auto_topup_declines: after.declines,
      auto_topup: after.enabled,
      auto_topup_paused_until: after.pausedUntil,
    })
    .where('organisation_id', '=', organisationId)
    .execute();
  await tx
    .updateTable('topups')
    .set((eb) => ({ state: 'failed', rank: 3, version: eb('version', '+', 1) }))
    .where('id', '=', topupId)
    .where('state', 'in', ['requested', 'requires_action'])
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
