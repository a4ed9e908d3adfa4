import type { Contact, Contacts } from '#contracts/values/contact.ts';
import { noMarkups } from '#contracts/values/money.ts';
import type { Tx } from '#kernel/db/database.ts';
import { insertCustomer, livingOf } from './customers.repo.ts';

/** A customer who was lost with the database, under the id that orders of theirs carry, by what the registrar knows of them. */
export async function restoreCustomer(
  tx: Tx,
  customer: { organisationId: string; id: string; contacts: Contacts; now: Date },
): Promise<void> {
  await insertCustomer(tx, customer, {
    ...customer,
    billing: { billDirectly: false, email: '', allowChangeBilling: false },
    markups: noMarkups,
    allowDomainSettings: false,
  });
}

/** Whether there is such a customer, deleted or not. */
export async function customerIsKnown(
  tx: Tx,
  customer: { organisationId: string; id: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('customers')
    .select('id')
    .where('organisation_id', '=', customer.organisationId)
    .where('id', '=', customer.id)
    .executeTakeFirst();
  return row !== undefined;
}

/** What a living customer is called. They are not deleted until this transaction ends. */
export async function holdCustomer(
  tx: Tx,
  { organisationId, id }: { organisationId: string; id: string },
): Promise<string | null> {
  const row = await livingOf(tx, organisationId)
    .select('c.organization')
    .where('c.id', '=', id)
    .forShare()
    .executeTakeFirst();
  return row?.organization ?? null;
}

/** Every living customer, by name. */
export async function customerNames(tx: Tx, organisationId: string): Promise<{ id: string; name: string }[]> {
  return livingOf(tx, organisationId)
    .select(['c.id', 'c.organization as name'])
    .orderBy('c.organization')
    .orderBy('c.id')
    .execute();
}

/** Living customers whose owner contact has this address of mail. */
export async function ownersByEmail(
  tx: Tx,
  organisationId: string,
  email: string,
): Promise<{ id: string; owner: Contact }[]> {
  return livingOf(tx, organisationId)
    .select(['c.id', 'c.owner'])
    .where((eb) => eb(eb.fn('lower', [eb.ref('c.owner', '->>').key('email')]), '=', email.toLowerCase()))
    .orderBy('c.id')
    .limit(20)
    .execute();
}
