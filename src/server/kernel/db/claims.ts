import type { Clock } from '../clock.ts';
import { createFence, type Fence } from '../fence.ts';
import { newId } from '../ids.ts';
import { type Db, inReading, type RawBuilder, sql, type Tx } from './database.ts';
import { leftMsOf, sharedNow } from './time.ts';

/** Rows whose columns `claim` and `claimed_at` say who is at the provider for them. */
const places = {
  direct_charges: { key: 'id', claimed: { state: 'sending' } },
  direct_refunds: { key: 'item_id', claimed: { state: 'sending' } },
  topups: { key: 'id', claimed: { state: 'requested' } },
} as const;

/** A claim on a row. The next claim ends this one. */
export interface RowClaim {
  /** Takes it, in the transaction that writes the intent. */
  take(tx: Tx): Promise<void>;
  /** For what is sent under it. */
  fence: Fence;
  /** Whether it is still mine, in the transaction that writes down the answer. Locks the row. */
  isMine(tx: Tx): Promise<boolean>;
}

/** Make it before that transaction begins: `limitMs` counts from here to the end of the last call. */
export function claimOf(
  deps: { db: Db; clock: Clock; limitMs: number },
  row: { organisationId: string; table: keyof typeof places; id: string },
  /** What must hold besides, of the row: asked right before the wire, not of the answer, which counts whatever has changed. */
  onlyWhile: RawBuilder<boolean> = sql<boolean>`true`,
): RowClaim {
  const claim = newId();
  const { db, clock, limitMs } = deps;
  const { key, claimed } = places[row.table];
  const [table, id] = [sql.table(row.table), sql.ref(key)];
  const mine = sql`${id} = ${row.id} AND claim = ${claim} AND state = ${claimed.state}`;
  const question: RawBuilder<{ left: number }> = sql`
    SELECT ${leftMsOf(clock, sql.ref('claimed_at'), limitMs)} AS left FROM ${table} WHERE ${mine} AND ${onlyWhile}`;
  return {
    async take(tx) {
      await sql`UPDATE ${table} SET claim = ${claim}, claimed_at = ${sharedNow(clock)} WHERE ${id} = ${row.id}`.execute(
        tx,
      );
    },
    async isMine(tx) {
      const { rows } = await sql`SELECT FROM ${table} WHERE ${mine} FOR UPDATE`.execute(tx);
      return rows.length > 0;
    },
    fence: createFence({
      limitMs,
      leftMs: async () => {
        const { rows } = await inReading(db, row, (tx) => question.execute(tx));
        return Math.max(0, rows[0]?.left ?? 0);
      },
    }),
  };
}
