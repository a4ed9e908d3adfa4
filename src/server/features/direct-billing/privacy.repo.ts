import { sql, type Tx } from '#kernel/db/database.ts';

/** What an erased customer was charged stays; the links it was sent, and what was noted about it, go. */
export async function eraseFromDirectBilling(
  tx: Tx,
  scope: { organisationId: string },
  customerId: string,
): Promise<void> {
  await tx
    .deleteFrom('payment_setup_links')
    .where('organisation_id', '=', scope.organisationId)
    .where('customer_id', '=', customerId)
    .execute();
  await tx
    .updateTable('direct_charges')
    .set({ failure: null, note: null })
    .where('organisation_id', '=', scope.organisationId)
    .where('customer_id', '=', customerId)
    .execute();
  await sql`UPDATE direct_refunds r SET failure = NULL, reason = '' FROM order_items i
    WHERE r.organisation_id = ${scope.organisationId} AND i.id = r.item_id AND i.customer_id = ${customerId}`.execute(
    tx,
  );
}
