import pg from 'pg';
import { createDatabase } from '../../src/server/kernel/db/database.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import type { Manifest } from './manifest.ts';
import { interrupted } from './unfinished.ts';

/** What is in a database, for the backup and for what came back. */

const longestCheckMs = 6 * 3_600_000;

export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Rows of each table. */
export async function countsOf(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname IN ('public', 'graphile_worker') ORDER BY 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    interrupted.throwIfAborted();
    const { rows: counted } = await client.query<{ rows: number }>(
      `SELECT count(*)::float8 AS rows FROM ${name}`,
    );
    counts[name] = counted[0]?.rows ?? 0;
  }
  return counts;
}

export async function migrationsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
  return rows.map(({ name }) => name);
}

/** Each table has as many rows as it had, and the books add up. */
export async function compare(url: string, said: Pick<Manifest, 'counts'>): Promise<void> {
  const counts = await connected(url, countsOf);
  const differing = Object.keys({ ...said.counts, ...counts }).filter(
    (name) => said.counts[name] !== counts[name],
  );
  if (differing.length > 0) throw new Error(`other numbers of rows came back: ${differing.join(', ')}`);
  // One statement over the whole journal: however long that takes, it is no outage.
  const db = createDatabase({ url, maxConnections: 1, silenceMs: longestCheckMs });
  try {
    const faults = await checkLedger(db);
    if (faults.length > 0) throw new Error(`the ledger does not add up: ${faults[0]?.found}`);
  } finally {
    await db.destroy();
  }
}
