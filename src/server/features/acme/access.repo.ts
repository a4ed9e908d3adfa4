import { type AccessState, accessLogEntries, type BuyLimits } from '#contracts/values/acme-access.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { lowered, patternOf } from '#kernel/db/search.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';
import { limitsOf } from './access-log.repo.ts';

/** Accesses as the people of an organization see them. */

export interface NewAccess {
  id: string;
  name: string;
  customerId: string;
  keyId: string;
  hmacSealed: Buffer;
  hosts: readonly string[] | null;
  productType: string;
  mayBuy: BuyLimits | null;
  byCustomer: boolean;
  expiresAt: Date | null;
  now: Date;
}

const limitColumns = (limits: BuyLimits | null) => ({
  orders_per_month: limits?.ordersPerMonth ?? null,
  cents_per_month: limits?.centsPerMonth ?? null,
});

export async function insertAccess(tx: Tx, scope: Scope, access: NewAccess): Promise<void> {
  await tx
    .insertInto('acme_accesses')
    .values({
      ...{ id: access.id, organisation_id: scope.organisationId, customer_id: access.customerId },
      ...{ name: access.name, key_id: access.keyId, hmac_sealed: access.hmacSealed },
      ...{ hosts: access.hosts === null ? null : [...access.hosts], product_type: access.productType },
      ...limitColumns(access.mayBuy),
      ...{ made_by: scope.userId, by_customer: access.byCustomer },
      ...{ expires_at: access.expiresAt, created_at: access.now },
    })
    .execute();
}

export interface AccessQuery {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
  customerId?: string | undefined;
  state?: AccessState | undefined;
}

/** All that lists may hold at most; the limit of living ones is below it. */
const mostListed = 10_000;

function inReach(tx: Tx, scope: Scope) {
  return tx
    .selectFrom('acme_accesses as a')
    .innerJoin('customers as c', (join) =>
      join.onRef('c.id', '=', 'a.customer_id').onRef('c.organisation_id', '=', 'a.organisation_id'),
    )
    .innerJoin('users as u', 'u.id', 'a.made_by')
    .leftJoin('acme_allowances as w', (join) =>
      join.onRef('w.customer_id', '=', 'a.customer_id').onRef('w.organisation_id', '=', 'a.organisation_id'),
    )
    .leftJoin('certificate_products as p', 'p.product_type', 'a.product_type')
    .where('a.organisation_id', '=', scope.organisationId)
    .where(withinReach(scope, 'a.customer_id'));
}

const ended = sql<boolean>`(a.revoked_at IS NOT NULL OR c.deleted_at IS NOT NULL)`;
const over = (now: Date) => sql<boolean>`coalesce(a.expires_at <= ${now}, false)`;

/** As `stateOf` in access.rules.ts has it. */
function isIn(state: AccessState, now: Date) {
  if (state === 'revoked') return ended;
  if (state === 'expired') return sql<boolean>`(NOT ${ended} AND ${over(now)})`;
  return sql<boolean>`(NOT ${ended} AND NOT ${over(now)})`;
}

const sortColumns = {
  name: sql`lower(a.name)`,
  customer: sql`lower(c.organization)`,
  createdAt: sql`a.created_at`,
  lastUsedAt: sql`a.last_used_at`,
  expiresAt: sql`a.expires_at`,
} as const;

const columns = [
  ...(['a.id', 'a.name', 'a.key_id as keyId', 'a.customer_id as customerId'] as const),
  ...(['c.organization as customer', 'a.hosts', 'a.product_type as productType'] as const),
  ...([
    'p.name as product',
    'a.orders_per_month',
    'a.cents_per_month',
    'a.by_customer as byCustomer',
  ] as const),
  ...(['u.email as madeBy', 'a.created_at as createdAt', 'a.expires_at as expiresAt'] as const),
  ...(['a.last_used_at as lastUsedAt', 'a.revoked_at as revokedAt'] as const),
  ...(['c.deleted_at as customerDeletedAt', 'w.customer_id as allowedCustomer'] as const),
  ...(['w.orders_per_month as allowedOrders', 'w.cents_per_month as allowedCents'] as const),
] as const;

/** Living ones first, then what has ended; within each as the query says, newest first when it does not. */
export async function listAccesses(tx: Tx, scope: Scope, query: AccessQuery, now: Date) {
  let wanted = inReach(tx, scope);
  if (query.customerId) wanted = wanted.where('a.customer_id', '=', query.customerId);
  if (query.state) wanted = wanted.where(isIn(query.state, now));
  const pattern = patternOf(query.search);
  if (pattern) {
    wanted = wanted.where(
      sql<boolean>`(${lowered(sql`a.name`, pattern)} LIKE ${pattern} OR lower(c.organization) LIKE ${pattern}
        OR lower(a.key_id) LIKE ${pattern} OR array_to_string(a.hosts, ' ') LIKE ${pattern})`,
    );
  }
  const direction = (query.sort ?? '-createdAt').startsWith('-') ? 'desc' : 'asc';
  const sort = (query.sort ?? 'createdAt').replace('-', '') as keyof typeof sortColumns;
  const page = query.page ?? 1;
  const [{ total }, rows] = await Promise.all([
    wanted.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    wanted
      .select(columns)
      .select(newestEntry)
      .orderBy(isIn('active', now), 'desc')
      .orderBy(sortColumns[sort], (by) => (direction === 'asc' ? by.asc() : by.desc()).nullsLast())
      .orderBy('a.id', direction)
      .limit(query.page === undefined ? mostListed : query.pageSize)
      .offset((page - 1) * query.pageSize)
      .execute(),
  ]);
  return { total, rows: rows.map(toRecord) };
}

/** The newest entry of its log, of which those that went wrong are told. */
const newestEntry = sql<{ at: string; outcome: string; detail: string; advice: string } | null>`(
  SELECT json_build_object('at', l.last_at, 'outcome', l.outcome, 'detail', l.detail, 'advice', l.advice)
  FROM acme_access_log l
  WHERE l.access_id = a.id AND l.organisation_id = a.organisation_id ORDER BY l.id DESC LIMIT 1)`.as(
  'newest',
);

export async function findAccess(tx: Tx, scope: Scope, id: string): Promise<AccessRecord | undefined> {
  const row = await inReach(tx, scope)
    .where('a.id', '=', id)
    .select(columns)
    .select(newestEntry)
    .executeTakeFirst();
  return row && toRecord(row);
}

/** As `findAccess`; nobody else changes it until this transaction has ended. */
export async function lockAccess(tx: Tx, scope: Scope, id: string): Promise<AccessRecord | undefined> {
  const row = await tx
    .selectFrom('acme_accesses')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && findAccess(tx, scope, row.id);
}

type Row = Awaited<ReturnType<ReturnType<typeof selected>['executeTakeFirstOrThrow']>>;
const selected = (tx: Tx, scope: Scope) => inReach(tx, scope).select(columns).select(newestEntry);

export type AccessRecord = ReturnType<typeof toRecord>;

function toRecord(row: Row) {
  const { orders_per_month, cents_per_month, allowedCustomer, allowedOrders, allowedCents, ...rest } = row;
  return {
    ...rest,
    mayBuy: limitsOf(orders_per_month, cents_per_month),
    allowance: allowedCustomer === null ? null : { limits: limitsOf(allowedOrders, allowedCents) },
  };
}

export interface AccessChange {
  name: string;
  hosts: readonly string[] | null;
  productType: string;
  mayBuy: BuyLimits | null;
  expiresAt: Date | null;
}

/** Changes one that was not revoked. */
export async function updateAccess(tx: Tx, scope: Scope, id: string, change: AccessChange): Promise<boolean> {
  const result = await tx
    .updateTable('acme_accesses')
    .set({
      ...{ name: change.name, product_type: change.productType, expires_at: change.expiresAt },
      ...{ hosts: change.hosts === null ? null : [...change.hosts] },
      ...limitColumns(change.mayBuy),
    })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function revokeAccess(tx: Tx, scope: Scope, id: string, now: Date): Promise<boolean> {
  const result = await tx
    .updateTable('acme_accesses')
    .set({ revoked_at: now })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Accesses that are not revoked: of the organization, or those that the users of a customer made. */
export async function countAccesses(tx: Tx, scope: Scope, byCustomer?: string): Promise<number> {
  let wanted = tx
    .selectFrom('acme_accesses')
    .where('organisation_id', '=', scope.organisationId)
    .where('revoked_at', 'is', null);
  if (byCustomer !== undefined) {
    wanted = wanted.where('customer_id', '=', byCustomer).where('by_customer', '=', true);
  }
  const { count } = await wanted
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Newest first. */
export function readLog(tx: Tx, scope: Scope, accessId: string) {
  return tx
    .selectFrom('acme_access_log')
    .where('organisation_id', '=', scope.organisationId)
    .where('access_id', '=', accessId)
    .select(['at', 'last_at as lastAt', 'times', 'event', 'outcome', 'identifiers', 'detail', 'advice'])
    .orderBy('id', 'desc')
    .limit(accessLogEntries)
    .execute();
}
