import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import { type ApiToken, type createToken, grantable } from '#contracts/operations/tokens.ts';
import type { Permission } from '#contracts/permissions.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, type Tx } from '#kernel/db/database.ts';
import { newSecret, sha256 } from '#kernel/ids.ts';
import { holds, requirePermission, type Scope } from '#kernel/scope.ts';
import {
  customerIsLiving,
  findToken,
  insertToken,
  listTokens,
  markUsed,
  maxLiving,
  revokeToken,
} from './tokens.repo.ts';

export interface TokensDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  newId: (nowMs: number) => string;
}

export type TokensApi = ReturnType<typeof createTokens>;

/** By this a secret found in a file or a log is known for what it is. */
export const tokenPrefix = 'nwk_';
const dayMs = 86_400_000;

/** API tokens: what a script may do in the name of the person who made it, and never more than that person. */
export function createTokens(deps: TokensDeps) {
  const { db, systemDb, clock } = deps;

  async function list(scope: Scope): Promise<ApiToken[]> {
    requirePermission(scope, 'tokens.manage');
    return inTransaction(db, scope, async (tx) => (await listTokens(tx, scope)).map(toToken));
  }

  async function create(
    scope: Scope,
    body: BodyOf<typeof createToken>,
  ): Promise<ApiToken & { token: string }> {
    requirePermission(scope, 'tokens.manage');
    const permissions = [...new Set(body.permissions)];
    // Nobody grants more than he holds.
    if (!permissions.every((name) => holds(scope, name))) throw new AppError('forbidden');
    const now = clock.now();
    const id = deps.newId(now.getTime());
    const token = `${tokenPrefix}${newSecret()}`;
    const customerId = body.customerId ?? null;
    const expiresAt = body.validDays ? new Date(now.getTime() + body.validDays * dayMs) : null;
    return inTransaction(db, scope, async (tx) => {
      if (customerId && !(await customerIsLiving(tx, scope, customerId))) throw new AppError('not_found');
      if ((await listTokens(tx, scope)).length >= maxLiving) {
        throw new AppError('unprocessable', {
          message: `There are ${maxLiving} tokens already. Please revoke some first.`,
        });
      }
      const tokenHash = sha256(token);
      await insertToken(tx, scope, {
        ...{ id, name: body.name, tokenHash, permissions, customerId, expiresAt, now },
      });
      const [made] = await listTokens(tx, scope, id);
      if (!made) throw new Error(`token ${id} is gone within its own transaction`);
      await log(tx, scope, 'tokens.create', id, customerId, {
        after: { name: body.name, permissions, customerId, expiresAt },
      });
      return { ...toToken(made), token };
    });
  }

  async function revoke(scope: Scope, id: string): Promise<void> {
    requirePermission(scope, 'tokens.manage');
    await inTransaction(db, scope, async (tx) => {
      const name = await revokeToken(tx, scope, id, clock.now());
      if (name === undefined) throw new AppError('not_found');
      await log(tx, scope, 'tokens.revoke', id, null, { before: { name } });
    });
  }

  /**
   * The rights behind a secret, asked anew on every request: revoked, out of time, or its person gone, it opens
   * nothing. One that is limited to a customer acts as that customer's own user.
   */
  async function loadByToken(secret: string): Promise<Omit<Scope, 'ip' | 'requestId'> | null> {
    const now = clock.now();
    const found = await findToken(systemDb, sha256(secret), now);
    if (!found) return null;
    if (found.stale) await markUsed(systemDb, found.id, now);
    return {
      userId: found.userId,
      organisationId: found.organisationId,
      email: `${found.email} (${found.name})`,
      tokenId: found.id,
      role: found.customerId === null ? found.role : 'MSP_CUSTOMER',
      customerId: found.customerId,
      grants: found.permissions.filter((name): name is Permission =>
        grantable.some((known) => known === name),
      ),
    };
  }

  function log(
    tx: Tx,
    scope: Scope,
    action: string,
    id: string,
    customerId: string | null,
    change: { before?: unknown; after?: unknown },
  ): Promise<void> {
    // What a token is called may say whose it is.
    const object = { objectKind: 'api token', object: id, customerId, subject: scope.userId };
    return audit(tx, scope, { at: clock.now(), action, ...object, ...change });
  }

  return { list, create, revoke, loadByToken };
}

function toToken(row: Awaited<ReturnType<typeof listTokens>>[number]): ApiToken {
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions,
    customerId: row.customer_id,
    customer: row.customer ?? '',
    createdBy: row.email,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}
