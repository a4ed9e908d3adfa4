import type { Permission, Role } from '#contracts/permissions.ts';
import { type Db, sql, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';

export interface NewToken {
  id: string;
  name: string;
  tokenHash: Buffer;
  permissions: readonly Permission[];
  customerId: string | null;
  expiresAt: Date | null;
  now: Date;
}

export async function insertToken(tx: Tx, scope: Scope, token: NewToken): Promise<void> {
  await tx
    .insertInto('api_tokens')
    .values({
      id: token.id,
      organisation_id: scope.organisationId,
      user_id: scope.userId,
      name: token.name,
      token_hash: token.tokenHash,
      permissions: [...token.permissions],
      customer_id: token.customerId,
      expires_at: token.expiresAt,
      created_at: token.now,
    })
    .execute();
}

/** Tokens that were not revoked, newest first; one of them when named. */
export function listTokens(tx: Tx, scope: Scope, id?: string) {
  let wanted = tx
    .selectFrom('api_tokens as t')
    .innerJoin('users as u', (join) =>
      join.onRef('u.id', '=', 't.user_id').onRef('u.organisation_id', '=', 't.organisation_id'),
    )
    .leftJoin('customers as c', (join) =>
      join.onRef('c.id', '=', 't.customer_id').onRef('c.organisation_id', '=', 't.organisation_id'),
    )
    .where('t.organisation_id', '=', scope.organisationId)
    .where('t.revoked_at', 'is', null);
  if (id) wanted = wanted.where('t.id', '=', id);
  return wanted
    .select([
      't.id',
      't.name',
      't.permissions',
      't.customer_id',
      't.created_at',
      't.expires_at',
      't.last_used_at',
    ])
    .select(['u.email', 'c.organization as customer'])
    .orderBy('t.created_at', 'desc')
    .orderBy('t.id')
    .limit(maxLiving)
    .execute();
}

/** So many tokens one organisation may have at a time. */
export const maxLiving = 200;

export async function customerIsLiving(tx: Tx, scope: Scope, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('customers')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Revokes a living token; its name, or undefined when there is none. */
export async function revokeToken(tx: Tx, scope: Scope, id: string, now: Date): Promise<string | undefined> {
  const row = await tx
    .updateTable('api_tokens')
    .set({ revoked_at: now })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

/** Ends the tokens of an erased person or customer, and forgets what they were called. */
export async function eraseTokens(
  tx: Tx,
  scope: Pick<Scope, 'organisationId'>,
  whose: { userIds: string[]; customerId: string | null },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('api_tokens')
    .set((eb) => ({ name: 'Erased', revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('organisation_id', '=', scope.organisationId)
    .where((eb) =>
      eb.or([
        sql<boolean>`user_id = ANY (${whose.userIds}::uuid[])`,
        ...(whose.customerId === null ? [] : [eb('customer_id', '=', whose.customerId)]),
      ]),
    )
    .execute();
}

export interface TokenOwner {
  id: string;
  name: string;
  permissions: string[];
  customerId: string | null;
  userId: string;
  organisationId: string;
  email: string;
  role: Role;
  stale: boolean;
}

/** A token that is good now, with the person whose rights it has; across tenants, by the secret alone. */
export function findToken(systemDb: Db, tokenHash: Buffer, now: Date): Promise<TokenOwner | undefined> {
  return systemDb
    .selectFrom('api_tokens as t')
    .innerJoin('users as u', (join) =>
      join.onRef('u.id', '=', 't.user_id').onRef('u.organisation_id', '=', 't.organisation_id'),
    )
    .innerJoin('organisations as o', 'o.id', 't.organisation_id')
    .leftJoin('customers as c', 'c.id', 't.customer_id')
    .where('t.token_hash', '=', tokenHash)
    .where('t.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('t.expires_at', 'is', null), eb('t.expires_at', '>', now)]))
    .where('u.removed_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where('o.closed_at', 'is', null)
    .where('c.deleted_at', 'is', null)
    .select(['t.id', 't.name', 't.permissions', 't.customer_id as customerId'])
    .select(['u.id as userId', 't.organisation_id as organisationId', 'u.email', 'u.role'])
    .select(
      sql<boolean>`t.last_used_at IS NULL OR t.last_used_at < ${now}::timestamptz - interval '1 minute'`.as(
        'stale',
      ),
    )
    .executeTakeFirst();
}

export async function markUsed(systemDb: Db, id: string, now: Date): Promise<void> {
  await systemDb.updateTable('api_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}
