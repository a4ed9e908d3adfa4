import type { DomainRow, RegistrantFilter } from '#contracts/operations/domains.ts';
import { isoText } from '#contracts/values/format.ts';
import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import { type KeptCount, keptCount } from '#kernel/db/kept-counts.ts';
import { onePageBy, type PageShape, pageOffset, pageShape } from '#kernel/db/page.ts';
import type { DomainsTable } from '#kernel/db/schema.ts';
import { containsWords, foundByWords, type SearchShape, searchPatterns } from '#kernel/db/search.ts';
import { shaped } from '#kernel/db/shaped.ts';
import { type CustomerReach, idList, ofCustomers, type Scope } from '#kernel/scope.ts';

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
 * name, not the id. Only the rows of the page are read in full. What an index finds is found once, for the page and for the total.
 */
function page(tx: Tx, shape: Shape, values: Values) {
  return isFirstOfAnIndex(shape) ? firstOfAll(tx, shape, values) : pageByNames(tx, shape, values);
}

const columns = [
  ...(['d.address', 'd.customer_id', 'd.registered_at', 'd.expires_at', 'd.status'] as const),
  ...(['d.auto_renew', 'd.locked', 'd.synced_at', 'd.missing_since'] as const),
  ...(['d.verification', 'd.verification_deadline'] as const),
] as const;

/** In front of a first page there are no rows to read for nothing, so it needs no list of names. */
function isFirstOfAnIndex({ pageSize, isFurther, isIndexed, sort }: Shape): boolean {
  return pageSize > 0 && !isFurther && !isIndexed && sort !== 'customer';
}

function firstOfAll(tx: Tx, shape: Shape, values: Values) {
  const all = narrowed(allOf(tx), shape, values);
  // The rows are read in full, and say it themselves.
  return (leavesOutMissing(shape) ? all.where('d.missing_since', 'is', null) : all)
    .select(columns)
    .select([
      customerName.as('customer'),
      newestCertificate.as('certificate'),
      totalIn(tx, shape, values).as('total'),
    ])
    .orderBy(sortColumns[shape.sort] ?? sql`d.address`, shape.direction)
    .orderBy('d.address', shape.direction)
    .limit(sql.lit(shape.pageSize));
}

function pageByNames(tx: Tx, shape: Shape, values: Values) {
  return (shape.isIndexed ? pageOfFound : pageOfAll)(tx, shape, values)
    .selectFrom('page')
    .innerJoin('domains as d', (join) =>
      join
        .onRef('d.address', '=', 'page.address')
        .on('d.organisation_id', '=', values.organisationId)
        .on('d.status', '<>', sql.lit('ended')),
    )
    .select(columns)
    .select([customerName.as('customer'), newestCertificate.as('certificate'), 'page.total'])
    .orderBy('page.rank', shape.direction)
    .orderBy('d.address', shape.direction);
}

function pageOfFound(tx: Tx, shape: Shape, values: Values) {
  return tx
    .with(
      (cte) => cte('found').materialized(),
      () => (isNamesAlone(shape) ? namesFound(tx, values) : ranked(tx, shape, values)),
    )
    .with('page', (db) => {
      const total = db.selectFrom('found').select((eb) => eb.fn.countAll<number>().as('n'));
      return db
        .selectFrom('found')
        .select(['address', sql.ref(isNamesAlone(shape) ? 'address' : 'rank').as('rank'), total.as('total')])
        .$call(inOrder(shape, values));
    });
}

/** Whether a search is asked for names alone, in their order: then it hands on nothing else of what it finds. */
function isNamesAlone(shape: Shape): boolean {
  return shape.sort === 'address' && !isNarrowed(shape);
}

function namesFound(tx: Tx, { organisationId, patterns }: Values) {
  const found = foundByWords('domain_names_found', organisationId, patterns);
  return tx.selectFrom(sql<{ address: string }>`${found}`.as('d')).select('d.address');
}

function totalIn(tx: Tx, shape: Shape, values: Values) {
  const kept = keptFor(shape);
  if (!kept) return countIn(tx, shape, values);
  const number = keptCount(kept, values.organisationId);
  return kept === 'domains' ? number : sql<number>`(${number} - ${missingOf(tx, shape, values)})`;
}

/** Looking at each whether it is among the few that are missing costs more than counting those apart. */
function countIn(tx: Tx, shape: Shape, values: Values) {
  const all = narrowed(startOf(tx, shape, values), shape, values).select(sql<number>`count(*)`.as('n'));
  return leavesOutMissing(shape)
    ? sql<number>`(${all} - ${missingOf(tx, shape, values)})`
    : sql<number>`${all}`;
}

/** How many of those in question have left the account. No index has found them: all words of a search are asked for. */
function missingOf(tx: Tx, shape: Shape, values: Values) {
  return narrowed(missing(tx), { ...shape, isIndexed: false }, values).select(
    sql<number>`count(*)::int`.as('n'),
  );
}

function pageOfAll(tx: Tx, shape: Shape, values: Values) {
  const all = isAllByCustomer(shape) ? byCustomer(tx, shape, values) : ranked(tx, shape, values);
  return tx.with('page', () =>
    tx
      .selectFrom(all.$call(inOrder(shape, values)).as('a'))
      .select(['a.address', 'a.rank', totalIn(tx, shape, values).as('total')]),
  );
}

/** The number that the database keeps of what is asked for; null: it keeps none. */
function keptFor({
  reach,
  words,
  ofCustomer,
  isExpiring,
  registrant,
  autoRenew,
  locked,
}: Shape): KeptCount | null {
  if (reach !== 'organisation' || words > 0 || ofCustomer || isExpiring || registrant) return null;
  if (autoRenew && locked) return null;
  if (autoRenew) return autoRenew === 'on' ? 'renewing' : 'not_renewing';
  if (locked) return locked === 'yes' ? 'locked' : 'not_locked';
  return 'domains';
}

/** Those in question, with what the list is ordered by. */
function ranked(tx: Tx, shape: Shape, values: Values) {
  const wanted = filtered(tx, shape, values);
  const rank = sortColumns[shape.sort] ?? sql`d.address`;
  return (
    shape.sort === 'customer' ? wanted.leftJoin('customers as c', 'c.id', 'd.customer_id') : wanted
  ).select(['d.address', rank.as('rank')]);
}

function inOrder(shape: Shape, values: Values) {
  return onePageBy('address', shape, values.offset, completeListLimit);
}

function isAllByCustomer(shape: Shape): boolean {
  return shape.sort === 'customer' && shape.pageSize > 0 && shape.words === 0 && !isNarrowed(shape);
}

/** By anything but words. */
function isNarrowed({ reach, ofCustomer, isExpiring, registrant, autoRenew, locked }: Shape): boolean {
  return reach !== 'organisation' || ofCustomer || isExpiring || Boolean(registrant || autoRenew || locked);
}

/**
 * Customers in their order, each with its domains in theirs: up to a page, no more than its rows are looked at, where sorting would
 * look at all. Domains without a customer come behind them, or before them the other way round.
 */
function byCustomer(tx: Tx, shape: Shape, values: Values) {
  const { direction } = shape;
  const ofThose = (deletedAt: 'is' | 'is not') =>
    filtered(tx, shape, values)
      .innerJoin('customers as c', 'c.id', 'd.customer_id')
      .where('c.organisation_id', '=', values.organisationId)
      // Each has an index of its own.
      .where('c.deleted_at', deletedAt, null)
      .select(['d.address', 'c.organization as rank'])
      .orderBy('c.organization', direction)
      .orderBy('d.address', direction)
      .limit(values.upTo);
  const ofNobody = filtered(tx, shape, values)
    .where('d.customer_id', 'is', null)
    .select(['d.address', sql<string>`NULL`.as('rank')])
    .orderBy('d.address', direction)
    .limit(values.upTo);
  const all = tx
    .selectFrom(ofThose('is').as('a'))
    .select(['a.address', 'a.rank'])
    .unionAll(tx.selectFrom(ofThose('is not').as('b')).select(['b.address', 'b.rank']))
    .unionAll(tx.selectFrom(ofNobody.as('n')).select(['n.address', 'n.rank']));
  return tx.selectFrom(all.as('d')).select(['d.address', 'd.rank']);
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
  missing_since: Date | null;
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
    missing: row.missing_since !== null,
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

type FoundDomain = Pick<
  Selectable<DomainsTable>,
  | ('organisation_id' | 'customer_id' | 'address' | 'status' | 'expires_at')
  | ('auto_renew' | 'locked' | 'verification')
>;
const allOf = (tx: Tx) => tx.selectFrom('domains as d');

function startOf(tx: Tx, { isIndexed }: Shape, { organisationId, patterns }: Values) {
  if (!isIndexed) return allOf(tx);
  const found = foundByWords('domains_found', organisationId, patterns);
  return tx.selectFrom(sql<FoundDomain>`${found}`.as('d')) as unknown as ReturnType<typeof allOf>;
}

function filtered(tx: Tx, shape: Shape, values: Values) {
  const select = narrowed(startOf(tx, shape, values), shape, values);
  return leavesOutMissing(shape)
    ? select.where('d.address', 'not in', living(missing(tx), values).select('d.address'))
    : select;
}

/** As the start counts them: what has left the account is neither renewed nor confirmed here, and its settings are not ours. */
function leavesOutMissing({ registrant, isExpiring, autoRenew, locked }: Shape): boolean {
  return isExpiring || Boolean(registrant || autoRenew || locked);
}

/** Those in question, missing ones among them. */
function narrowed(from: ReturnType<typeof allOf>, shape: Shape, values: Values) {
  let select = living(from, values);
  if (shape.reach !== 'organisation') select = select.where(ofCustomers('d.customer_id', values.reachable));
  if (shape.ofCustomer) select = select.where('d.customer_id', '=', values.customerId);
  // In the text, as above: the index is of these states alone.
  if (shape.registrant) select = select.where('d.verification', 'in', registrantStates[shape.registrant]);
  select = bySettings(select, shape);
  if (shape.isExpiring) select = select.where('d.expires_at', '<', values.expiresBefore);
  if (shape.isIndexed) return select;
  return containsWords('d.address', values.patterns).reduce(
    (narrowest, condition) => narrowest.where(condition),
    select,
  );
}

function bySettings(from: ReturnType<typeof allOf>, { autoRenew, locked }: Shape) {
  let select = from;
  // Of a name that is still on its way here neither is known.
  if (autoRenew || locked) select = select.where('d.status', 'in', heldStates);
  if (autoRenew) select = select.where('d.auto_renew', '=', sql.lit(autoRenew === 'on'));
  if (locked) select = select.where('d.locked', '=', sql.lit(locked === 'yes'));
  return select;
}

function living(from: ReturnType<typeof allOf>, { organisationId }: Values) {
  // In the text: a plan that is kept uses the indexes of living domains only where it says so itself.
  return from.where('d.organisation_id', '=', organisationId).where('d.status', '<>', sql.lit('ended'));
}

/** They are few and have an index of their own. Neither the function of a search nor the indexes of orders tell them. */
const missing = (tx: Tx) => allOf(tx).where('d.missing_since', 'is not', null);

/**
 * Looked up for each row of a page. As a join it was planned for the organization that asked first, often as a walk through all of its
 * customers, and the plan kept for those that have thousands (decision 298).
 */
const customerName = sql<string | null>`(SELECT c.organization FROM customers c WHERE c.id = d.customer_id)`;

type CertificateSummary = { state: string; orderId: string | null } | null;

/** The newest certificate that was not declined, for the SSL column (P2 §2). */
const newestCertificate = sql<CertificateSummary>`(
  SELECT json_build_object('state', s.state, 'orderId', s.registrar_order_id)
  FROM certificates s
  WHERE s.organisation_id = d.organisation_id AND s.address = d.address AND s.state <> 'declined'
  ORDER BY s.ordered_at DESC LIMIT 1)`;
