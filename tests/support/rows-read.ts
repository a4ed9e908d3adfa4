import { sql, type Tx } from '../../src/server/kernel/db/database.ts';

/** How many rows of a table this work reads, by the database's own count for the transaction. */
export async function rowsRead(tx: Tx, table: string, work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    const { rows } = await sql<{
      rows: number;
    }>`SELECT (coalesce(sum(seq_tup_read + idx_tup_fetch), 0))::int AS rows
      FROM pg_stat_xact_user_tables WHERE relname = ${table}`.execute(tx);
    return rows[0]?.rows ?? 0;
  };
  const before = await read();
  await work();
  return (await read()) - before;
}
