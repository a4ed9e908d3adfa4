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
  // Said here, because what a search finds has no order of its own.
  customer: sql`d.customer_organization COLLATE "und-x-icu"`,
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
  ...(['d.address', 'd.customer_id', 'd.customer_organization', 'd.registered_at'] as const),
  ...(['d.expires_at', 'd.status'] as const),
  ...(['d.auto_renew', 'd.locked', 'd.synced_at', 'd.missing_since'] as const),
  ...(['d.verification', 'd.verification_deadline'] as const),
] as const;

/** In front of a first page there are no rows to read for nothing, so it needs no list of names. */
function isFirstOfAnIndex({ pageSize, isFurther, isIndexed }: Shape): boolean {
  return pageSize > 0 && !isFurther && !isIndexed;
}

function firstOfAll(tx: Tx, shape: Shape, values: Values) {
  const all = narrowed(allOf(tx), shape, values);
  // The rows are read in full, and say it themselves.
  return (leavesOutMissing(shape) ? all.where('d.missing_since', 'is', null) : all)
    .select(columns)
    .select([newestCertificate.as('certificate'), totalIn(tx, shape, values).as('total')])
    .orderBy(sortColumns[shape.sort] ?? sql`d.address`, shape.direction)
    .orderBy('d.address', shape.direction)
    .limit(sql.lit(shape.pageSize));
}

/** Each of the page is looked up by itself: as a join it is planned as a walk through all names of the organization (decision 312). */
function pageByNames(tx: Tx, shape: Shape, values: Values) {
  const pageOf = isNamesAlone(shape) ? pageOfNames : shape.isIndexed ? pageOfFound : pageOfAll;
  return pageOf(tx, shape, values)
    .selectFrom('page')
    .innerJoinLateral(
      () =>
        living(allOf(tx), values)
          .where('d.address', '=', sql.ref<string>('page.address'))
          .selectAll('d')
          .limit(sql.lit(1))
          .as('d'),
      (join) => join.onTrue(),
    )
    .select(columns)
    .select([newestCertificate.as('certificate'), 'page.total'])
    .orderBy('page.rank', shape.direction)
    .orderBy('d.address', shape.direction);
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
        .select(['address', 'rank', total.as('total')])
        .$call(inOrder(shape, values));
    });
}

/** A search that nothing else narrows, in the order of names: its page is taken where the names are found. */
function isNamesAlone(shape: Shape): boolean {
  return shape.isIndexed && shape.words === 1 && shape.sort === 'address' && !isNarrowed(shape);
}

function pageOfNames(tx: Tx, shape: Shape, { organisationId, patterns, offset }: Values) {
  const skipped = shape.isFurther ? sql`${offset}` : sql.lit(0);
  const found = sql`domain_names_page(${organisationId}, ${patterns[0]}, ${sql.lit(shape.direction === 'desc')},
    ${skipped}, ${sql.lit(shape.pageSize || completeListLimit)})`;
  return tx.with('page', () =>
    tx
      .selectFrom(sql<{ address: string; total: number }>`${found}`.as('f'))
      .select(['f.address', 'f.address as rank', 'f.total']),
  );
}

function totalIn(tx: Tx, shape: Shape, values: Values) {
  const kept = keptFor(shape);
  if (!kept) return countIn(tx, shape, values);
  const number = keptCount(kept, values.organisationId);
  return kept === 'domains' ? number : sql<number>`(${number} - ${missingOf(tx, shape, values)})`;
}

/** Looking at each whether it is among the few that are missing costs more than counting those apart. */
function countIn(tx: Tx, shape: Shape, values: Values) {
  if (isExpiringAlone(shape)) {
    return sql<number>`(SELECT domains_expiring(${values.organisationId}, ${values.expiresBefore}))`;
  }
  const all = narrowed(startOf(tx, shape, values), shape, values).select(sql<number>`count(*)`.as('n'));
  return leavesOutMissing(shape)
    ? sql<number>`(${all} - ${missingOf(tx, shape, values)})`
    : sql<number>`${all}`;
}

/** All that expire before the moment in question: the list that is looked at most, by way of the start screen. */
function isExpiringAlone(shape: Shape): boolean {
  return shape.isExpiring && shape.words === 0 && !isNarrowed({ ...shape, isExpiring: false });
}

/** How many of those in question have left the account. No index has found them: all words of a search are asked for. */
function missingOf(tx: Tx, shape: Shape, values: Values) {
  return narrowed(missing(tx), { ...shape, isIndexed: false }, values).select(
    sql<number>`count(*)::int`.as('n'),
  );
}

function pageOfAll(tx: Tx, shape: Shape, values: Values) {
  return tx.with('page', () =>
    tx
      .selectFrom(ranked(tx, shape, values).$call(inOrder(shape, values)).as('a'))
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
  const rank = sortColumns[shape.sort] ?? sql`d.address`;
  return filtered(tx, shape, values).select(['d.address', rank.as('rank')]);
}

function inOrder(shape: Shape, values: Values) {
  return onePageBy('address', shape, values.offset, completeListLimit);
}

/** By anything but words. */
function isNarrowed({ reach, ofCustomer, isExpiring, registrant, autoRenew, locked }: Shape): boolean {
  return reach !== 'organisation' || ofCustomer || isExpiring || Boolean(registrant || autoRenew || locked);
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
  customer_organization: string | null;
  certificate: CertificateSummary;
}

function toRow(row: ListedDomain): DomainRow {
  return {
    address: row.address,
    customerId: row.customer_id,
    customer: row.customer_organization ?? '',
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
  | ('auto_renew' | 'locked' | 'verification' | 'customer_organization')
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

type CertificateSummary = { state: string; orderId: string | null } | null;

/** The newest certificate that was not declined, for the SSL column (P2 §2). */
const newestCertificate = sql<CertificateSummary>`(
  SELECT json_build_object('state', s.state, 'orderId', s.registrar_order_id)
  FROM certificates s
  WHERE s.organisation_id = d.organisation_id AND s.address = d.address AND s.state <> 'declined'
  ORDER BY s.ordered_at DESC LIMIT 1)`;
