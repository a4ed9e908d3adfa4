import type { Customer } from '#contracts/operations/customers.ts';
import type { Contacts } from '#contracts/values/contact.ts';
import type { ChargesStopped } from '#contracts/values/direct-billing.ts';
import { isoText } from '#contracts/values/format.ts';
import { type Markups, wholeMarkups } from '#contracts/values/money.ts';
import { openItemStates } from '#contracts/values/order-states.ts';
import { ask, later, type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import { keptCount } from '#kernel/db/kept-counts.ts';
import type { CustomersTable } from '#kernel/db/schema.ts';
import { stoppedCustomers } from '#kernel/db/stopped-charges.ts';
import { reaches, type Scope, withinReach } from '#kernel/scope.ts';

/** What a customer consists of, as far as people change it. */
export interface CustomerState {
  contacts: Contacts;
  billing: { billDirectly: boolean; email: string; allowChangeBilling: boolean };
  markups: Markups;
  allowDomainSettings: boolean;
}

/** Columns of the table `customers as c` that make a customer, but for those that hold JSON. */
export const plainColumns = [
  'c.id',
  'c.bill_directly',
  'c.billing_email',
  'c.allow_change_billing',
  'c.payment_customer_id',
  'c.payment_method_set',
  'c.allow_domain_settings',
  'c.version',
  'c.created_at',
] as const satisfies `c.${keyof CustomersTable}`[];
/** All of them. */
export const columns = [
  ...plainColumns,
  ...(['c.markups', 'c.owner', 'c.admin', 'c.billing_contact'] as const),
] as const;
type Unprefixed<T> = T extends `c.${infer Name}` ? Name : never;
/** The same of the table without that name. */
const storedColumns = columns.map((column) => column.slice(2) as Unprefixed<typeof column>);
export type PlainRow = Pick<Selectable<CustomersTable>, Unprefixed<(typeof plainColumns)[number]>>;
type WholeRow = Pick<Selectable<CustomersTable>, Unprefixed<(typeof columns)[number]>>;

/** Domains that count: everything the registrar still holds for the customer (also what the deletion looks at). */
export const domainsCount = sql<number>`(SELECT count(*) FROM domains d
  WHERE d.organisation_id = c.organisation_id AND d.customer_id = c.id AND d.status <> 'ended')`;

/** Living customers in reach. */
export function living(tx: Tx, scope: Scope) {
  return livingOf(tx, scope.organisationId).where(withinReach(scope, 'c.id'));
}

/** Living customers of an organisation. The caller limits them to a reach. */
export function livingOf(tx: Tx, organisationId: string) {
  return tx
    .selectFrom('customers as c')
    .where('c.organisation_id', '=', organisationId)
    .where('c.deleted_at', 'is', null);
}

/** One living customer in reach, or undefined. */
export async function findCustomer(tx: Tx, scope: Scope, id: string): Promise<Customer | undefined> {
  const row = await living(tx, scope)
    .leftJoin(stoppedCustomers(scope.organisationId), 'stops.customer_id', 'c.id')
    .where('c.id', '=', id)
    .select(columns)
    .select([domainsCount.as('domains'), 'stops.stopped'])
    .executeTakeFirst();
  return row && toCustomer(row, row);
}

/** Where a page of all customers ended. */
export interface CustomerPlace {
  /** As the database writes it: to the microsecond, which a `Date` does not keep. */
  createdAt: string;
  id: string;
}

export interface CustomersPage {
  customers: Customer[];
  /** null: there are no more. */
  last: CustomerPlace | null;
}

/**
 * The customers behind this place, in the order of their making. In the order of
 * an index, so that a page costs the same however many others there are.
 */
export async function customersAfter(
  tx: Tx,
  scope: Scope,
  after: CustomerPlace | null,
  limit: number,
): Promise<CustomersPage> {
  const select = living(tx, scope)
    .select([...plainColumns, 'c.markups', 'c.owner'])
    // Nearly always they are the owner's, and are read and sent once.
    .select(sql<WholeRow['admin'] | null>`nullif(c.admin, c.owner)`.as('admin'))
    .select(sql<WholeRow['billing_contact'] | null>`nullif(c.billing_contact, c.owner)`.as('billing_contact'))
    .select(sql<string>`c.created_at::text`.as('made_at'))
    .orderBy('c.created_at')
    .orderBy('c.id')
    .limit(limit);
  const behind =
    after && sql<boolean>`(c.created_at, c.id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const rows = await (behind ? select.where(behind) : select).execute();
  const last = rows.at(-1);
  return {
    customers: rows.map(({ admin, billing_contact, ...row }) =>
      toCustomer({ ...row, admin: admin ?? row.owner, billing_contact: billing_contact ?? row.owner }),
    ),
    last: last && rows.length === limit ? { createdAt: last.made_at, id: last.id } : null,
  };
}

/** As `findCustomer`, and nobody else changes or deletes it before this transaction ends. */
export async function lockCustomer(tx: Tx, scope: Scope, id: string): Promise<Customer | undefined> {
  const locked = await living(tx, scope)
    .where('c.id', '=', id)
    .select('c.id')
    .forNoKeyUpdate()
    .executeTakeFirst();
  return locked && findCustomer(tx, scope, id);
}

/**
 * Contacts of a living customer, for an order. The share lock lasts until the order is written: a deletion waits,
 * and then sees the order.
 */
export async function lockContacts(tx: Tx, scope: Scope, id: string): Promise<Contacts | undefined> {
  const row = await living(tx, scope)
    .where('c.id', '=', id)
    .select(['c.owner', 'c.admin', 'c.billing_contact'])
    .forShare()
    .executeTakeFirst();
  return row && { owner: row.owner, admin: row.admin, billing: row.billing_contact };
}

/** Whether a customer, deleted or not, is in reach: what a deleted one had stays readable. */
export async function customerExists(tx: Tx, scope: Scope, id: string): Promise<boolean> {
  if (!reaches(scope, id)) return false;
  const row = await tx
    .selectFrom('customers')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

export async function countCustomers(tx: Tx, scope: Pick<Scope, 'organisationId'>): Promise<number> {
  const { rows } = await ask(tx, tx.selectNoFrom(keptCount('customers', scope.organisationId).as('count')));
  return rows[0]?.count ?? 0;
}

function inserting(
  tx: Tx,
  scope: Pick<Scope, 'organisationId'>,
  customer: CustomerState & { id: string; now: Date },
) {
  return tx.insertInto('customers').values({
    id: customer.id,
    organisation_id: scope.organisationId,
    ...written(customer),
    created_at: customer.now,
    updated_at: customer.now,
  });
}

/** Writes it with what the transaction asks next. */
export async function insertCustomer(...customer: Parameters<typeof inserting>): Promise<void> {
  await later(customer[0], inserting(...customer));
}

/** The same, and how it is stored: reading it back would be one statement more. A new one has no domains. */
export async function insertedCustomer(...customer: Parameters<typeof inserting>): Promise<Customer> {
  const { rows } = await ask(customer[0], inserting(...customer).returning(storedColumns));
  const [row] = rows;
  if (!row) throw new Error('a customer was inserted and did not come back');
  return toCustomer(row);
}

/** Writes a new state over the version that was read; false when somebody was faster. */
export async function updateCustomer(
  tx: Tx,
  scope: Scope,
  customer: CustomerState & { id: string; version: number; now: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable('customers')
    .set({ ...written(customer), version: customer.version + 1, updated_at: customer.now })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', customer.id)
    .where('deleted_at', 'is', null)
    .where('version', '=', customer.version)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Deletes a living customer if nothing of it is active: no domain that the registrar still holds, no order under
 * way. The statement itself decides, regardless of the caller.
 */
export async function deleteWithoutDomains(tx: Tx, scope: Scope, id: string, now: Date): Promise<boolean> {
  const result = await tx
    .updateTable('customers')
    .set({ deleted_at: now, updated_at: now })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('domains')
            .select('domains.id')
            .whereRef('domains.organisation_id', '=', 'customers.organisation_id')
            .whereRef('domains.customer_id', '=', 'customers.id')
            .where('domains.status', '<>', 'ended'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('order_items')
            .select('order_items.id')
            .whereRef('order_items.organisation_id', '=', 'customers.organisation_id')
            .whereRef('order_items.customer_id', '=', 'customers.id')
            .where('order_items.state', 'in', [...openItemStates]),
        ),
      ),
    )
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Whether the customer holds a domain that has not ended. */
export async function hasDomains(tx: Tx, scope: Scope, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('domains')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('customer_id', '=', id)
    .where('status', '<>', 'ended')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function written(state: CustomerState) {
  return {
    owner: JSON.stringify(state.contacts.owner),
    admin: JSON.stringify(state.contacts.admin),
    billing_contact: JSON.stringify(state.contacts.billing),
    bill_directly: state.billing.billDirectly,
    billing_email: state.billing.email,
    allow_change_billing: state.billing.allowChangeBilling,
    markups: JSON.stringify(state.markups),
    allow_domain_settings: state.allowDomainSettings,
  };
}

/** What of a customer is in other tables. */
interface Besides {
  domains: number;
  stopped: ChargesStopped | null;
}

/** Without `besides` it is a new one, or for who reads what people set alone. */
export function toCustomer(row: WholeRow, besides: Besides = { domains: 0, stopped: null }): Customer {
  return {
    ...besideContacts(row, wholeMarkups(row.markups), besides),
    contacts: { owner: row.owner, admin: row.admin, billing: row.billing_contact },
  };
}

/** A customer but for the contacts. */
export function besideContacts(
  row: PlainRow,
  markups: Markups,
  { domains, stopped }: Besides,
): Omit<Customer, 'contacts'> {
  return {
    customerId: row.id,
    billing: {
      billDirectly: row.bill_directly,
      email: row.billing_email,
      stripeId: row.payment_customer_id,
      allowChangeBilling: row.allow_change_billing,
    },
    markups,
    domainsCount: domains,
    paymentMethodSet: row.payment_method_set,
    chargesStopped: stopped,
    allowDomainSettings: row.allow_domain_settings,
    version: row.version,
    createdAt: isoText(row.created_at),
  };
}
