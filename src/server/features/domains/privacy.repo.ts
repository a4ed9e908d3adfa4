import { sql, type Tx } from '#kernel/db/database.ts';

/** An erased customer's ended domains keep their name and dates; how to reach their registrant goes. */
export async function eraseFromDomains(
  tx: Tx,
  scope: { organisationId: string },
  customerId: string,
): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ credentials_sealed: null })
    .where('organisation_id', '=', scope.organisationId)
    .where('customer_id', '=', customerId)
    .where('status', '=', 'ended')
    .execute();
  // What a registrar says of a failure may name the person it wrote to.
  await sql`UPDATE transfers SET reason = CASE WHEN reason IS NULL THEN NULL ELSE 'Erased' END
    WHERE organisation_id = ${scope.organisationId} AND customer_id = ${customerId}`.execute(tx);
}
