import { sql, type Tx } from '#kernel/db/database.ts';

/**
 * Why a name of an erased customer could not be renewed: what a registrar says of it may name the person it wrote to. A
 * name that is another customer's by now keeps its reasons.
 */
export async function eraseFromRenewals(
  tx: Tx,
  scope: { organisationId: string },
  customerId: string,
): Promise<void> {
  await sql`UPDATE auto_renewals a SET reason = 'Erased'
    WHERE a.organisation_id = ${scope.organisationId} AND a.reason IS NOT NULL
      AND EXISTS (SELECT FROM domains d WHERE d.organisation_id = a.organisation_id AND d.address = a.address
        AND d.customer_id = ${customerId})
      AND NOT EXISTS (SELECT FROM domains d WHERE d.organisation_id = a.organisation_id AND d.address = a.address
        AND d.customer_id IS DISTINCT FROM ${customerId} AND d.status <> 'ended')`.execute(tx);
}
