import { later, sql, type Tx } from './database.ts';

/** Another caller with the same name waits until this transaction has ended; the next statement sees what it has left. */
export async function lockByName(tx: Tx, name: string): Promise<void> {
  await later(tx, sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}
