import type { Permission, Role } from '#contracts/permissions.ts';
import { limits } from '#contracts/values/limits.ts';
import { type Db, sql, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import type { StoredReach, TokenEnd } from './tokens.rules.ts';

export interface NewToken extends StoredReach {
  id: string;
  name: string;
  tokenHash: Buffer;
  permissions: readonly Permission[];
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
      reach: token.reach,
      customer_id: token.customerId,
      expires_at: token.expiresAt,
      created_at: token.now,
    })
    .execute();
}

/**
 * Living tokens, newest first, and after them those that their time or a change of their person or customer has ended since
 * `since`: somebody may wonder why a script stopped. Those that a person revoked are known to have ended.
 */
export function listTokens(tx: Tx, scope: Scope, now: Date, which: { since: Date } | { id: string }) {
  let wanted = tx
    .selectFrom('api_tokens as t')
    .innerJoin('users as u', (join) =>
      join.onRef('u.id', '=', 't.user_id').onRef('u.organisation_id', '=', 't.organisation_id'),
    )
    .leftJoin('customers as c', (join) =>
      join.onRef('c.id', '=', 't.customer_id').onRef('c.organisation_id', '=', 't.organisation_id'),
    )
    .where('t.organisation_id', '=', scope.organisationId);
  wanted =
    'id' in which
      ? wanted.where('t.id', '=', which.id)
      : wanted
          .where((eb) =>
            eb.or([
              eb('t.revoked_at', 'is', null),
              eb('t.revoked_at', '>', which.since).and('t.ended_because', 'not in', ['revoked', 'erased']),
            ]),
          )
          .where((eb) => eb.or([eb('t.expires_at', 'is', null), eb('t.expires_at', '>', which.since)]));
  return wanted
    .select([
      't.id',
      't.name',
      't.permissions',
      't.reach',
      't.customer_id as customerId',
      't.created_at',
      't.expires_at',
      't.last_used_at',
      't.revoked_at',
      't.ended_because',
    ])
    .select(['u.email', 'u.role', 'u.customer_id as personCustomerId', 'c.organization as customer'])
    .orderBy(sql<boolean>`(t.revoked_at IS NOT NULL OR coalesce(t.expires_at <= ${now}, false))`)
    .orderBy('t.created_at', 'desc')
    .orderBy('t.id')
    .limit(maxListed)
    .execute();
}

const maxListed = 2 * limits.apiTokens.most;

export async function countLiving(tx: Tx, scope: Scope, now: Date): Promise<number> {
  const { count } = await tx
    .selectFrom('api_tokens')
    .where('organisation_id', '=', scope.organisationId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

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

/** Revokes a living token; whose it was, or undefined when there is none. */
export function revokeToken(
  tx: Tx,
  scope: Scope,
  id: string,
  now: Date,
): Promise<{ name: string; customer_id: string | null; user_id: string } | undefined> {
  return tx
    .updateTable('api_tokens')
    .set({ revoked_at: now, ended_because: 'revoked' })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(['name', 'customer_id', 'user_id'])
    .executeTakeFirst();
}

/** Ends the living tokens of a person, or those of a customer. */
export function endLiving(
  tx: Tx,
  scope: Pick<Scope, 'organisationId'>,
  whose: { userId: string } | { customerId: string },
  because: TokenEnd,
  now: Date,
): Promise<{ id: string; name: string; customer_id: string | null; user_id: string }[]> {
  const update = tx
    .updateTable('api_tokens')
    .set({ revoked_at: now, ended_because: because })
    .where('organisation_id', '=', scope.organisationId)
    .where('revoked_at', 'is', null);
  return (
    'userId' in whose
      ? update.where('user_id', '=', whose.userId)
      : update.where('customer_id', '=', whose.customerId)
  )
    .returning(['id', 'name', 'customer_id', 'user_id'])
    .execute();
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
    .set((eb) => ({
      name: 'Erased',
      revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)),
      ended_because: 'erased',
    }))
    .where('organisation_id', '=', scope.organisationId)
    .where((eb) =>
      eb.or([
        sql<boolean>`user_id = ANY (${whose.userIds}::uuid[])`,
        ...(whose.customerId === null ? [] : [eb('customer_id', '=', whose.customerId)]),
      ]),
    )
    .execute();
}

export interface TokenOwner extends StoredReach {
  id: string;
  name: string;
  permissions: string[];
  userId: string;
  organisationId: string;
  email: string;
  role: Role;
  personCustomerId: string | null;
  stale: boolean;
  initialFeePaid: boolean;
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
    .leftJoin('customers as pc', 'pc.id', 'u.customer_id')
    .leftJoin('billing_profiles as b', 'b.organisation_id', 't.organisation_id')
    .where('t.token_hash', '=', tokenHash)
    .where('t.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('t.expires_at', 'is', null), eb('t.expires_at', '>', now)]))
    .where('u.removed_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where('o.closed_at', 'is', null)
    .where('c.deleted_at', 'is', null)
    .where('pc.deleted_at', 'is', null)
    .select(['t.id', 't.name', 't.permissions', 't.reach', 't.customer_id as customerId'])
    .select(['u.id as userId', 't.organisation_id as organisationId', 'u.email', 'u.role'])
    .select('u.customer_id as personCustomerId')
    .select(sql<boolean>`coalesce(b.initial_fee_paid, false)`.as('initialFeePaid'))
    .select(
      sql<boolean>`(t.last_used_at IS NULL OR t.last_used_at < ${now}::timestamptz - interval '1 minute')`.as(
        'stale',
      ),
    )
    .executeTakeFirst();
}

export async function markUsed(systemDb: Db, id: string, now: Date): Promise<void> {
  await systemDb.updateTable('api_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}
