import type { DomainRow } from '#contracts/operations/domains.ts';
import { type SelectQueryBuilder, sql, type Tx } from '#kernel/db/database.ts';
import { onePage } from '#kernel/db/page.ts';
import type { Database } from '#kernel/db/schema.ts';
import { containsWords } from '#kernel/db/search.ts';
import { customerLimit, type Scope } from '#kernel/scope.ts';

export interface DomainListQuery {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
  customerId?: string | undefined;
  expiresBefore?: Date | undefined;
}

/** A complete array has a limit too (decisions no. 10 keeps it complete up to here). */
const completeListLimit = 100_000;

const sortColumns: Record<string, ReturnType<typeof sql>> = {
  address: sql`d.address`,
  customer: sql`c.organization`,
  expireDate: sql`d.expires_at`,
};

/**
 * Domains in reach, from the portal's own copy, with the total, in one statement. The page comes from an index where one
 * has the order; only its rows are read in full. Runs inside the tenant's transaction.
 */
export async function listDomains(
  tx: Tx,
  scope: Scope,
  query: DomainListQuery,
): Promise<{ rows: DomainRow[]; total: number }> {
  const wanted = filtered(tx, scope, query);
  const total = wanted.select((eb) => eb.fn.countAll<number>().as('total'));
  const column = query.sort?.replace('-', '') ?? 'address';
  const direction = query.sort?.startsWith('-') ? 'desc' : 'asc';
  const rank = sortColumns[column] ?? sql`d.address`;
  const rows = await tx
    .with('page', () =>
      (column === 'customer' ? wanted.leftJoin('customers as c', 'c.id', 'd.customer_id') : wanted)
        .select(['d.id', rank.as('rank')])
        .orderBy('rank', direction)
        // The same direction, so that an index can be read backwards.
        .orderBy('d.address', direction)
        .$call(onePage(query, completeListLimit)),
    )
    .selectFrom('page')
    .innerJoin('domains as d', 'd.id', 'page.id')
    .leftJoin('customers as c', 'c.id', 'd.customer_id')
    .select(['d.address', 'd.customer_id', 'd.registered_at', 'd.expires_at', 'd.status'])
    .select(['d.auto_renew', 'd.locked', 'd.synced_at', 'c.organization as customer'])
    .select([newestCertificate.as('certificate'), total.as('total')])
    .orderBy('page.rank', direction)
    .orderBy('d.address', direction)
    .execute();
  const [first] = rows;
  // Behind the last page there is no row to carry the total.
  const found = first ? first.total : query.page === 1 ? 0 : (await total.executeTakeFirstOrThrow()).total;
  return { total: found ?? 0, rows: rows.map(toRow) };
}

interface ListedDomain {
  address: string;
  customer_id: string | null;
  registered_at: Date | null;
  expires_at: Date | null;
  status: DomainRow['status'];
  auto_renew: boolean;
  locked: boolean | null;
  synced_at: Date | null;
  customer: string | null;
  certificate: CertificateSummary;
}

function toRow(row: ListedDomain): DomainRow {
  return {
    address: row.address,
    customerId: row.customer_id,
    customer: row.customer ?? '',
    ...(row.expires_at && row.status !== 'transferring' ? { expireDate: row.expires_at.toISOString() } : {}),
    registeredAt: row.registered_at?.toISOString() ?? null,
    status: row.status,
    autoRenew: row.auto_renew,
    locked: row.locked,
    syncedAt: row.synced_at?.toISOString() ?? null,
    certificate: row.certificate,
  };
}

function filtered(tx: Tx, scope: Scope, query: DomainListQuery) {
  let select = tx
    .selectFrom('domains as d')
    .where('d.organisation_id', '=', scope.organisationId)
    // In the text: a plan that is kept uses the indexes of living domains only where it says so itself.
    .where('d.status', '<>', sql.lit('ended'));
  const own = customerLimit(scope);
  if (own !== null) select = select.where('d.customer_id', '=', own);
  if (query.customerId) select = select.where('d.customer_id', '=', query.customerId);
  if (query.expiresBefore) select = select.where('d.expires_at', '<', query.expiresBefore);
  const search = query.search?.trim().toLowerCase();
  const row = { id: 'd.id', text: 'd.address', found: 'domains_like' } as const;
  for (const condition of containsWords(scope.organisationId, search ? [search] : [], row)) {
    select = select.where(condition);
  }
  return select;
}

type CertificateSummary = { state: string; orderId: string | null } | null;

/** The newest certificate that was not declined, for the SSL column (P2 §2). */
const newestCertificate = sql<CertificateSummary>`(
  SELECT json_build_object('state', s.state, 'orderId', s.registrar_order_id)
  FROM certificates s
  WHERE s.organisation_id = d.organisation_id AND s.address = d.address AND s.state <> 'declined'
  ORDER BY s.ordered_at DESC LIMIT 1)`;

/** One living domain in reach, or undefined. */
export function findDomain(tx: Tx, scope: Scope, address: string) {
  let select: SelectQueryBuilder<Database, 'domains', object> = tx
    .selectFrom('domains')
    .where('organisation_id', '=', scope.organisationId)
    .where('address', '=', address)
    .where('status', '<>', 'ended');
  const own = customerLimit(scope);
  if (own !== null) select = select.where('customer_id', '=', own);
  return select.selectAll().executeTakeFirst();
}
