import type { BillingAddress } from '#contracts/operations/earnings.ts';
import type { Tx } from '#kernel/db/database.ts';

export async function billingAddressOf(tx: Tx, organisationId: string): Promise<BillingAddress> {
  const row = await tx
    .selectFrom('billing_addresses')
    .select(['name', 'address', 'tax_id as taxId'])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  return row ?? { name: '', address: [], taxId: '' };
}

export async function writeBillingAddress(
  tx: Tx,
  organisationId: string,
  { name, address, taxId }: BillingAddress,
): Promise<void> {
  const row = { name, address, tax_id: taxId };
  await tx
    .insertInto('billing_addresses')
    .values({ organisation_id: organisationId, ...row })
    .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet(row))
    .execute();
}

/** The number of an order's receipt, and when it was given; null while nothing was charged. */
export async function receiptOf(
  tx: Tx,
  organisationId: string,
  orderId: string,
): Promise<{ number: number; issuedAt: Date } | null> {
  const row = await tx
    .selectFrom('receipts')
    .select(['number', 'issued_at as issuedAt'])
    .where('organisation_id', '=', organisationId)
    .where('order_id', '=', orderId)
    .executeTakeFirst();
  return row ?? null;
}
