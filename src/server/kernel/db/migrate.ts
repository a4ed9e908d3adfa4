import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';

/** One process migrates at a time; the number is arbitrary and ours. */
const advisoryLock = 7_263_940_115;

/**
 * Brings a database up to date: roles, job tables, then every `NNNN_name.sql` that has not run. Forward only; a file
 * that was changed after it ran is an error. `url` is of a login that may create roles (or for which they exist).
 */
export async function migrate(url: string, directory: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true });
  // A connection that breaks between two statements fails the next one.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    await ensureRoles(client);
    await migrateJobTables(url);
    await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
    const applied = await client.query<{ name: string; checksum: string }>(
      'SELECT name, checksum FROM schema_migrations',
    );
    const known = new Map(applied.rows.map((row) => [row.name, row.checksum]));
    const done: string[] = [];
    for (const name of (await readdir(directory)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort()) {
      const text = await readFile(join(directory, name), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      const before = known.get(name);
      if (before === checksum) continue;
      if (before) throw new Error(`migration ${name} was changed after it had run`);
      await apply(client, name, checksum, text);
      done.push(name);
    }
    return done;
  } finally {
    await client.end();
  }
}

/** With a pool of our own, so that none of its connections outlives this call. */
async function migrateJobTables(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool: pool });
  } finally {
    await pool.end();
  }
}

async function apply(client: pg.Client, name: string, checksum: string, text: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(text);
    await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

/** The application's roles own nothing and log in through the given login (`SET ROLE`). */
async function ensureRoles(client: pg.Client): Promise<void> {
  for (const role of ['nameward_app', 'nameward_system']) {
    await client.query(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} NOLOGIN NOINHERIT; END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
    await client.query(`GRANT ${role} TO CURRENT_USER`);
    await client.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
  }
}
