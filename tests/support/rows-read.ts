import { sql, type Tx } from '../../src/server/kernel/db/database.ts';

/** How many rows of a table this work reads, by the database's own count for the transaction. */
export async function rowsRead(tx: Tx, table: string, work: () => Promise<unknown>): Promise<number> {
  return (await readBy(tx, table, work)).rows;
}

interface Read {
  rows: number;
  /** Of indexes, that a search in them met: of two that are joined with each other, each entry counts. */
  entries: number;
  /** Of the table and its indexes: also those that a walk through an index passes by. */
  blocks: number;
}

/** The same, and what was read of its indexes. */
export async function readBy(tx: Tx, table: string, work: () => Promise<unknown>): Promise<Read> {
  const read = async (): Promise<Read> => {
    const { rows } = await sql<Read>`
      SELECT (coalesce(sum(t.seq_tup_read + t.idx_tup_fetch), 0))::int AS rows, i.entries,
        (i.blocks + pg_stat_get_xact_blocks_fetched(${table}::regclass))::int AS blocks
      FROM (SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid))::int AS entries,
          sum(pg_stat_get_xact_blocks_fetched(indexrelid))::int AS blocks
        FROM pg_index WHERE indrelid = ${table}::regclass) i
      LEFT JOIN pg_stat_xact_user_tables t ON t.relname = ${table} GROUP BY i.entries, i.blocks`.execute(tx);
    return rows[0] as Read;
  };
  const before = await read();
  await work();
  const after = await read();
  return {
    rows: after.rows - before.rows,
    entries: after.entries - before.entries,
    blocks: after.blocks - before.blocks,
  };
}
