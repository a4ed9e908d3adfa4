import { sql, type Tx } from '#kernel/db/database.ts';

/** What was seen of an erased customer's domains: records of theirs are the evidence. Names are not watched for them any more. */
export async function eraseHealth(
  tx: Tx,
  { organisationId }: { organisationId: string },
  customerId: string,
): Promise<void> {
  await sql`DELETE FROM health_findings f USING domains d
    WHERE f.organisation_id = ${organisationId} AND d.id = f.domain_id AND d.customer_id = ${customerId}`.execute(
    tx,
  );
  await sql`DELETE FROM watched_names
    WHERE organisation_id = ${organisationId} AND customer_id = ${customerId}`.execute(tx);
}
