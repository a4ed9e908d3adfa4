import type { DomainRow, RegistrantFilter } from '#contracts/operations/domains.ts';
import { isoText } from '#contracts/values/format.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { onePage, type PageShape, pageOffset, pageShape } from '#kernel/db/page.ts';
import { containsWords, type SearchShape, searchPatterns } from '#kernel/db/search.ts';
import { shaped } from '#kernel/db/shaped.ts';
import { type CustomerReach, idList, ofCustomers, type Scope, withinReach } from '#kernel/scope.ts';

export interface DomainListQuery {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
  customerId?: string | undefined;
  expiresBefore?: Date | undefined;
  registrant?: RegistrantFilter | undefined;
  autoRenew?: 'on' | 'off' | undefined;
  locked?: 'yes' | 'no' | undefined;
}

/** A complete array has a limit too (decisions no. 10 keeps it complete up to here). */
const completeListLimit = 100_000;

const sortColumns: Record<string, ReturnType<typeof sql>> = {
  address: sql`d.address`,
  customer: sql`c.organization`,
  expireDate: sql`d.expires_at`,
};

interface Shape extends PageShape, SearchShape {
  reach: CustomerReach['kind'];
  ofCustomer: boolean;
  isExpiring: boolean;
  registrant: RegistrantFilter | null;
  autoRenew: 'on' | 'off' | null;
  locked: 'yes' | 'no' | null;
  sort: string;
  direction: 'asc' | 'desc';
}
interface Values extends Record<string, unknown> {
  organisationId: string;
  /** The customers in reach, where the shape says that the reach is of some customers. */
  reachable: string;
  customerId: string | null;
  expiresBefore: Date | null;
  patterns: readonly string[];
  offset: number;
  /** Rows up to the end of the page. */
  upTo: number;
}

/** Domains in reach, from the portal's own copy, with the total. Runs inside the tenant's transaction. */
export async function listDomains(
  tx: Tx,
  scope: Scope,
  query: DomainListQuery,
): Promise<{ rows: DomainRow[]; total: number }> {
  const search = query.search?.trim().toLowerCase();
  const { shape: searchShape, patterns } = searchPatterns(search ? [search] : []);
  const { customerId = null, expiresBefore = null } = query;
  const shape = {
    ...pageShape(query),
    ...searchShape,
    reach: scope.reach.kind,
    ofCustomer: customerId !== null,
    isExpiring: expiresBefore !== null,
    registrant: query.registrant ?? null,
    autoRenew: query.autoRenew ?? null,
    locked: query.locked ?? null,
    sort: query.sort?.replace('-', '') ?? 'address',
    direction: query.sort?.startsWith('-') ? 'desc' : 'asc',
  } as const;
  const { organisationId, reach } = scope;
  const reachable = reach.kind === 'customers' ? idList(reach) : '';
  const values = {
    organisationId,
    reachable,
    customerId,
    expiresBefore,
    patterns,
    offset: pageOffset(query),
    upTo: pageOffset(query) + query.pageSize,
  };
  const { rows } = await tx.executeQuery(shaped(tx, page, shape, values));
  const [first] = rows;
  // Behind the last page there is no row to carry the total.
  const found = first ? first.total : shape.isFurther ? await totalOf(tx, shape, values) : 0;
  return { total: found ?? 0, rows: rows.map(toRow) };
}

/**
 * The page, in one statement. It comes from an index where one has the order, and from that alone: the indexes of orders hold the
 * name, not the id. Only the rows of the page are read in full.
 */
function page(tx: Tx, shape: Shape, values: Values) {
  const total = filtered(tx, shape, values).select((eb) => eb.fn.countAll<number>().as('total'));
  return tx
    .with('page', () => (isAllByCustomer(shape) ? addressesByCustomer : addresses)(tx, shape, values))
    .selectFrom('page')
    .innerJoin('domains as d', (join) =>
      join
        .onRef('d.address', '=', 'page.address')
        .on('d.organisation_id', '=', values.organisationId)
        .on('d.status', '<>', sql.lit('ended')),
    )
    .leftJoin('customers as c', 'c.id', 'd.customer_id')
    .select(['d.address', 'd.customer_id', 'd.registered_at', 'd.expires_at', 'd.status'])
    .select(['d.auto_renew', 'd.locked', 'd.synced_at', 'c.organization as customer'])
    .select(['d.verification', 'd.verification_deadline'])
    .select([newestCertificate.as('certificate'), total.as('total')])
    .orderBy('page.rank', shape.direction)
    .orderBy('d.address', shape.direction);
}

function addresses(tx: Tx, shape: Shape, values: Values) {
  const wanted = filtered(tx, shape, values);
  const rank = sortColumns[shape.sort] ?? sql`d.address`;
  return (
    (shape.sort === 'customer' ? wanted.leftJoin('customers as c', 'c.id', 'd.customer_id') : wanted)
      .select(['d.address', rank.as('rank')])
      .orderBy('rank', shape.direction)
      // The same direction, so that an index can be read backwards.
      .orderBy('d.address', shape.direction)
      .$call(onePage(shape, values.offset, completeListLimit))
  );
}

function isAllByCustomer(shape: Shape): boolean {
  const { sort, pageSize, words, reach, ofCustomer, isExpiring, registrant, autoRenew, locked } = shape;
  const isFiltered = words > 0 || ofCustomer || isExpiring || registrant || autoRenew || locked;
  return sort === 'customer' && pageSize > 0 && reach === 'organisation' && !isFiltered;
}

/**
 * Customers in their order, each with its domains in theirs: up to a page, no more than its rows are looked at, where sorting would
 * look at all. Domains without a customer come behind them, or before them the other way round.
 */
function addressesByCustomer(tx: Tx, shape: Shape, values: Values) {
  const { direction } = shape;
  const ofCustomers = filtered(tx, shape, values)
    .innerJoin('customers as c', 'c.id', 'd.customer_id')
    .where('c.organisation_id', '=', values.organisationId)
    .select(['d.address', 'c.organization as rank'])
    .orderBy('c.organization', direction)
    .orderBy('d.address', direction)
    .limit(values.upTo);
  const ofNobody = filtered(tx, shape, values)
    .where('d.customer_id', 'is', null)
    .select(['d.address', sql<string>`NULL`.as('rank')])
    .orderBy('d.address', direction)
    .limit(values.upTo);
  const both = tx
    .selectFrom(ofCustomers.as('a'))
    .select(['a.address', 'a.rank'])
    .unionAll(tx.selectFrom(ofNobody.as('b')).select(['b.address', 'b.rank']));
  return tx
    .selectFrom(both.as('d'))
    .select(['d.address', 'd.rank'])
    .orderBy('d.rank', direction)
    .orderBy('d.address', direction)
    .$call(onePage(shape, values.offset, completeListLimit));
}

async function totalOf(tx: Tx, shape: Shape, values: Values): Promise<number> {
  const total = filtered(tx, shape, values).select((eb) => eb.fn.countAll<number>().as('total'));
  return (await total.executeTakeFirstOrThrow()).total;
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
  verification: DomainRow['verification'];
  verification_deadline: Date | null;
  customer: string | null;
  certificate: CertificateSummary;
}

function toRow(row: ListedDomain): DomainRow {
  return {
    address: row.address,
    customerId: row.customer_id,
    customer: row.customer ?? '',
    ...(row.expires_at && row.status !== 'transferring' ? { expireDate: isoText(row.expires_at) } : {}),
    registeredAt: row.registered_at ? isoText(row.registered_at) : null,
    status: row.status,
    autoRenew: row.auto_renew,
    locked: row.locked,
    verification: row.verification,
    verificationDeadline: row.verification_deadline ? isoText(row.verification_deadline) : null,
    syncedAt: row.synced_at ? isoText(row.synced_at) : null,
    certificate: row.certificate,
  };
}

const heldStates = sql<never>`('active', 'expired')`;
const registrantStates = {
  unverified: sql<never>`('waiting', 'reviewing', 'suspended')`,
  suspended: sql<never>`('suspended')`,
};

function filtered(tx: Tx, shape: Shape, values: Values) {
  let select = tx
    .selectFrom('domains as d')
    .where('d.organisation_id', '=', values.organisationId)
    // In the text: a plan that is kept uses the indexes of living domains only where it says so itself.
    .where('d.status', '<>', sql.lit('ended'));
  if (shape.reach !== 'organisation') select = select.where(ofCustomers('d.customer_id', values.reachable));
  if (shape.ofCustomer) select = select.where('d.customer_id', '=', values.customerId);
  // In the text, as above: the index is of these states alone.
  if (shape.registrant) select = select.where('d.verification', 'in', registrantStates[shape.registrant]);
  // Of a name that is still on its way here neither is known.
  if (shape.autoRenew || shape.locked) select = select.where('d.status', 'in', heldStates);
  if (shape.autoRenew) select = select.where('d.auto_renew', '=', sql.lit(shape.autoRenew === 'on'));
  if (shape.locked) select = select.where('d.locked', '=', sql.lit(shape.locked === 'yes'));
  if (shape.isExpiring) select = select.where('d.expires_at', '<', values.expiresBefore);
  const row = { id: 'd.id', text: 'd.address', found: 'domains_like' } as const;
  for (const condition of containsWords(values.organisationId, shape, values.patterns, row)) {
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

/** Which of these names are among the organisation's domains. */
export async function ownAmong(tx: Tx, scope: Scope, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('domains')
    .select('address')
    .where('organisation_id', '=', scope.organisationId)
    .where('status', '<>', 'ended')
    .where('address', 'in', [...addresses])
    .execute();
  return new Set(rows.map(({ address }) => address));
}

/** Whether it is a living domain in reach. */
export async function hasDomain(tx: Tx, scope: Scope, address: string): Promise<boolean> {
  const row = await tx
    .selectFrom('domains')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('address', '=', address)
    .where('status', '<>', sql.lit('ended'))
    .where(withinReach(scope, 'customer_id'))
    .executeTakeFirst();
  return row !== undefined;
}

/** One living domain in reach, or undefined. */
export function findDomain(tx: Tx, scope: Scope, address: string) {
  return tx
    .selectFrom('domains')
    .where('organisation_id', '=', scope.organisationId)
    .where('address', '=', address)
    .where('status', '<>', 'ended')
    .where(withinReach(scope, 'customer_id'))
    .selectAll()
    .executeTakeFirst();
}
