import { sql, type Tx } from '#kernel/db/database.ts';

type Tenant = { organisationId: string };

/** Nobody's contact is to be set any more. */
const forgottenContact = JSON.stringify({ roles: [], contact: null });

/**
 * What was done to the domains of an erased customer while they were theirs, what gave or took a domain, and contacts that were
 * meant for them. What was done to a domain before it came to them, or after it left, is not theirs.
 */
export async function eraseFromChanges(
  tx: Tx,
  { organisationId }: Tenant,
  customerId: string,
): Promise<void> {
  const theirs = sql`i.organisation_id = ${organisationId} AND (i.customer_id = ${customerId}
    OR ${customerId} IN (i.before ->> 'customerId', i.after ->> 'customerId'))`;
  await sql`UPDATE changes c SET request = c.request || ${forgottenContact}::jsonb
    WHERE c.organisation_id = ${organisationId} AND c.request ->> 'kind' = 'contacts'
      AND EXISTS (SELECT FROM change_items i WHERE i.change_id = c.id AND ${theirs})`.execute(tx);
  await sql`DELETE FROM change_items i WHERE ${theirs}`.execute(tx);
}

/** Who described changes, where the person is to be forgotten: with their words. */
export async function eraseChangeAuthors(
  tx: Tx,
  { organisationId }: Tenant,
  userIds: readonly string[],
): Promise<void> {
  await sql`UPDATE changes SET author = 'Erased user', title = 'A change', reason = '',
      request = CASE request ->> 'kind' WHEN 'undo' THEN request || '{"title": "A change"}'
        WHEN 'contacts' THEN request || ${forgottenContact}::jsonb ELSE request END
    WHERE organisation_id = ${organisationId} AND user_id = ANY (${[...userIds]}::uuid[])`.execute(tx);
}
