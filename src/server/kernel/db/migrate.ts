import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { ensureLogins, type LoginPasswords, logins } from './logins.ts';

/** One process migrates at a time; the number is arbitrary and ours. */
const advisoryLock = 7_263_940_115;

/**
 * Brings a database up to date: roles, job tables, then every `NNNN_name.sql` that has not run. Forward only; a file
 * that was changed after it ran is an error.
 *
 * @param url of the login that owns the schema; it may create roles, or they exist and it is a member of them
 * @param passwords for logins that cannot log in yet
 */
export async function migrate(
  url: string,
  directory: string,
  passwords: Partial<LoginPasswords> = {},
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true });
  // A connection that breaks between two statements fails the next one.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    await ensureRoles(client, passwords);
    await migrateJobTables(url);
    await openJobTables(client);
    await letOwnerSee(client);
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
      await letOwnerSee(client);
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

/**
 * The application's roles. Migrations hand some functions over to them, which takes membership: the owner may become
 * them, and they may not become the owner.
 */
async function ensureRoles(client: pg.Client, passwords: Partial<LoginPasswords>): Promise<void> {
  await ensureLogins(client, passwords, { replace: false });
  for (const role of Object.values(logins)) {
    const { rows } = await client.query<{ member: boolean }>(
      "SELECT pg_has_role(current_user, $1, 'MEMBER') AS member",
      [role],
    );
    if (!rows[0]?.member) await client.query(`GRANT ${role} TO CURRENT_USER`);
    await client.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
  }
}

/** Jobs are run by the system's login. The job tables have row-level security of their own, without policies. */
async function openJobTables(client: pg.Client): Promise<void> {
  const to = logins.system;
  await client.query(`
    GRANT USAGE ON SCHEMA graphile_worker TO ${to};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA graphile_worker TO ${to};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA graphile_worker TO ${to};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA graphile_worker TO ${to}`);
  await addPolicies(client, { schema: 'graphile_worker', policy: 'system', to, forced: false });
}

/**
 * Forced row-level security holds for the owner too. One that is no superuser would change no row in a migration, and
 * nobody would notice: a policy of its own lets it see what it owns.
 */
async function letOwnerSee(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; free: boolean }>(
    'SELECT quote_ident(rolname) AS name, rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = current_user',
  );
  const [owner] = rows;
  if (!owner || owner.free) return;
  await addPolicies(client, { schema: 'public', policy: 'migration', to: owner.name, forced: true });
}

/** The same policy, "all rows", on each table of a schema that has row-level security and no such policy yet. */
async function addPolicies(
  client: pg.Client,
  wanted: { schema: string; policy: string; to: string; forced: boolean },
): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT c.oid::regclass::text AS table FROM pg_class c
     WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND c.relrowsecurity
       AND (c.relforcerowsecurity OR NOT $3::boolean) AND pg_has_role(c.relowner, 'MEMBER')
       AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = $2)`,
    [wanted.schema, wanted.policy, wanted.forced],
  );
  for (const { table } of rows) {
    await client.query(
      `CREATE POLICY ${wanted.policy} ON ${table} TO ${wanted.to} USING (true) WITH CHECK (true)`,
    );
  }
}
