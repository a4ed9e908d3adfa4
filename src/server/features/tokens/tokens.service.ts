import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { ApiToken, createToken } from '#contracts/operations/tokens.ts';
import type { Role } from '#contracts/permissions.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { dayMs } from '#contracts/values/time.ts';
import { type AuditActor, type AuditEntry, audit, auditAll } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { newSecret, sha256 } from '#kernel/ids.ts';
import { requireRoom } from '#kernel/room.ts';
import { type Actor, type Entrant, holds, requirePermission, type Scope } from '#kernel/scope.ts';
import {
  countLiving,
  customerIsLiving,
  endLiving,
  findToken,
  insertToken,
  listTokens,
  markUsed,
  revokeToken,
} from './tokens.repo.ts';
import {
  endOfToken,
  endOfTokens,
  grantableOf,
  opensNow,
  standingOfToken,
  type TokenEnd,
  type TokenEndByChange,
} from './tokens.rules.ts';

export interface TokensDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  newId: (nowMs: number) => string;
}

export type TokensApi = ReturnType<typeof createTokens>;

/** By this a secret found in a file or a log is known for what it is. */
export const tokenPrefix = 'nwk_';
/** So long the list still shows tokens that ended without anybody revoking them, by their time among them. */
const shownAfterEndMs = 90 * dayMs;

/** API tokens: what a script may do in the name of the person who made it, and never more than that person. */
export function createTokens(deps: TokensDeps) {
  const { db, systemDb, clock } = deps;

  async function list(scope: Scope): Promise<ApiToken[]> {
    requirePermission(scope, 'tokens.manage');
    const now = clock.now();
    const since = new Date(now.getTime() - shownAfterEndMs);
    return inReading(db, scope, async (tx) =>
      (await listTokens(tx, scope, now, { since })).map((row) => toToken(row, now)),
    );
  }

  async function create(
    scope: Scope,
    body: BodyOf<typeof createToken>,
  ): Promise<ApiToken & { token: string }> {
    requirePermission(scope, 'tokens.manage');
    const permissions = [...new Set(body.permissions)];
    // Nobody grants more than they hold.
    if (!permissions.every((name) => holds(scope, name))) throw new AppError('forbidden');
    const now = clock.now();
    const id = deps.newId(now.getTime());
    const token = `${tokenPrefix}${newSecret()}`;
    const customerId = body.customerId ?? null;
    const expiresAt = body.validDays ? new Date(now.getTime() + body.validDays * dayMs) : null;
    return inTransaction(db, scope, async (tx) => {
      if (customerId && !(await customerIsLiving(tx, scope, customerId))) throw new AppError('not_found');
      await requireRoom(tx, 'apiTokens', scope.organisationId, () => countLiving(tx, scope, now));
      const tokenHash = sha256(token);
      await insertToken(tx, scope, {
        ...{ id, name: body.name, tokenHash, permissions, expiresAt, now },
        ...{ reach: customerId === null ? 'organisation' : 'customer', customerId },
      });
      const [made] = await listTokens(tx, scope, now, { id });
      if (!made) throw new Error(`token ${id} is gone within its own transaction`);
      const of = { id, customerId, userId: scope.userId };
      await log(tx, scope, 'tokens.create', of, {
        after: { name: body.name, permissions, customerId, expiresAt },
      });
      return { ...toToken(made, now), token };
    });
  }

  async function revoke(scope: Scope, id: string): Promise<void> {
    requirePermission(scope, 'tokens.manage');
    await inTransaction(db, scope, async (tx) => {
      const revoked = await revokeToken(tx, scope, id, clock.now());
      if (!revoked) throw new AppError('not_found');
      const { name, customer_id: customerId, user_id: userId } = revoked;
      await log(tx, scope, 'tokens.revoke', { id, customerId, userId }, { before: { name } });
    });
  }

  /**
   * The rights behind a secret, read again on every request. It never reaches further than its person does at that
   * moment: revoked, out of time, or its person gone, it opens nothing. Limited to a customer it acts as that
   * customer's own user.
   */
  async function loadByToken(secret: string): Promise<Entrant | null> {
    const now = clock.now();
    const found = await findToken(systemDb, sha256(secret), now);
    if (!found) return null;
    const standing = standingOfToken({ role: found.role, customerId: found.personCustomerId }, found);
    if (!standing) return null;
    if (found.stale) await markUsed(systemDb, found.id, now);
    const actor: Actor = {
      userId: found.userId,
      organisationId: found.organisationId,
      email: `${found.email} (${found.name})`,
      tokenId: found.id,
      ...standing,
      rights: { kind: 'named', permissions: grantableOf(found.permissions) },
    };
    return { actor, initialFeePaid: found.initialFeePaid };
  }

  /** A person has changed: their tokens end with what they were made for. In the transaction of the change. */
  async function personChanged(
    tx: Tx,
    scope: AuditActor,
    userId: string,
    before: { role: Role; customerId: string | null },
    after: { role: Role; customerId: string | null },
  ): Promise<void> {
    const because = endOfTokens(before, after);
    if (because) await end(tx, scope, { userId }, because);
  }

  /** Ends tokens together with the person or the customer that they belonged to, each with an entry of the log. */
  async function end(tx: Tx, scope: AuditActor, whose: Whose, because: TokenEndByChange): Promise<void> {
    await auditAll(tx, scope, await endRows(tx, scope, whose, because));
  }

  /** As `end`, for who changes further rows before they write to the log: these are its entries. */
  async function endRows(tx: Tx, scope: AuditActor, whose: Whose, because: TokenEndByChange) {
    const at = clock.now();
    return (await endLiving(tx, scope, whose, because, at)).map((token) => endEntry(token, because, at));
  }

  function log(
    tx: Tx,
    scope: Scope,
    action: AuditAction,
    { id, customerId, userId }: { id: string; customerId: string | null; userId: string },
    change: { before?: unknown; after?: unknown },
  ): Promise<void> {
    // What a token is called may say whose it is: its person's, also when another person revokes it.
    const object = { objectKind: 'api token', object: id, customerId, subject: userId };
    return audit(tx, scope, { at: clock.now(), action, ...object, ...change });
  }

  return { list, create, revoke, loadByToken, personChanged, end, endRows };
}

type Whose = { userId: string } | { customerId: string };

function endEntry(
  token: Awaited<ReturnType<typeof endLiving>>[number],
  because: TokenEndByChange,
  at: Date,
): AuditEntry {
  return {
    ...{ at, action: 'tokens.end', objectKind: 'api token', object: token.id },
    ...{ customerId: token.customer_id, subject: token.user_id },
    ...{ before: { name: token.name }, after: { because } },
  };
}

function toToken(row: Awaited<ReturnType<typeof listTokens>>[number], now: Date): ApiToken {
  const end = endOfToken(row, now);
  const standing = standingOfToken({ role: row.role, customerId: row.personCustomerId }, row);
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions,
    opens: end ? [] : opensNow(row.permissions, standing),
    customerId: row.customerId,
    customer: row.customer ?? '',
    createdBy: row.email,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    ended: end && { at: end.at.toISOString(), because: becauseOf(end.because, row.email) },
  };
}

/** Why it ended, for those who manage tokens. */
function becauseOf(because: TokenEnd | 'expired', email: string): string {
  switch (because) {
    case 'expired':
      return 'It expired';
    case 'person_became_customer':
      return `${email} became a customer’s user`;
    case 'person_changed_customer':
      return `${email} moved to another customer`;
    case 'person_removed':
      return `${email} was removed`;
    case 'customer_deleted':
      return 'The customer was deleted';
    case 'erased':
      return 'Personal data was erased';
    default:
      return 'It was revoked';
  }
}
