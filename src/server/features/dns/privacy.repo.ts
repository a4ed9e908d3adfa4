import { sql, type Tx } from '#kernel/db/database.ts';
import { isUnfollowed } from './versions.repo.ts';

/**
 * Zones of an erased customer: every state of then and copy goes, also where the domain has become somebody else's. Versions of nobody
 * known go with the last who had the domain. What came before a domain was theirs, or after it, is another customer's.
 */
export async function eraseZones(
  tx: Tx,
  scope: { organisationId: string },
  customerId: string,
): Promise<void> {
  const theirs = sql`(SELECT d.id FROM domains d WHERE d.organisation_id = ${scope.organisationId}
    AND d.customer_id = ${customerId} AND d.status = 'ended')`;
  // The newest state of a living zone is the zone of those who have it now: only what was said of it goes.
  await sql`UPDATE zone_versions v SET customer_id = NULL, reason = '', changes = NULL, change_summary = NULL
    WHERE v.organisation_id = ${scope.organisationId} AND v.customer_id = ${customerId} AND v.state <> 'refused' AND ${isUnfollowed}
      AND EXISTS (SELECT FROM domains d WHERE d.organisation_id = v.organisation_id AND d.id = v.domain_id
        AND d.status <> 'ended')`.execute(tx);
  await sql`DELETE FROM zone_versions WHERE organisation_id = ${scope.organisationId}
    AND (customer_id = ${customerId} OR customer_id IS NULL AND domain_id IN ${theirs})`.execute(tx);
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
