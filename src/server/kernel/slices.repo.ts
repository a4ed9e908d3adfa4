import { sql, type Tx } from './db/database.ts';
import { sliceAt } from './slices.rules.ts';

/** The organizations whose turn it is. Runs across tenants. */
export async function organisationsAt(tx: Tx, now: Date): Promise<{ ids: string[]; isAll: boolean }> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM organisations ORDER BY id`.execute(tx);
  const ids = sliceAt(
    rows.map(({ id }) => id),
    now,
  );
  return { ids, isAll: ids.length === rows.length };
}
