import type { Customer, CustomerChoice } from '#contracts/operations/customers.ts';
import { billingChip } from '#contracts/values/direct-billing.ts';
import { type Markups, wholeMarkups } from '#contracts/values/money.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { onePage, type PageShape, pageOffset, pageShape } from '#kernel/db/page.ts';
import { containsWords, type SearchShape, searchPatterns } from '#kernel/db/search.ts';
import { shaped } from '#kernel/db/shaped.ts';
import { type CustomerReach, idList, ofCustomers, type Scope } from '#kernel/scope.ts';
import {
  besideContacts,
  domainsCount,
  living,
  livingOf,
  type PlainRow,
  plainColumns,
} from './customers.repo.ts';

export interface CustomerListQuery {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
}

/** A complete array has a limit too (decisions no. 10 keeps it complete up to here). */
const completeListLimit = 100_000;
/** Each word must be found; more of them than this only make the question slow. */
const mostWords = 8;

const sortColumns: Record<string, ReturnType<typeof sql>> = {
  organization: sql`c.organization`,
  location: sql`c.location`,
  contact: sql`c.contact_name`,
  createdAt: sql`c.created_at`,
  domains: sql`coalesce(n.domains, 0)`,
};

/** All living customers in reach, by organization. */
export async function listChoices(tx: Tx, scope: Scope): Promise<CustomerChoice[]> {
  const rows = await living(tx, scope)
    .select([
      ...(['c.id', 'c.organization', 'c.markups', 'c.bill_directly'] as const),
      ...(['c.billing_email', 'c.payment_method_set'] as const),
    ])
    .orderBy('c.organization')
    .orderBy('c.id')
    .limit(sql.lit(completeListLimit))
    .execute();
  return rows.map((row) => ({
    customerId: row.id,
    organization: row.organization,
    markups: isActive(row) ? wholeMarkups(row.markups) : null,
  }));
}

function isActive(row: {
  bill_directly: boolean;
  billing_email: string;
  payment_method_set: boolean;
}): boolean {
  const { bill_directly: billDirectly, billing_email: email, payment_method_set: paymentMethodSet } = row;
  return billingChip({ billDirectly, email, paymentMethodSet }) === 'Active';
}

type Direction = 'asc' | 'desc';
type Shape = PageShape & SearchShape & { reach: CustomerReach['kind']; sort: string; direction: Direction };
interface Values extends Record<string, unknown> {
  organisationId: string;
  /** The customers in reach, where the shape says that the reach is of some customers. */
  reachable: string;
  patterns: readonly string[];
  offset: number;
}

/** A row of the list; its contacts are JSON. */
export type ListedCustomer = Omit<Customer, 'contacts'> & { contacts: string };

/** A page of customers, its domain counts and the total. */
export async function listCustomers(
  tx: Tx,
  scope: Scope,
  query: CustomerListQuery,
): Promise<{ rows: ListedCustomer[]; total: number }> {
  const words = (query.search ?? '').trim().toLowerCase().split(/\s+/).filter(Boolean).slice(0, mostWords);
  const { shape: searchShape, patterns } = searchPatterns(words);
  const shape: Shape = {
    ...pageShape(query),
    ...searchShape,
    reach: scope.reach.kind,
    sort: query.sort?.replace('-', '') ?? 'organization',
    direction: query.sort?.startsWith('-') ? 'desc' : 'asc',
  };
  const values = {
    organisationId: scope.organisationId,
    reachable: scope.reach.kind === 'customers' ? idList(scope.reach) : '',
    patterns,
    offset: pageOffset(query),
  };
  const { rows } = await tx.executeQuery(shaped(tx, page, shape, values));
  const [first] = rows;
  // Behind the last page there is no row to carry the total.
  const found = first ? first.total : shape.isFurther ? await totalOf(tx, shape, values) : 0;
  return { total: found ?? 0, rows: rows.map(listed) };
}

/**
 * The page, in one statement. Its ids come from an index where one has the order; only the rows of the page are read in
 * full and counted.
 */
function page(tx: Tx, shape: Shape, values: Values) {
  const wanted = matching(tx, shape, values);
  const rank = sortColumns[shape.sort] ?? sql`c.organization`;
  const total = wanted.select((eb) => eb.fn.countAll<number>().as('total'));
  return tx
    .with('page', () =>
      (shape.sort === 'domains'
        ? wanted.leftJoin(domainsOfAll(tx, values.organisationId), 'n.customer_id', 'c.id')
        : wanted
      )
        .select(['c.id', rank.as('rank')])
        .orderBy('rank', shape.direction)
        // The same direction, so that an index can be read backwards.
        .orderBy('c.id', shape.direction)
        .$call(onePage(shape, values.offset, completeListLimit)),
    )
    .selectFrom('page')
    .innerJoin('customers as c', 'c.id', 'page.id')
    .select(plainColumns)
    .select([textOf('owner'), textOf('admin'), textOf('billing_contact'), textOf('markups')])
    .select([domainsCount.as('domains'), total.as('total')])
    .orderBy('page.rank', shape.direction)
    .orderBy('page.id', shape.direction);
}

/** As the database writes it: nobody here reads what is only passed on. */
const textOf = <N extends 'owner' | 'admin' | 'billing_contact' | 'markups'>(name: N) =>
  sql<string>`${sql.ref(`c.${name}`)}::text`.as(name);

interface ListedRow extends PlainRow {
  owner: string;
  admin: string;
  billing_contact: string;
  markups: string;
  domains: number;
}

/** Few differ, and a list asks for each row: a text is read once. */
const markupsRead = new Map<string, Markups>();
const mostMarkups = 500;

function markupsOf(text: string): Markups {
  const known = markupsRead.get(text);
  if (known) return known;
  const read = wholeMarkups(JSON.parse(text));
  if (markupsRead.size < mostMarkups) markupsRead.set(text, read);
  return read;
}

function listed(row: ListedRow): ListedCustomer {
  return {
    ...besideContacts(row, markupsOf(row.markups), row.domains),
    contacts: `{"owner":${row.owner},"admin":${row.admin},"billing":${row.billing_contact}}`,
  };
}

async function totalOf(tx: Tx, shape: Shape, values: Values): Promise<number> {
  const total = matching(tx, shape, values).select((eb) => eb.fn.countAll<number>().as('total'));
  return (await total.executeTakeFirstOrThrow()).total;
}

function matching(tx: Tx, shape: Shape, values: Values) {
  const row = { id: 'c.id', text: 'c.search_text', found: 'customers_like' } as const;
  const conditions = containsWords(values.organisationId, shape, values.patterns, row);
  return conditions.reduce(
    (select, condition) => select.where(condition),
    livingOf(tx, values.organisationId).where(
      shape.reach === 'organisation' ? sql<boolean>`true` : ofCustomers('c.id', values.reachable),
    ),
  );
}

function domainsOfAll(tx: Tx, organisationId: string) {
  return tx
    .selectFrom('domains')
    .where('organisation_id', '=', organisationId)
    .where('status', '<>', sql.lit('ended'))
    .select((eb) => ['customer_id', eb.fn.countAll<number>().as('domains')])
    .groupBy('customer_id')
    .as('n');
}
