import { sql, type Tx } from '#kernel/db/database.ts';

/** Certificates of an erased customer keep product, name and dates; requests and certificates name the organization. */
export async function eraseFromCertificates(
  tx: Tx,
  scope: { organisationId: string },
  customerId: string,
): Promise<void> {
  const { organisationId } = scope;
  const theirs = sql`certificate_id IN (SELECT c.id FROM certificates c
    WHERE c.organisation_id = ${organisationId} AND c.customer_id = ${customerId})`;
  // One that is open is not followed any more. First, as where a reissue completes: both lock these rows before the certificate.
  await sql`UPDATE certificate_reissues SET csr = '', remark = NULL, ended_at = coalesce(ended_at, now()),
      state = CASE WHEN state = 'completed' THEN state ELSE 'declined' END
    WHERE organisation_id = ${organisationId} AND ${theirs}`.execute(tx);
  await tx
    .updateTable('certificates')
    .set((eb) => ({
      // Nothing of it is asked for again: the registrar would tell the same once more.
      state: eb.case().when('state', '=', 'completed').then('expired').else(eb.ref('state')).end(),
      ...{ csr: '', contacts: null, approver_email: null, remark: null, proof: null, next_sync_at: null },
      ...{ certificate_pem: null, chain_pem: null, auto_reissue: false },
    }))
    .where('organisation_id', '=', organisationId)
    .where('customer_id', '=', customerId)
    .execute();
  await sql`UPDATE certificate_issues SET certificate_pem = ''
    WHERE organisation_id = ${organisationId} AND ${theirs}`.execute(tx);
}
