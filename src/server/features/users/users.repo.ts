import type { UserRow } from '#contracts/operations/users.ts';
import type { Role } from '#contracts/permissions.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { lowered, patternOf } from '#kernel/db/search.ts';
import type { Scope } from '#kernel/scope.ts';

export interface PeopleQuery {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
}

/** Living users of the organisation. */
export async function listUsers(
  tx: Tx,
  scope: Scope,
  query: PeopleQuery,
): Promise<{ rows: UserRow[]; total: number }> {
  let wanted = people(tx, scope);
  const pattern = patternOf(query.search);
  if (pattern) {
    wanted = wanted.where((eb) =>
      eb.or([
        eb(sql`lower(u.email)`, 'like', pattern),
        eb(lowered(sql`u.username`, pattern), 'like', pattern),
        eb(sql`lower(c.organization)`, 'like', pattern),
      ]),
    );
  }
  const direction = query.sort?.startsWith('-') ? 'desc' : 'asc';
  let page = wanted.select(userColumns);
  if (query.sort?.replace('-', '') === 'type') page = page.orderBy('u.role', direction);
  page = page.orderBy(sql`lower(u.email)`, query.sort === '-email' ? 'desc' : 'asc').orderBy('u.id');
  if (query.page) page = page.limit(query.pageSize).offset((query.page - 1) * query.pageSize);
  const [{ total }, rows] = await Promise.all([
    wanted.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    page.execute(),
  ]);
  return { total, rows: rows.map(toUserRow) };
}

/** One living user of the organisation, or undefined. */
export async function findUser(tx: Tx, scope: Scope, id: string): Promise<UserRow | undefined> {
  const row = await people(tx, scope).where('u.id', '=', id).select(userColumns).executeTakeFirst();
  return row && toUserRow(row);
}

const userColumns = [
  'u.id',
  'u.email',
  'u.username',
  'u.role',
  'u.customer_id',
  'u.daily_limit_cents',
  'o.name as organisation',
  'c.organization as customer',
] as const;

function people(tx: Tx, scope: Scope) {
  return tx
    .selectFrom('users as u')
    .innerJoin('organisations as o', 'o.id', 'u.organisation_id')
    .leftJoin('customers as c', 'c.id', 'u.customer_id')
    .where('u.organisation_id', '=', scope.organisationId)
    .where('u.removed_at', 'is', null);
}

function toUserRow(row: {
  id: string;
  email: string;
  username: string;
  role: Role;
  customer_id: string | null;
  daily_limit_cents: number | null;
  organisation: string;
  customer: string | null;
}): UserRow {
  return {
    userId: row.id,
    email: row.email,
    username: row.username,
    // An MSP_CUSTOMER stands for the customer, not for the MSP.
    organization: row.customer ?? row.organisation,
    type: row.role,
    authorizedClientId: row.customer_id,
    dailyLimit: row.daily_limit_cents,
  };
}

/** Serialises changes of who manages the organisation: two of them at once must not both see the other remain. */
export async function lockPeople(tx: Tx, scope: Scope): Promise<void> {
  await tx
    .selectFrom('organisations')
    .select('id')
    .where('id', '=', scope.organisationId)
    .forNoKeyUpdate()
    .execute();
}

/** Those who can sign in, and those who are locked out for a while. */
export async function countUsers(tx: Tx, scope: Scope): Promise<number> {
  const { count } = await tx
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organisation_id', '=', scope.organisationId)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many living users hold a role of those named. */
export async function countRole(
  tx: Tx,
  scope: Scope,
  held: readonly Role[],
  except: string,
): Promise<number> {
  const { count } = await tx
    .selectFrom('users')
    .where('organisation_id', '=', scope.organisationId)
    .where('removed_at', 'is', null)
    .where('disabled_at', 'is', null)
    .where('role', 'in', held)
    .where('id', '<>', except)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Marks users as removed; their next request finds no profile. Returns their ids. */
export async function markRemoved(
  tx: Tx,
  scope: Scope,
  whom: { id: string } | { customerId: string },
  now: Date,
): Promise<string[]> {
  let update = tx
    .updateTable('users')
    .set({ removed_at: now })
    .where('organisation_id', '=', scope.organisationId)
    .where('removed_at', 'is', null);
  update =
    'id' in whom ? update.where('id', '=', whom.id) : update.where('customer_id', '=', whom.customerId);
  return (await update.returning('id').execute()).map((row) => row.id);
}

export async function updateUser(
  tx: Tx,
  scope: Scope,
  id: string,
  change: { role: Role; customerId: string | null; dailyLimitCents: number | null },
): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      role: change.role,
      customer_id: change.customerId,
      daily_limit_cents: change.dailyLimitCents,
    })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .execute();
}

/** Whether a living customer of the organisation has this id; it stays until the transaction ends. */
export async function livingCustomer(tx: Tx, organisationId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('customers')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}
