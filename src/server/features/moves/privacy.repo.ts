import { sql, type Tx } from '#kernel/db/database.ts';

/** What was read of an erased customer's zones; what was not ordered for them goes as a whole. */
export async function eraseMoves(
  tx: Tx,
  { organisationId }: { organisationId: string },
  customerId: string,
): Promise<void> {
  await sql`DELETE FROM move_lines l USING moves m
    WHERE l.organisation_id = ${organisationId} AND m.id = l.move_id AND m.customer_id = ${customerId}
      AND l.item_id IS NULL`.execute(tx);
  await sql`UPDATE move_lines l SET zone = NULL, differences = NULL, accepted = NULL, held = NULL,
      code_sealed = NULL, state = 'settled', next_at = NULL FROM moves m
    WHERE l.organisation_id = ${organisationId} AND m.id = l.move_id AND m.customer_id = ${customerId}`.execute(
    tx,
  );
}
