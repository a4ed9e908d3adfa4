import { later, type Tx } from '#kernel/db/database.ts';

/** The organisation's billing profile, made when it is first needed. */
export async function billingProfile(tx: Tx, organisationId: string) {
  await later(tx, missingProfile(tx, organisationId));
  return selectProfile(tx, organisationId).executeTakeFirstOrThrow();
}

/** For those who only look; undefined before it is first needed. */
export function profileSoFar(tx: Tx, organisationId: string) {
  return selectProfile(tx, organisationId).executeTakeFirst();
}

function selectProfile(tx: Tx, organisationId: string) {
  return tx.selectFrom('billing_profiles').selectAll().where('organisation_id', '=', organisationId);
}

function missingProfile(tx: Tx, organisationId: string) {
  return tx
    .insertInto('billing_profiles')
    .values({ organisation_id: organisationId })
    .onConflict((conflict) => conflict.doNothing());
}

/**
 * The profile, locked: a top-up that arrives writes this row too, so a sum read after this is wholly before it or after it.
 * Who writes top-ups and the profile locks the profile first: in the other order two of them wait for each other, and the
 * database ends one.
 */
export async function lockedProfile(tx: Tx, organisationId: string) {
  await later(tx, missingProfile(tx, organisationId));
  return selectProfile(tx, organisationId).forUpdate().executeTakeFirstOrThrow();
}

/** What an applied payment says of its payer. */
export async function storeFirstPayment(
  tx: Tx,
  organisationId: string,
  said: { initialFeePaid: boolean; paymentMethod?: string | null },
): Promise<void> {
  await later(
    tx,
    tx
      .updateTable('billing_profiles')
      .set({
        initial_fee_paid: said.initialFeePaid,
        ...(said.paymentMethod === undefined ? {} : { payment_method_id: said.paymentMethod }),
      })
      .where('organisation_id', '=', organisationId),
  );
}

/** The provider's customer for this organisation; the first one stays. */
export async function storeCustomer(tx: Tx, organisationId: string, customer: string): Promise<void> {
  await tx
    .updateTable('billing_profiles')
    .set({ payment_customer_id: customer })
    .where('organisation_id', '=', organisationId)
    .where('payment_customer_id', 'is', null)
    .execute();
}

/** The organisation's own account at the provider; the first one stays. Returns the one that counts. */
export async function storeAccount(
  tx: Tx,
  organisationId: string,
  account: string,
  now: Date,
): Promise<string> {
  await tx
    .updateTable('billing_profiles')
    .set({ payment_account_id: account, updated_at: now })
    .where('organisation_id', '=', organisationId)
    .where('payment_account_id', 'is', null)
    .execute();
  return (await billingProfile(tx, organisationId)).payment_account_id ?? account;
}

/** Whether customers can be billed into the account; false when that was known. */
export async function storeAccountReady(
  tx: Tx,
  account: { organisationId: string; accountId: string; ready: boolean },
  now: Date,
): Promise<boolean> {
  const changed = await tx
    .updateTable('billing_profiles')
    .set({ payment_account_ready: account.ready, updated_at: now })
    .where('organisation_id', '=', account.organisationId)
    .where('payment_account_id', '=', account.accountId)
    .where('payment_account_ready', '<>', account.ready)
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}

/** Across tenants: whose account this is. */
export async function ownerOfAccount(tx: Tx, accountId: string): Promise<string | null> {
  const owner = await tx
    .selectFrom('billing_profiles')
    .select('organisation_id')
    .where('payment_account_id', '=', accountId)
    .executeTakeFirst();
  return owner?.organisation_id ?? null;
}

/** Across tenants: every account there is. */
export async function allAccounts(tx: Tx): Promise<{ organisationId: string; accountId: string }[]> {
  const rows = await tx
    .selectFrom('billing_profiles')
    .select(['organisation_id', 'payment_account_id'])
    .where('payment_account_id', 'is not', null)
    .$narrowType<{ payment_account_id: string }>()
    .execute();
  return rows.map(({ organisation_id: organisationId, payment_account_id: accountId }) => ({
    organisationId,
    accountId,
  }));
}
