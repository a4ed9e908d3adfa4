import { sql, type Tx } from '#kernel/db/database.ts';

type Tenant = { organisationId: string };

/** What was done to an erased customer's domains: records of theirs. */
export async function eraseFromChanges(
  tx: Tx,
  { organisationId }: Tenant,
  customerId: string,
): Promise<void> {
  await sql`DELETE FROM change_items i USING domains d
    WHERE i.organisation_id = ${organisationId} AND d.id = i.domain_id AND d.customer_id = ${customerId}`.execute(
    tx,
  );
}

/** Who described changes, where the person is to be forgotten: with their words. */
export async function eraseChangeAuthors(
  tx: Tx,
  { organisationId }: Tenant,
  userIds: readonly string[],
): Promise<void> {
  await sql`UPDATE changes SET author = 'Erased user', title = 'A change', reason = '',
      request = CASE request ->> 'kind' WHEN 'undo' THEN request || '{"title": "A change"}' ELSE request END
    WHERE organisation_id = ${organisationId} AND user_id = ANY (${[...userIds]}::uuid[])`.execute(tx);
}
