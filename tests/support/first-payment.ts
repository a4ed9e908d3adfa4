import { type Db, systemTransaction } from '../../src/server/kernel/db/database.ts';

/** The organisation has paid its initial fee, or has not: for accounts whose money comes without a payment. */
export async function setInitialFee(systemDb: Db, organisationId: string, paid = true): Promise<void> {
  await systemTransaction(systemDb, (tx) =>
    tx
      .insertInto('billing_profiles')
      .values({ organisation_id: organisationId, initial_fee_paid: paid })
      .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet({ initial_fee_paid: paid }))
      .execute(),
  );
}
