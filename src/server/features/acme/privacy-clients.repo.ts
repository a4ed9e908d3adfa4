import { sql, type Tx } from '#kernel/db/database.ts';

/** What clients of an erased customer's machines left: addresses of people, signing requests, and their certificates. */
export async function eraseClients(
  tx: Tx,
  { organisationId }: { organisationId: string },
  customerId: string,
): Promise<void> {
  await sql`
    UPDATE acme_accounts SET contacts = '{}', status = 'deactivated'
    WHERE organisation_id = ${organisationId} AND access_id IN (
      SELECT a.id FROM acme_accesses a
      WHERE a.organisation_id = ${organisationId} AND a.customer_id = ${customerId})`.execute(tx);
  await tx
    .updateTable('acme_orders')
    .set((eb) => ({
      csr: null,
      problem: null,
      chain: eb.case().when('chain', 'is', null).then(null).else('').end(),
    }))
    .where('organisation_id', '=', organisationId)
    .where('customer_id', '=', customerId)
    .execute();
}
