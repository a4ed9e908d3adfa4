import { limits } from '#contracts/values/limits.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { pageOffset } from '#kernel/db/page.ts';
import { newId } from '#kernel/ids.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';

/** Names that are held elsewhere and looked at all the same. */

export interface WatchedRow {
  domain: string;
  customerId: string | null;
  customer: string | null;
  registrar: string | null;
  expiresAt: Date | null;
  checkedAt: Date | null;
  problems: number;
}

export interface WatchedFilter {
  customerId?: string | undefined;
  search?: string | undefined;
}

const within = (scope: Scope, { customerId, search }: WatchedFilter) => sql`
  w.organisation_id = ${scope.organisationId} AND ${withinReach(scope, 'w.customer_id')}
  AND ${customerId ? sql`w.customer_id = ${customerId}` : sql`true`}
  AND ${search ? sql`position(${search} IN w.address) > 0` : sql`true`}`;

/** As many as there may be: `contracts/values/limits.ts`. */
const completeListLimit = limits.watchedNames.most;

export interface WatchedPage {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
}

/** A page of the watched names in reach. Those whose end is not known come last. */
export async function listWatched(
  tx: Tx,
  scope: Scope,
  filter: WatchedFilter,
  page: WatchedPage,
  now: Date,
): Promise<WatchedRow[]> {
  const direction = page.sort?.startsWith('-') ? sql`DESC` : sql`ASC`;
  const order =
    page.sort?.replace('-', '') === 'expireDate'
      ? sql`w.expires_at ${direction} NULLS LAST, w.address`
      : sql`w.address ${direction}`;
  const { rows } = await sql<WatchedRow>`
    SELECT w.address AS domain, w.customer_id AS "customerId", c.organization AS customer, w.registrar,
      w.expires_at AS "expiresAt", h.checked_at AS "checkedAt",
      (SELECT count(*)::int FROM health_findings f WHERE f.organisation_id = w.organisation_id AND f.watched_id = w.id
        AND f.cleared_at IS NULL AND coalesce(f.muted_until <= ${now}, true)) AS problems
    FROM watched_names w LEFT JOIN customers c ON c.id = w.customer_id LEFT JOIN health_checks h ON h.watched_id = w.id
    WHERE ${within(scope, filter)} ORDER BY ${order}
    LIMIT ${page.page ? page.pageSize : completeListLimit} OFFSET ${pageOffset(page)}`.execute(tx);
  return rows;
}

export async function countWatched(tx: Tx, scope: Scope, filter: WatchedFilter = {}): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM watched_names w WHERE ${within(scope, filter)}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Whether there is such a living customer in reach. Until the transaction ends, it is not deleted. */
export async function holdCustomer(tx: Tx, scope: Scope, id: string): Promise<boolean> {
  const { rows } = await sql`SELECT c.id FROM customers c WHERE c.organisation_id = ${scope.organisationId}
    AND c.id = ${id} AND c.deleted_at IS NULL AND ${withinReach(scope, 'c.id')} FOR SHARE`.execute(tx);
  return rows.length > 0;
}

/** Those of the names that are domains of the organisation, or on their way to it. What has left the account is held elsewhere. */
export async function heldHere(tx: Tx, scope: Scope, names: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ address: string }>`SELECT address FROM domains
    WHERE organisation_id = ${scope.organisationId} AND status <> 'ended' AND missing_since IS NULL
      AND address = ANY (${[...names]}::text[])`.execute(tx);
  return new Set(rows.map(({ address }) => address));
}

/** The first of many is looked at now, the others one after the other: what somebody asks for meanwhile has its turn. */
const apartMs = 300;

/** Watches names and plans their first look. What is watched already stays as it is; says which are new. */
export async function insertWatched(
  tx: Tx,
  scope: Scope,
  { names, customerId, now }: { names: readonly string[]; customerId: string | null; now: Date },
): Promise<string[]> {
  const made = names.map((address) => ({ id: newId(now.getTime()), address }));
  const { rows } = await sql<{ id: string; address: string }>`
    INSERT INTO watched_names (id, organisation_id, customer_id, address, created_at, created_by)
    SELECT id, ${scope.organisationId}, ${customerId}::uuid, address, ${now}, ${scope.userId}::uuid
    FROM jsonb_to_recordset(${JSON.stringify(made)}::jsonb) AS w (id uuid, address text)
    ON CONFLICT (organisation_id, address) DO NOTHING RETURNING id, address`.execute(tx);
  await sql`INSERT INTO health_checks (watched_id, organisation_id, next_at)
    SELECT id, ${scope.organisationId}, ${now}::timestamptz + (place - 1) * ${apartMs} * interval '1 millisecond'
    FROM unnest(${rows.map(({ id }) => id)}::uuid[]) WITH ORDINALITY AS w (id, place)`.execute(tx);
  return rows.map(({ address }) => address);
}

export interface Assigned {
  domain: string;
  customerId: string | null;
}

/** Watched names in reach among these, kept from others until the transaction ends. */
export async function lockWatched(tx: Tx, scope: Scope, names: readonly string[]): Promise<Assigned[]> {
  const { rows } = await sql<Assigned>`
    SELECT w.address AS domain, w.customer_id AS "customerId" FROM watched_names w
    WHERE ${within(scope, {})} AND w.address = ANY (${[...names]}::text[]) ORDER BY w.address FOR UPDATE`.execute(
    tx,
  );
  return rows;
}

export async function assignWatched(
  tx: Tx,
  scope: Scope,
  names: readonly string[],
  customerId: string | null,
): Promise<void> {
  await sql`UPDATE watched_names SET customer_id = ${customerId}::uuid
    WHERE organisation_id = ${scope.organisationId} AND address = ANY (${[...names]}::text[])`.execute(tx);
}

export async function dropWatched(tx: Tx, scope: Scope, names: readonly string[]): Promise<void> {
  await sql`DELETE FROM watched_names
    WHERE organisation_id = ${scope.organisationId} AND address = ANY (${[...names]}::text[])`.execute(tx);
}

/** Of the whole organisation. */
export async function dropAllWatched(tx: Tx, scope: Scope): Promise<Assigned[]> {
  const { rows } =
    await sql<Assigned>`DELETE FROM watched_names WHERE organisation_id = ${scope.organisationId}
    RETURNING address AS domain, customer_id AS "customerId"`.execute(tx);
  return rows;
}
