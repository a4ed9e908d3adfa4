import { sql, type Tx } from '#kernel/db/database.ts';

/** Zones of an erased customer's ended domains: every state and copy of them goes. */
export async function eraseZones(
  tx: Tx,
  scope: { organisationId: string },
  customerId: string,
): Promise<void> {
  const theirs = sql`(SELECT d.id FROM domains d WHERE d.organisation_id = ${scope.organisationId}
    AND d.customer_id = ${customerId} AND d.status = 'ended')`;
  await sql`DELETE FROM zone_versions WHERE organisation_id = ${scope.organisationId}
    AND domain_id IN ${theirs}`.execute(tx);
  await sql`DELETE FROM dns_template_uses WHERE organisation_id = ${scope.organisationId}
    AND domain_id IN ${theirs}`.execute(tx);
  await sql`DELETE FROM zone_copies WHERE organisation_id = ${scope.organisationId}
    AND domain_id IN ${theirs}`.execute(tx);
}

/** Who changed a zone, where the person is to be forgotten. */
export async function eraseZoneAuthors(
  tx: Tx,
  scope: { organisationId: string },
  userIds: readonly string[],
): Promise<void> {
  await sql`UPDATE zone_versions SET author = 'Erased user'
    WHERE organisation_id = ${scope.organisationId} AND author_id = ANY (${userIds}::uuid[])`.execute(tx);
}
