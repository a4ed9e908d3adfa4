import type { Tx } from '#kernel/db/database.ts';

/** The organisation's billing profile, made when it is first needed. */
export async function billingProfile(tx: Tx, organisationId: string) {
  await tx
    .insertInto('billing_profiles')
    .values({ organisation_id: organisationId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return tx
    .selectFrom('billing_profiles')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
}
