import { sql, type Tx } from './database.ts';

/** Another caller with the same name waits until this transaction has ended. */
export async function lockByName(tx: Tx, name: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}
