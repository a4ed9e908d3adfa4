import { type Markups, wholeMarkups } from '#contracts/values/money.ts';
import type { Tx } from '#kernel/db/database.ts';

/** A customer as direct billing sees it. Deleted ones are found too: what they owe stays owed. */
export interface BilledCustomer {
  id: string;
  organisationId: string;
  organization: string;
  billDirectly: boolean;
  email: string;
  markups: Markups;
  /** Its id at the payment provider, on the MSP's account. */
  paymentCustomer: string | null;
  paymentMethod: string | null;
  revokedMethod: string | null;
  deleted: boolean;
}

const columns = [
  'id',
  'organisation_id as organisationId',
  'organization',
  'bill_directly as billDirectly',
  'billing_email as email',
  'markups',
  'payment_customer_id as paymentCustomer',
  'payment_method_id as paymentMethod',
  'payment_method_revoked as revokedMethod',
  'deleted_at',
] as const;

/** The customer with one of these values; what a person asks for, within the organisation only. */
export async function findBilledCustomer(
  tx: Tx,
  by: { id: string } | { paymentCustomer: string } | { paymentMethod: string },
  scope?: { organisationId: string },
): Promise<BilledCustomer | null> {
  let select = tx.selectFrom('customers').select(columns);
  if (scope) select = select.where('organisation_id', '=', scope.organisationId);
  const row = await ('id' in by
    ? select.where('id', '=', by.id)
    : 'paymentCustomer' in by
      ? select.where('payment_customer_id', '=', by.paymentCustomer)
      : select.where('payment_method_id', '=', by.paymentMethod)
  ).executeTakeFirst();
  if (!row) return null;
  const { deleted_at, ...customer } = row;
  return { ...customer, markups: wholeMarkups(row.markups), deleted: deleted_at !== null };
}

/**
 * Living customers that wait for something of the provider, by id: an id there, or (with an id) a payment method. Without a
 * payment account that is ready there is nothing to wait for yet.
 */
export async function waitingForPayment(
  tx: Tx,
  waitsFor: 'id' | 'method',
  page: { after?: string | undefined; limit?: number } = {},
): Promise<{ id: string; organisationId: string }[]> {
  let select = tx
    .selectFrom('customers')
    .select(['id', 'organisation_id as organisationId'])
    .where('bill_directly', '=', true)
    .where('billing_email', '<>', '')
    .where('deleted_at', 'is', null)
    .where('payment_customer_id', waitsFor === 'id' ? 'is' : 'is not', null)
    .where('payment_method_set', '=', false)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('billing_profiles as b')
          .select('b.organisation_id')
          .whereRef('b.organisation_id', '=', 'customers.organisation_id')
          .where('b.payment_account_ready', '=', true),
      ),
    )
    .orderBy('id');
  if (page.after !== undefined) select = select.where('id', '>', page.after);
  if (page.limit !== undefined) select = select.limit(page.limit);
  return select.execute();
}

/** Records the customer's id at the provider; the first one stays. */
export async function setPaymentCustomer(tx: Tx, id: string, paymentCustomer: string): Promise<void> {
  await tx
    .updateTable('customers')
    .set({ payment_customer_id: paymentCustomer })
    .where('id', '=', id)
    .where('payment_customer_id', 'is', null)
    .execute();
}

/** Records which method is charged. Nothing that people edit: the version stays. Returns whether it is another one. */
export async function setPaymentMethod(
  tx: Tx,
  id: string,
  method: { id: string | null; revoked?: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('customers')
    .set({
      payment_method_id: method.id,
      payment_method_set: method.id !== null,
      ...(method.revoked === undefined ? {} : { payment_method_revoked: method.revoked }),
    })
    .where('id', '=', id)
    .where('payment_method_id', 'is distinct from', method.id)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
