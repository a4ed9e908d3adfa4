import { sql, type Tx } from '#kernel/db/database.ts';

/** What was ordered for an erased customer, at what price, stays; for whom it was registered, and what was said, goes. */
export async function eraseFromOrders(
  tx: Tx,
  scope: { organisationId: string },
  customerId: string,
): Promise<void> {
  await sql`UPDATE order_items SET secrets_sealed = NULL, outcome_note = NULL,
      details = (details - 'contacts') #- '{certificate,approverEmail}' #- '{certificate,csr}',
      public_error = CASE WHEN public_error IS NULL THEN NULL ELSE 'Erased' END
    WHERE organisation_id = ${scope.organisationId} AND customer_id = ${customerId}
      AND state IN ('succeeded', 'declined')`.execute(tx);
}
