import type { Contact, Contacts } from '#contracts/values/contact.ts';
import { noMarkups } from '#contracts/values/money.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { pageOffset } from '#kernel/db/page.ts';
import { lowered, patternOf } from '#kernel/db/search.ts';
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

export interface CustomerNamesQuery {
  /** From 1. */
  page: number;
  pageSize: number;
  sort?: 'name' | '-name' | undefined;
  /** A part of the name. */
  search?: string | undefined;
  /** This one alone. */
  customerId?: string | undefined;
}

/** A page of an organisation's living customers, by name. */
export async function customerNames(
  tx: Tx,
  organisationId: string,
  query: CustomerNamesQuery,
): Promise<{ rows: { id: string; name: string }[]; total: number }> {
  const pattern = patternOf(query.search);
  const wanted = livingOf(tx, organisationId)
    .$if(query.customerId !== undefined, (select) => select.where('c.id', '=', query.customerId ?? ''))
    .$if(pattern !== null, (select) =>
      select.where(sql<boolean>`${lowered(sql`c.organization`, pattern)} LIKE ${pattern}`),
    );
  const direction = query.sort === '-name' ? 'desc' : 'asc';
  const [{ total }, rows] = await Promise.all([
    wanted.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    wanted
      .select(['c.id', 'c.organization as name'])
      .orderBy('c.organization', direction)
      .orderBy('c.id', direction)
      .limit(query.pageSize)
      .offset(pageOffset(query))
      .execute(),
  ]);
  return { rows, total: Number(total) };
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
