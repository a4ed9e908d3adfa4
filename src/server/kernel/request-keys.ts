import { AppError } from '#contracts/errors.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { Clock } from './clock.ts';
import { type Db, sql, systemTransaction, type Tx } from './db/database.ts';
import { hashOf, newId } from './ids.ts';
import type { Seal } from './seal.ts';
import { type SealedPlace, sealedColumn, tookOne } from './sealed-places.ts';

/** A request that its caller may send again with the same Idempotency-Key (decisions no. 9). */
export interface KeyedRequest {
  organisationId: string | null;
  /** Whose key it is: the same key of somebody else is another. */
  caller: string;
  operation: string;
  key: string;
  /** What was asked for, and by whom as what; the same key with other contents is refused. */
  contents: unknown;
}

/** What was answered, to the letter. */
export interface KeptReply {
  status: number;
  body: string;
}

export interface RequestKeys {
  /** The reply that was kept for this request, or an id under which its first answer is to be kept. */
  begin(request: KeyedRequest): Promise<{ kept: KeptReply } | { id: string }>;
  keep(id: string, reply: KeptReply): Promise<void>;
  /** Nothing happened: the same request may be sent again. */
  free(id: string): Promise<void>;
}

/**
 * No request runs longer; whose key is still without a reply then was cut off. A change of a zone waits for its lease (25 s), reads (15 s),
 * waits for its turn and writes (65 s) and reads back (15 s), and each asks the database besides: this is more than twice that. Its caller
 * was answered before (`answeredWithinMs`), while it still runs.
 */
const longestRequest = sql`interval '5 minutes'`;
const askAgainSeconds = 2;
const contextOf = (id: string) => `request:${id}`;

export function createRequestKeys(deps: { systemDb: Db; seal: Seal }): RequestKeys {
  const { systemDb, seal } = deps;

  /** null: it was freed in between. */
  async function priorOf(request: KeyedRequest, hash: string): Promise<KeptReply | null> {
    const { rows } = await sql<{
      id: string;
      request_hash: string;
      reply_sealed: Buffer | null;
      runs: boolean;
    }>`
      SELECT id, request_hash, reply_sealed, created_at > now() - ${longestRequest} AS runs FROM request_keys
      WHERE caller = ${request.caller} AND operation = ${request.operation} AND key = ${request.key}`.execute(
      systemDb,
    );
    const [prior] = rows;
    if (!prior) return null;
    if (prior.request_hash !== hash) throw new AppError('idempotency_key_reused');
    if (prior.reply_sealed) {
      return JSON.parse(seal.open(prior.reply_sealed, contextOf(prior.id))) as KeptReply;
    }
    if (prior.runs) throw new AppError('in_progress', { retryAfterSeconds: askAgainSeconds });
    throw new AppError('request_cut_off');
  }

  return {
    async begin(request) {
      const { organisationId, caller, operation, key, contents } = request;
      // The key is part of it: what is asked for may hold secrets that could be guessed from their hash.
      const hash = hashOf({ caller, key, contents });
      for (;;) {
        const id = newId();
        const { numInsertedOrUpdatedRows } = await systemDb
          .insertInto('request_keys')
          .values({
            ...{ id, organisation_id: organisationId, caller, operation, key },
            ...{ request_hash: hash, reply_sealed: null },
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 1n) return { id };
        const kept = await priorOf(request, hash);
        if (kept) return { kept };
      }
    },
    async keep(id, reply) {
      await systemDb
        .updateTable('request_keys')
        .set({ reply_sealed: seal.seal(JSON.stringify(reply), contextOf(id)) })
        .where('id', '=', id)
        .execute();
    },
    async free(id) {
      await systemDb
        .deleteFrom('request_keys')
        .where('id', '=', id)
        .where('reply_sealed', 'is', null)
        .execute();
    },
  };
}

const keptMs = 30 * dayMs;

/**
 * Keys end after 30 days, and counts of rate limits a day after the last call. The key of an order that has not ended stays:
 * its repeat must find that order.
 */
export async function forgetOldKeys(systemDb: Db, clock: Clock): Promise<void> {
  const before = new Date(clock.now().getTime() - keptMs);
  await systemTransaction(systemDb, async (tx) => {
    await tx.deleteFrom('request_keys').where('created_at', '<', before).execute();
    await tx
      .deleteFrom('idempotency_keys as k')
      .where('k.created_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('orders as o')
              .select('o.id')
              .whereRef('o.id', '=', 'k.order_id')
              .where('o.state', 'in', ['held', 'running']),
          ),
        ),
      )
      .execute();
    // Who has not called for a day meets whole limits: no row says the same.
    await tx
      .deleteFrom('rate_windows')
      .where('window_start', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
      .execute();
  });
}

/** Kept replies are sealed and cannot be searched: an erasure in an organisation takes all of its. */
export async function forgetKeptReplies(tx: Tx, scope: { organisationId: string }): Promise<void> {
  await tx
    .deleteFrom('request_keys')
    .where('organisation_id', '=', scope.organisationId)
    .where('reply_sealed', 'is not', null)
    .execute();
}

export function sealedReplies(systemDb: Db): SealedPlace {
  return sealedColumn(systemDb, {
    name: 'request_keys.reply_sealed',
    // Callers of no organisation stand together in front.
    table: sql`(SELECT id, coalesce(organisation_id, '00000000-0000-0000-0000-000000000000') AS organisation_id,
      reply_sealed FROM request_keys) kept`,
    column: sql.ref('reply_sealed'),
    id: sql`id::text`,
    contexts: ({ id }) => [contextOf(id)],
    replace: async ({ id }, former, reply_sealed) =>
      tookOne(
        await systemDb
          .updateTable('request_keys')
          .set({ reply_sealed })
          .where('id', '=', id)
          .where('reply_sealed', '=', former)
          .executeTakeFirstOrThrow(),
      ),
  });
}
