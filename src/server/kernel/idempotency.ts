import { AppError } from '#contracts/errors.ts';
import {
  type Db,
  inOneGo,
  inReading,
  inTransaction,
  isUniqueViolation,
  later,
  sql,
  type Tx,
} from './db/database.ts';
import { hashOf } from './ids.ts';

export interface IdempotentRequest {
  /** Id of the operation: a key counts per user and operation. */
  operation: string;
  /** The caller's Idempotency-Key (decisions no. 9); without one nothing is remembered. */
  key: string | null;
  /** What was asked for; the same key with other contents is refused. */
  request: unknown;
}

/**
 * Does `work` once per key, in the caller's transaction: a repeat gets the stored reply. A repeat that comes while
 * the first still runs waits for its commit; when the first fails, the key is free again. Replies are JSON.
 */
export async function once<T>(
  tx: Tx,
  scope: { organisationId: string; userId: string },
  { operation, key, request }: IdempotentRequest,
  work: () => Promise<T>,
): Promise<T> {
  if (key === null) return work();
  const requestHash = hashOf(request);
  const claimed = await claiming(tx, scope, { operation, key, requestHash, orderId: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (claimed.numInsertedOrUpdatedRows !== 1n) return priorReply(tx, scope, operation, key, requestHash);
  const reply = await work();
  await keepReply(tx, scope, { operation, key, reply });
  return reply;
}

/**
 * As `once`, in a transaction of its own, with a round trip less: the key is claimed together with what `work` asks first. The database
 * does it in order, so nothing of a repeat's work is done. `work` asks the database before it refuses anything, or a repeat would be
 * refused too.
 */
export async function inTransactionOnce<T>(
  db: Db,
  scope: { organisationId: string; userId: string },
  { operation, key, request }: IdempotentRequest,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (key === null) return inTransaction(db, scope, work);
  const requestHash = hashOf(request);
  try {
    return await inTransaction(db, scope, async (tx) => {
      await claimKey(tx, scope, { operation, key, requestHash, orderId: null });
      const reply = await work(tx);
      await keepReply(tx, scope, { operation, key, reply });
      return reply;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'idempotency_keys_pkey')) throw error;
    return inReading(db, scope, (tx) => priorReply<T>(tx, scope, operation, key, requestHash));
  }
}

/**
 * Claims a key for a purchase, whose reply comes later (`storeReply`): the order is known before its outcome. A key
 * that is taken already is a unique violation, of what the transaction does next or of its commit.
 */
export async function claimKey(
  tx: Tx,
  scope: { organisationId: string; userId: string },
  claim: Claim,
): Promise<void> {
  await later(tx, claiming(tx, scope, claim));
}

interface Claim {
  operation: string;
  key: string;
  requestHash: string;
  /** Of a purchase. */
  orderId: string | null;
}

function claiming(
  tx: Tx,
  scope: { organisationId: string; userId: string },
  { operation, key, requestHash, orderId }: Claim,
) {
  return tx.insertInto('idempotency_keys').values({
    organisation_id: scope.organisationId,
    user_id: scope.userId,
    operation,
    key,
    request_hash: requestHash,
    status: null,
    reply: null,
    order_id: orderId,
  });
}

/** It travels with what the transaction asks next, or with its commit. */
function keepReply(
  tx: Tx,
  scope: { organisationId: string; userId: string },
  { operation, key, reply }: { operation: string; key: string; reply: unknown },
): Promise<void> {
  return later(
    tx,
    tx
      .updateTable('idempotency_keys')
      .set({ status: 200, reply: JSON.stringify(reply) })
      .where('organisation_id', '=', scope.organisationId)
      .where('user_id', '=', scope.userId)
      .where('operation', '=', operation)
      .where('key', '=', key),
  );
}

/**
 * Stores the reply that the same request will get again. The first one stays, and is returned: two requests under one key
 * may run side by side, and hear the same.
 */
export async function storeReply<T>(
  db: Db,
  scope: { organisationId: string },
  orderId: string,
  reply: T,
): Promise<T> {
  const stored = await inOneGo(db, scope, (tx) =>
    tx
      .updateTable('idempotency_keys')
      .set({ status: 200, reply: JSON.stringify(reply) })
      .where('organisation_id', '=', scope.organisationId)
      .where('order_id', '=', orderId)
      .where('status', 'is', null)
      .executeTakeFirstOrThrow(),
  );
  if (stored.numUpdatedRows > 0n) return reply;
  const first = await inReading(db, scope, (tx) =>
    tx
      .selectFrom('idempotency_keys')
      .select('reply')
      .where('organisation_id', '=', scope.organisationId)
      .where('order_id', '=', orderId)
      .executeTakeFirst(),
  );
  return first ? (first.reply as T) : reply;
}

/** Forgets stored replies that describe an erased customer. */
export async function forgetReplies(
  tx: Tx,
  scope: { organisationId: string },
  customerId: string,
): Promise<void> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('organisation_id', '=', scope.organisationId)
    .where('operation', '=', 'customers.create')
    .where(sql`reply ->> 'customerId'`, '=', customerId)
    .execute();
}

async function priorReply<T>(
  tx: Tx,
  scope: { organisationId: string; userId: string },
  operation: string,
  key: string,
  requestHash: string,
): Promise<T> {
  const known = await tx
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'reply'])
    .where('organisation_id', '=', scope.organisationId)
    .where('user_id', '=', scope.userId)
    .where('operation', '=', operation)
    .where('key', '=', key)
    .executeTakeFirst();
  if (known?.request_hash !== requestHash) throw new AppError('idempotency_key_reused');
  if (known.reply === null) throw new AppError('in_progress');
  return known.reply as T;
}
