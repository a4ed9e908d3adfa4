import type { Customer, CustomerChoice } from '#contracts/operations/customers.ts';
import { billingChip, type ChargesStopped } from '#contracts/values/direct-billing.ts';
import { type Markups, wholeMarkups } from '#contracts/values/money.ts';
import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import { keptCount } from '#kernel/db/kept-counts.ts';
import { onePageBy, type PageShape, pageOffset, pageShape } from '#kernel/db/page.ts';
import type { CustomersTable } from '#kernel/db/schema.ts';
import { containsWords, foundByWords, type SearchShape, searchPatterns } from '#kernel/db/search.ts';
import { shaped } from '#kernel/db/shaped.ts';
import { stoppedCustomers } from '#kernel/db/stopped-charges.ts';
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

/** In the collation of the columns: what a function yields has lost it. */
const sortColumns: Record<string, ReturnType<typeof sql>> = {
  organization: sql`c.organization COLLATE "und-x-icu"`,
  location: sql`c.location COLLATE "und-x-icu"`,
  contact: sql`c.contact_name COLLATE "und-x-icu"`,
  createdAt: sql`c.created_at`,
  domains: sql`coalesce(n.domains, 0)`,
};

/** All living customers in reach, by organization. */
export async function listChoices(tx: Tx, scope: Scope): Promise<CustomerChoice[]> {
  const rows = await living(tx, scope)
    .leftJoin(stoppedCustomers(scope.organisationId), 'stops.customer_id', 'c.id')
    .select([
      ...(['c.id', 'c.organization', 'c.markups', 'c.bill_directly'] as const),
      ...(['c.billing_email', 'c.payment_method_set', 'stops.stopped'] as const),
    ])
    .orderBy('c.organization')
    .orderBy('c.id')
    .limit(sql.lit(completeListLimit))
    .execute();
  return rows.map((row) => ({
    customerId: row.id,
    organization: row.organization,
    markups: isActive(row) ? wholeMarkups(row.markups) : null,
    ...(row.stopped ? { chargesStopped: row.stopped } : {}),
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
  /** Rows up to the end of the page. */
  upTo: number;
}
type FoundCustomer = Pick<
  Selectable<CustomersTable>,
  'id' | 'organization' | 'location' | 'contact_name' | 'created_at'
>;

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
    upTo: pageOffset(query) + query.pageSize,
  };
  const { rows } = await tx.executeQuery(shaped(tx, page, shape, values));
  const [first] = rows;
  // Behind the last page there is no row to carry the total.
  const found = first ? first.total : shape.isFurther ? await totalOf(tx, shape, values) : 0;
  return { total: found ?? 0, rows: rows.map(listed) };
}

/**
 * The page, in one statement. Its ids come from an index where one has the order; only the rows of the page are read in
 * full and counted. What an index finds is found once, for the page and for the total.
 */
function page(tx: Tx, shape: Shape, values: Values) {
  return (shape.isIndexed ? pageOfFound : pageOfAll)(tx, shape, values)
    .selectFrom('page')
    .innerJoin('customers as c', 'c.id', 'page.id')
    .leftJoin(stoppedCustomers(values.organisationId), 'stops.customer_id', 'c.id')
    .where('c.deleted_at', 'is', null)
    .select(plainColumns)
    .select([textOf('owner'), textOf('admin'), textOf('billing_contact'), textOf('markups')])
    .select([domainsCount.as('domains'), 'page.total', 'stops.stopped'])
    .orderBy('page.rank', shape.direction)
    .orderBy('page.id', shape.direction);
}

function pageOfFound(tx: Tx, shape: Shape, values: Values) {
  return tx
    .with(
      (cte) => cte('found').materialized(),
      () => ranked(tx, shape, values),
    )
    .with('page', (db) => {
      const total = db.selectFrom('found').select((eb) => eb.fn.countAll<number>().as('n'));
      return db
        .selectFrom('found')
        .select(['id', 'rank', total.as('total')])
        .$call(inOrder(shape, values));
    });
}

function pageOfAll(tx: Tx, shape: Shape, values: Values) {
  const isWhole = shape.reach === 'organisation' && shape.words === 0;
  const total = isWhole
    ? keptCount('customers', values.organisationId)
    : matching(tx, shape, values).select((eb) => eb.fn.countAll<number>().as('n'));
  const isByMost = isWhole && shape.sort === 'domains' && shape.direction === 'desc' && shape.pageSize > 0;
  const all = isByMost ? mostDomainsFirst(tx, shape, values) : ranked(tx, shape, values);
  return tx.with('page', () =>
    tx
      .selectFrom(all.$call(inOrder(shape, values)).as('a'))
      .select(['a.id', 'a.rank', sql<number>`${total}`.as('total')]),
  );
}

/** Those in question, with what the list is ordered by. */
function ranked(tx: Tx, shape: Shape, values: Values) {
  const wanted = matching(tx, shape, values);
  const rank = sortColumns[shape.sort] ?? sql`c.organization`;
  return (
    shape.sort === 'domains'
      ? wanted.leftJoin(domainsOfAll(tx, values.organisationId), 'n.customer_id', 'c.id')
      : wanted
  ).select(['c.id', rank.as('rank')]);
}

/** Customers without domains come last: only a page that reaches them looks for them. */
function mostDomainsFirst(tx: Tx, shape: Shape, { organisationId, upTo, ...values }: Values) {
  const most = tx
    .selectFrom(
      sql<{ id: string; domains: number }>`customers_of_most_domains(${organisationId}, ${upTo})`.as('n'),
    )
    .select(['n.id', sql`n.domains`.as('rank')]);
  const without = matching(tx, shape, { ...values, organisationId, upTo })
    .where(sql<boolean>`(SELECT count(*) FROM most) < ${upTo} AND NOT EXISTS (SELECT FROM domains d
      WHERE d.organisation_id = ${organisationId} AND d.customer_id = c.id AND d.status <> 'ended')`)
    .select(['c.id', sql`0`.as('rank')]);
  const both = tx
    .with(
      (cte) => cte('most').materialized(),
      () => most,
    )
    .selectFrom('most')
    .select(['id', 'rank'])
    .unionAll(without);
  return both as unknown as ReturnType<typeof ranked>;
}

function inOrder(shape: Shape, values: Values) {
  return onePageBy('id', shape, values.offset, completeListLimit);
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
  stopped: ChargesStopped | null;
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
    ...besideContacts(row, markupsOf(row.markups), row),
    contacts: `{"owner":${row.owner},"admin":${row.admin},"billing":${row.billing_contact}}`,
  };
}

async function totalOf(tx: Tx, shape: Shape, values: Values): Promise<number> {
  const total = matching(tx, shape, values).select((eb) => eb.fn.countAll<number>().as('total'));
  return (await total.executeTakeFirstOrThrow()).total;
}

function matching(tx: Tx, shape: Shape, values: Values) {
  const { organisationId, patterns } = values;
  const reached = shape.reach === 'organisation' ? sql<boolean>`true` : ofCustomers('c.id', values.reachable);
  if (shape.isIndexed) {
    const found = foundByWords('customers_found', organisationId, patterns);
    return tx.selectFrom(sql<FoundCustomer>`${found}`.as('c')).where(reached) as ReturnType<typeof livingOf>;
  }
  return containsWords('c.search_text', patterns).reduce(
    (select, condition) => select.where(condition),
    livingOf(tx, organisationId).where(reached),
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
