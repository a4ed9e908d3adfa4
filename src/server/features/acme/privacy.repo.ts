import { sql, type Tx } from '#kernel/db/database.ts';
import { eraseClients } from './privacy-clients.repo.ts';

/** Accesses of an erased customer end and forget their names and keys; what their machines did goes. */
export async function eraseFromAcme(
  tx: Tx,
  scope: { organisationId: string },
  customerId: string,
  now: Date,
): Promise<void> {
  const { organisationId } = scope;
  await eraseClients(tx, scope, customerId);
  await sql`DELETE FROM acme_access_log WHERE organisation_id = ${organisationId} AND access_id IN (
    SELECT a.id FROM acme_accesses a
    WHERE a.organisation_id = ${organisationId} AND a.customer_id = ${customerId})`.execute(tx);
  await tx
    .deleteFrom('acme_allowances')
    .where('organisation_id', '=', organisationId)
    .where('customer_id', '=', customerId)
    .execute();
  await tx
    .updateTable('acme_accesses')
    .set((eb) => ({
      ...{ name: 'Erased', hmac_sealed: Buffer.alloc(0) },
      revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)),
    }))
    .where('organisation_id', '=', organisationId)
    .where('customer_id', '=', customerId)
    .execute();
}
