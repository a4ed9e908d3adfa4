import { sql, type Tx } from '#kernel/db/database.ts';

type Tenant = { organisationId: string };

/** What waits about an erased customer is stated afresh, without what was erased. */
export async function eraseFromAttention(
  tx: Tx,
  { organisationId }: Tenant,
  customerId: string,
): Promise<void> {
  await tx
    .deleteFrom('attention_items')
    .where('organisation_id', '=', organisationId)
    .where('customer_id', '=', customerId)
    .execute();
}

/** What erased people had taken over is nobody's again, and their daily mail ends. */
export async function eraseAttentionPeople(
  tx: Tx,
  { organisationId }: Tenant,
  userIds: readonly string[],
): Promise<void> {
  await sql`UPDATE attention_items SET owner_id = NULL
    WHERE organisation_id = ${organisationId} AND owner_id = ANY (${[...userIds]}::uuid[])`.execute(tx);
  await sql`DELETE FROM attention_digests
    WHERE organisation_id = ${organisationId} AND user_id = ANY (${[...userIds]}::uuid[])`.execute(tx);
}
