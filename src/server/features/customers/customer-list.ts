import type { Customer } from '#contracts/operations/customers.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { onePage } from '#kernel/db/page.ts';
import { containsWords } from '#kernel/db/search.ts';
import type { Scope } from '#kernel/scope.ts';
import { columns, domainsCount, living, toCustomer } from './customers.repo.ts';

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

/**
 * A page of customers, its domain counts and the total, in one statement. The page's ids come from an index where
 * one has the order; only the rows of the page are read in full and counted.
 */
export async function listCustomers(
  tx: Tx,
  scope: Scope,
  query: CustomerListQuery,
): Promise<{ rows: Customer[]; total: number }> {
  const wanted = matching(tx, scope, query.search);
  const sort = query.sort?.replace('-', '') ?? 'organization';
  const direction = query.sort?.startsWith('-') ? 'desc' : 'asc';
  const rank = sortColumns[sort] ?? sql`c.organization`;
  const total = wanted.select((eb) => eb.fn.countAll<number>().as('total'));
  const rows = await tx
    .with('page', () =>
      (sort === 'domains' ? wanted.leftJoin(domainsOfAll(tx, scope), 'n.customer_id', 'c.id') : wanted)
        .select(['c.id', rank.as('rank')])
        .orderBy('rank', direction)
        // The same direction, so that an index can be read backwards.
        .orderBy('c.id', direction)
        .$call(onePage(query, completeListLimit)),
    )
    .selectFrom('page')
    .innerJoin('customers as c', 'c.id', 'page.id')
    .select(columns)
    .select([domainsCount.as('domains'), total.as('total')])
    .orderBy('page.rank', direction)
    .orderBy('page.id', direction)
    .execute();
  const [first] = rows;
  // Behind the last page there is no row to carry the total.
  const found = first ? first.total : query.page === 1 ? 0 : (await total.executeTakeFirstOrThrow()).total;
  return { total: found ?? 0, rows: rows.map((row) => toCustomer(row, row.domains)) };
}

function matching(tx: Tx, scope: Scope, search: string | undefined) {
  let select = living(tx, scope);
  const words = (search ?? '').trim().toLowerCase().split(/\s+/).filter(Boolean).slice(0, mostWords);
  const row = { id: 'c.id', text: 'c.search_text', found: 'customers_like' } as const;
  for (const condition of containsWords(scope.organisationId, words, row)) select = select.where(condition);
  return select;
}

function domainsOfAll(tx: Tx, scope: Scope) {
  return tx
    .selectFrom('domains')
    .where('organisation_id', '=', scope.organisationId)
    .where('status', '<>', sql.lit('ended'))
    .select((eb) => ['customer_id', eb.fn.countAll<number>().as('domains')])
    .groupBy('customer_id')
    .as('n');
}
