import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { InvitesTable } from '#kernel/db/schema.ts';
import { patternOf } from '#kernel/db/search.ts';
import type { Scope } from '#kernel/scope.ts';
import type { PeopleQuery } from './users.repo.ts';

export type Invite = Selectable<InvitesTable>;

/** What an invitation's secret is sealed for: copied to another row it does not open. */
export function sealContext(invite: { organisation_id: string; id: string }): string {
  return `invite:${invite.organisation_id}:${invite.id}`;
}

export async function insertInvite(
  tx: Tx,
  invite: Omit<Invite, 'accepted_at' | 'cancelled_at'>,
): Promise<void> {
  await tx
    .insertInto('invites')
    .values({ ...invite, accepted_at: null, cancelled_at: null })
    .execute();
}

/** Invitations that were neither accepted nor cancelled; expired ones too, since they can be sent again. */
function open(tx: Tx, scope: Pick<Scope, 'organisationId'>) {
  return tx
    .selectFrom('invites')
    .where('organisation_id', '=', scope.organisationId)
    .where('accepted_at', 'is', null)
    .where('cancelled_at', 'is', null);
}

export async function listOpenInvites(
  tx: Tx,
  scope: Scope,
  query: PeopleQuery,
): Promise<{ rows: Invite[]; total: number }> {
  let wanted = open(tx, scope);
  const pattern = patternOf(query.search);
  if (pattern) wanted = wanted.where(sql`lower(email)`, 'like', pattern);
  const direction = query.sort?.startsWith('-') ? 'desc' : 'asc';
  let page = wanted.selectAll();
  if (query.sort?.replace('-', '') === 'type') page = page.orderBy('role', direction);
  page = page.orderBy(sql`lower(email)`, query.sort === '-email' ? 'desc' : 'asc').orderBy('id');
  if (query.page) page = page.limit(query.pageSize).offset((query.page - 1) * query.pageSize);
  const [{ total }, rows] = await Promise.all([
    wanted.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    page.execute(),
  ]);
  return { total, rows };
}

export async function countOpenInvites(tx: Tx, scope: Scope): Promise<number> {
  const { count } = await open(tx, scope)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function findOpenInvite(
  tx: Tx,
  scope: Pick<Scope, 'organisationId'>,
  id: string,
): Promise<Invite | undefined> {
  return open(tx, scope).where('id', '=', id).selectAll().executeTakeFirst();
}

/** Puts a new secret and a new end under an open invitation; undefined when it is not open. */
export function renewInvite(
  tx: Tx,
  scope: Scope,
  id: string,
  renewal: Pick<Invite, 'token_hash' | 'token_sealed' | 'expires_at'>,
): Promise<Invite | undefined> {
  return tx
    .updateTable('invites')
    .set(renewal)
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Cancels open invitations; returns those that were. */
export async function cancelInvites(
  tx: Tx,
  scope: Pick<Scope, 'organisationId'>,
  which: { id: string } | { customerId: string } | { invitedBy: string } | { expiredFor: string },
  now: Date,
): Promise<Invite[]> {
  const update = tx
    .updateTable('invites')
    .set({ cancelled_at: now })
    .where('organisation_id', '=', scope.organisationId)
    .where('accepted_at', 'is', null)
    .where('cancelled_at', 'is', null);
  if ('id' in which) return update.where('id', '=', which.id).returningAll().execute();
  if ('customerId' in which) {
    return update.where('customer_id', '=', which.customerId).returningAll().execute();
  }
  if ('invitedBy' in which) {
    return update.where('invited_by', '=', which.invitedBy).returningAll().execute();
  }
  return update
    .where(sql`lower(email)`, '=', which.expiredFor.toLowerCase())
    .where('expires_at', '<=', now)
    .returningAll()
    .execute();
}

export interface InviteByToken extends Invite {
  organisation: string;
  closed_at: Date | null;
}

/** Across tenants, by the secret, because its holder does not know the organisation yet. */
export function findByToken(tx: Tx, tokenHash: Buffer): Promise<InviteByToken | undefined> {
  return tx
    .selectFrom('invites as i')
    .innerJoin('organisations as o', 'o.id', 'i.organisation_id')
    .where('i.token_hash', '=', tokenHash)
    .selectAll('i')
    .select(['o.name as organisation', 'o.closed_at'])
    .executeTakeFirst();
}

/** Uses an invitation up, once; false when it is no longer to be had. */
export async function consumeInvite(tx: Tx, id: string, now: Date): Promise<boolean> {
  const result = await tx
    .updateTable('invites')
    .set({ accepted_at: now })
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Whether a living user of the organisation has this address. */
export async function isMember(tx: Tx, scope: Scope, email: string): Promise<boolean> {
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('removed_at', 'is', null)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
  return row !== undefined;
}
