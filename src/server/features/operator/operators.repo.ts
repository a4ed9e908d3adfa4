import { type Db, sql, type Tx } from '#kernel/db/database.ts';

/** Written at most so often: reading a key is no reason to write each time. */
const staleMs = 60_000;

export function listOperators(tx: Tx) {
  return tx.selectFrom('operators').selectAll().orderBy('made_at').orderBy('id').execute();
}

/** Those whose key opens something. */
export async function countOperators(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('operators')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertOperator(
  tx: Tx,
  operator: { id: string; name: string; keyHash: Buffer; now: Date },
): Promise<void> {
  const { id, name, keyHash, now } = operator;
  await tx
    .insertInto('operators')
    .values({ id, name, key_hash: keyHash, made_at: now, last_used_at: null, ended_at: null })
    .execute();
}

/** Ends a living key; its person's name, or undefined when there is none. */
export async function endOperator(tx: Tx, id: string, now: Date): Promise<string | undefined> {
  const row = await tx
    .updateTable('operators')
    .set({ ended_at: now })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

export async function findOperator(db: Db, keyHash: Buffer, now: Date) {
  const row = await db
    .selectFrom('operators')
    .select(['id', 'name', 'last_used_at'])
    .where('key_hash', '=', keyHash)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  if (!row.last_used_at || now.getTime() - row.last_used_at.getTime() > staleMs) {
    await db.updateTable('operators').set({ last_used_at: now }).where('id', '=', row.id).execute();
  }
  return { id: row.id, name: row.name };
}

export async function insertAct(
  db: Db,
  act: { id: string; at: Date; operatorId: string | null; operator: string; address: string | null },
  what: { operation: string; input: unknown },
): Promise<void> {
  const { id, at, operatorId, operator, address } = act;
  const input = sql<unknown>`${JSON.stringify(what.input)}::jsonb`;
  await db
    .insertInto('operator_acts')
    .values({ id, at, operator_id: operatorId, operator, address, operation: what.operation, input })
    .execute();
}

export async function concludeAct(db: Db, id: string, outcome: string, now: Date): Promise<void> {
  await db.updateTable('operator_acts').set({ outcome, ended_at: now }).where('id', '=', id).execute();
}

export function listActs(db: Db, most: number) {
  return db
    .selectFrom('operator_acts')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
}
