import type { Tx } from '#kernel/db/database.ts';

/** The MSP's account at the payment provider, or null while there is none. */
export async function paymentAccountOf(
  tx: Tx,
  organisationId: string,
): Promise<{ id: string; ready: boolean } | null> {
  const row = await tx
    .selectFrom('billing_profiles')
    .select(['payment_account_id', 'payment_account_ready'])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  return row?.payment_account_id ? { id: row.payment_account_id, ready: row.payment_account_ready } : null;
}
