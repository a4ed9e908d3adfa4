import { dayMs } from '#contracts/values/time.ts';
import { tokenMark } from '#kernel/audit.ts';
import { type Db, sql, type Tx } from '#kernel/db/database.ts';
import { lowered, patternOf } from '#kernel/db/search.ts';
import { isLimited, type Scope, withinReach } from '#kernel/scope.ts';
import { openValues } from '#kernel/subject-keys.ts';

export interface AuditFilter {
  person?: string | undefined;
  customerId?: string | undefined;
  action?: string | undefined;
  domain?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  search?: string | undefined;
}

/** Kinds of objects whose entries a customer's own user reads: nothing of prices, people or the MSP's own affairs. */
const customersKinds = ['domain', 'zone'];

/** Entries in reach. `reach`: `own` means the employee's own acts, or all acts on the customer's own domains. */
function inReach(tx: Tx, scope: Scope, reach: 'all' | 'own') {
  const all = tx.selectFrom('audit_log as a').where('a.organisation_id', '=', scope.organisationId);
  if (isLimited(scope)) {
    return all
      .where('a.object_kind', 'in', customersKinds)
      .where((eb) => eb.or([eb('a.customer_id', 'is', null), withinReach(scope, 'a.customer_id')]))
      .where('a.object', 'in', (eb) =>
        eb
          .selectFrom('domains as d')
          .where('d.organisation_id', '=', scope.organisationId)
          .where(withinReach(scope, 'd.customer_id'))
          .where('d.status', '<>', 'ended')
          .select('d.address'),
      );
  }
  return reach === 'all' ? all : all.where('a.actor_id', '=', scope.userId);
}

function filtered(tx: Tx, scope: Scope, reach: 'all' | 'own', filter: AuditFilter) {
  let wanted = inReach(tx, scope, reach);
  if (filter.person) wanted = wanted.where('a.actor_id', '=', filter.person);
  if (filter.action) wanted = wanted.where('a.action', '=', filter.action);
  if (filter.customerId) wanted = wanted.where('a.customer_id', '=', filter.customerId);
  if (filter.domain) wanted = wanted.where('a.object', '=', filter.domain);
  if (filter.from) wanted = wanted.where('a.at', '>=', new Date(filter.from));
  if (filter.to) wanted = wanted.where('a.at', '<', new Date(Date.parse(filter.to) + dayMs));
  const pattern = patternOf(filter.search);
  if (pattern) {
    wanted = wanted.where((eb) =>
      eb.or([
        eb(lowered(sql`a.object`, pattern), 'like', pattern),
        eb(sql`lower(a.action)`, 'like', pattern),
        eb(lowered(sql`a.actor`, pattern), 'like', pattern),
        eb('a.actor_id', 'in', (people) =>
          people
            .selectFrom('users as u')
            .select('u.id')
            .where('u.organisation_id', '=', scope.organisationId)
            .where(sql`lower(u.email)`, 'like', pattern),
        ),
      ]),
    );
  }
  return wanted;
}

export async function listEntries(
  tx: Tx,
  scope: Scope,
  reach: 'all' | 'own',
  query: AuditFilter & { page?: number | undefined; pageSize: number; sort?: string | undefined },
) {
  const isAscending = query.sort === 'at';
  const wanted = filtered(tx, scope, reach, query);
  const before = query.page ? (query.page - 1) * query.pageSize : 0;
  const isWhole = reach === 'all' && !isLimited(scope) && !isFiltered(query);
  const page = isWhole ? behind(wanted, scope, before, isAscending) : wanted;
  const [{ total }, rows] = await Promise.all([
    (isWhole
      ? newest(tx, scope)
      : wanted.select((eb) => eb.fn.countAll<number>().as('total'))
    ).executeTakeFirstOrThrow(),
    told(page)
      .orderBy('a.sequence', isAscending ? 'asc' : 'desc')
      // As a value, it would make the plan that serves every page look dear, and each page would be planned again.
      .limit(sql.lit(query.page ? query.pageSize : completeListLimit))
      .$if(!isWhole && before > 0, (all) => all.offset(before))
      .execute(),
  ]);
  return { total, rows: await opened(tx, scope, rows) };
}

function isFiltered({ person, action, customerId, domain, from, to, search }: AuditFilter): boolean {
  return Boolean(person || action || customerId || domain || from || to || patternOf(search));
}

/** Entries are numbered from 1 without a gap, and none is ever taken out (`verify`): the newest one's number is how many there are. */
function newest(tx: Tx, { organisationId }: Scope) {
  return tx
    .selectFrom('audit_log')
    .where('organisation_id', '=', organisationId)
    .select(sql<number>`coalesce(max(sequence), 0)`.as('total'));
}

/** Those of the whole log that come after so many: by their numbers, since counting up to a page far inside would read all before it. */
function behind(
  wanted: ReturnType<typeof filtered>,
  { organisationId }: Scope,
  before: number,
  isAscending: boolean,
) {
  if (isAscending) return wanted.where('a.sequence', '>', before);
  const last = sql<number>`(SELECT max(sequence) FROM audit_log WHERE organisation_id = ${organisationId}) - ${before}::bigint`;
  return wanted.where('a.sequence', '<=', last);
}

/** At most `limit` entries behind the one with this sequence, in the order of the log. */
export async function entriesAfter(
  tx: Tx,
  scope: Scope,
  reach: 'all' | 'own',
  filter: AuditFilter,
  { after, limit }: { after: number; limit: number },
) {
  const rows = await told(filtered(tx, scope, reach, filter))
    .where('a.sequence', '>', after)
    .orderBy('a.sequence')
    .limit(limit)
    .execute();
  return opened(tx, scope, rows);
}

/**
 * The entries, with the present names of whom and what they are about. Each name is looked up by itself: joined, the database read
 * the customers of all organizations for a page of fifty entries.
 */
function told(wanted: ReturnType<typeof filtered>) {
  return wanted.selectAll('a').select([
    sql<string | null>`(SELECT c.organization FROM customers c
        WHERE c.id = a.customer_id AND c.organisation_id = a.organisation_id)`.as('customer'),
    sql<string | null>`(SELECT u.email FROM users u
        WHERE u.id = a.actor_id AND u.organisation_id = a.organisation_id)`.as('email'),
    sql<string | null>`CASE WHEN starts_with(a.actor, ${tokenMark}) THEN (SELECT t.name FROM api_tokens t
        WHERE t.organisation_id = a.organisation_id AND a.actor = ${tokenMark} || t.id::text) END`.as(
      'token',
    ),
  ]);
}

type ToldRow = Awaited<ReturnType<ReturnType<typeof told>['execute']>>[number];

/** What they say of persons can be read. */
async function opened(tx: Tx, { organisationId }: Scope, rows: readonly ToldRow[]) {
  const values = await openValues(
    tx,
    organisationId,
    rows.flatMap((row) => [row.before, row.after]),
  );
  return rows.map((row, index) => ({
    ...row,
    // The log has a person's id; what we know of the person stands elsewhere, and can be erased there.
    actor: row.token === null ? (row.email ?? row.actor) : `${row.email ?? ''} (${row.token})`.trim(),
    before: values[index * 2],
    after: values[index * 2 + 1],
  }));
}

/** A complete list has a limit too. */
const completeListLimit = 10_000;

/** Organisations with a log, and its last row; across tenants. */
export function lastRows(systemDb: Db) {
  return systemDb
    .selectFrom('organisations as o')
    .innerJoinLateral(
      // One row of each log: every row of all logs would be read in its place.
      (eb) =>
        eb
          .selectFrom('audit_log as a')
          .select(['a.organisation_id', 'a.sequence', 'a.hash'])
          .whereRef('a.organisation_id', '=', 'o.id')
          .orderBy('a.sequence', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .select(['last.organisation_id', 'last.sequence', 'last.hash'])
    .execute();
}

/**
 * Organisations that have, or had, a log: one of which every row was removed still has its sealed heads. `only` one of them, or those
 * `after` this id.
 */
export function organisationsWithLog(systemDb: Db, { only, after }: { only?: string; after?: string }) {
  const select = systemDb
    .selectFrom('organisations as o')
    .select(['o.id', 'o.name', 'o.closed_at'])
    .where((eb) =>
      eb.or([
        eb.exists(
          eb.selectFrom('audit_log as a').select('a.sequence').whereRef('a.organisation_id', '=', 'o.id'),
        ),
        eb.exists(
          eb.selectFrom('audit_heads as h').select('h.rows').whereRef('h.organisation_id', '=', 'o.id'),
        ),
      ]),
    )
    .orderBy('o.id');
  if (only !== undefined) return select.where('o.id', '=', only).execute();
  return (after === undefined ? select : select.where('o.id', '>', after)).execute();
}

/** What a head is sealed for. */
export const headContext = (organisationId: string, rows: number) => `audit-head:${organisationId}:${rows}`;

/** Keeps a head, once per length of the log. */
export async function keepHead(
  systemDb: Db,
  head: { organisation_id: string; rows: number; head_sealed: Buffer; at: Date },
): Promise<boolean> {
  const result = await systemDb
    .insertInto('audit_heads')
    .values(head)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** The heads that were kept, the shortest first: one an hour in which something was written. */
export function keptHeads(db: Db | Tx, organisationId: string) {
  return db
    .selectFrom('audit_heads')
    .select(['rows', 'head_sealed'])
    .where('organisation_id', '=', organisationId)
    .orderBy('rows')
    .execute();
}
