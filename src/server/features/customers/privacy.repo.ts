import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { CustomersTable, StoredContact } from '#kernel/db/schema.ts';
import type { Scope } from '#kernel/scope.ts';

type Tenant = Pick<Scope, 'organisationId'>;

/** A customer, deleted or not, that nobody changes before this transaction ends; orders for it wait, and then see it. */
export function lockForErasure(
  tx: Tx,
  scope: Tenant,
  id: string,
): Promise<Selectable<CustomersTable> | undefined> {
  return tx
    .selectFrom('customers')
    .selectAll()
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Puts nobody in place of the persons of a customer, which is deleted with it. Its number stays: orders name it. */
export async function eraseCustomerRow(tx: Tx, scope: Tenant, id: string, now: Date): Promise<void> {
  const nobody = JSON.stringify(erasedContact(id));
  await tx
    .updateTable('customers')
    .set((eb) => ({
      owner: nobody,
      admin: nobody,
      billing_contact: nobody,
      bill_directly: false,
      billing_email: '',
      payment_customer_id: null,
      payment_method_set: false,
      payment_method_id: null,
      payment_method_revoked: null,
      external_id: null,
      version: eb('version', '+', 1),
      deleted_at: eb.fn.coalesce('deleted_at', eb.val(now)),
      updated_at: now,
    }))
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();
}

/**
 * Removes a customer, or everyone with one of these addresses, from customer files. A file that waits for a person is
 * discarded as a whole: what it would do has changed. Rows of another customer stay, even if they name the same people. Rows of
 * no customer go by their addresses: they could not be read, or importing them would bring the person back.
 */
export async function eraseFromImports(
  tx: Tx,
  scope: Tenant,
  who: { customerId: string; emails: readonly string[] },
  now: Date,
): Promise<void> {
  const mentions = sql`(r.customer_id = ${who.customerId} OR (
    NOT EXISTS (SELECT FROM customers c WHERE c.organisation_id = r.organisation_id AND c.id = r.customer_id)
    AND EXISTS (SELECT FROM unnest(r.cells) cell WHERE lower(trim(cell)) = ANY (${who.emails}::text[]))))`;
  await sql`UPDATE imports i SET state = CASE i.state WHEN 'ready' THEN 'discarded' ELSE i.state END,
      ended_at = coalesce(i.ended_at, ${now}), file_name = 'customers.csv', notice = ''
    WHERE i.organisation_id = ${scope.organisationId} AND i.state <> 'importing'
      AND EXISTS (SELECT FROM import_rows r WHERE r.import_id = i.id AND ${mentions})`.execute(tx);
  await sql`DELETE FROM import_rows r USING imports i
    WHERE i.id = r.import_id AND r.organisation_id = ${scope.organisationId}
      AND (i.state = 'discarded' OR (i.state <> 'importing' AND ${mentions}))`.execute(tx);
}

/** Who started an import, where the person is to be forgotten; one that runs needs its person until it has ended. */
export async function eraseImporters(tx: Tx, scope: Tenant, userIds: readonly string[]): Promise<void> {
  await sql`UPDATE imports SET actor = 'Erased user', actor_ip = NULL
    WHERE organisation_id = ${scope.organisationId} AND actor_id = ANY (${userIds}::uuid[])`.execute(tx);
}

/** Every required part is there, so that lists and receipts show something in its place. */
function erasedContact(id: string): StoredContact {
  return {
    organization: `Erased customer ${id.slice(-6)}`,
    ...{ firstName: '', lastName: '', address1: '', city: '', state: '', postalCode: '', country: '' },
    ...{ email: '', phone: '' },
  };
}
