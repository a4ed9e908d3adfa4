import { sql, type Tx } from '../../src/server/kernel/db/database.ts';

/** How many rows of a table this work reads, by the database's own count for the transaction. */
export async function rowsRead(tx: Tx, table: string, work: () => Promise<unknown>): Promise<number> {
  return (await readBy(tx, table, work)).rows;
}

/** The same, and how many entries of the table's indexes: of two that are joined with each other, each entry counts. */
export async function readBy(
  tx: Tx,
  table: string,
  work: () => Promise<unknown>,
): Promise<{ rows: number; entries: number }> {
  const read = async () => {
    const { rows } = await sql<{ rows: number; entries: number }>`
      SELECT (coalesce(sum(seq_tup_read + idx_tup_fetch), 0))::int AS rows,
        (SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(indexrelid)), 0)::int FROM pg_index
          WHERE indrelid = ${table}::regclass) AS entries
      FROM pg_stat_xact_user_tables WHERE relname = ${table}`.execute(tx);
    return rows[0] ?? { rows: 0, entries: 0 };
  };
  const before = await read();
  await work();
  const after = await read();
  return { rows: after.rows - before.rows, entries: after.entries - before.entries };
}
