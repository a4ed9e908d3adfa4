import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { newId } from '../ids.ts';
import { sql } from './database.ts';
import { checkDatabase } from './login-check.ts';
import { urlAs } from './logins.ts';
import { migrate } from './migrate.ts';

let database: TestDatabase;
const mine = newId();
const theirs = newId();
beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of [mine, theirs]) {
    await database.systemDb.insertInto('organisations').values({ id, name: 'Somebody' }).execute();
  }
});
afterAll(() => database.close());

async function connected<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** What somebody might slip into a statement to become more than the connection is. */
const attempts = [
  ...[
    'SET ROLE NONE',
    'RESET ROLE',
    'SET ROLE nameward_system',
    'SET ROLE nameward_app',
    'SET ROLE nameward',
  ],
  ...['SET LOCAL ROLE nameward_system', 'SET SESSION AUTHORIZATION DEFAULT', 'RESET SESSION AUTHORIZATION'],
  ...['SET SESSION AUTHORIZATION nameward', 'SET SESSION AUTHORIZATION nameward_system'],
  ...[
    "SELECT set_config('role', 'none', false)",
    "SELECT set_config('session_authorization', 'nameward', false)",
  ],
  ...['RESET ALL', 'DISCARD ALL', 'SET row_security = off', 'ALTER ROLE nameward_app BYPASSRLS'],
  ...[
    'ALTER ROLE nameward_app SUPERUSER',
    'GRANT nameward_system TO nameward_app',
    'GRANT nameward TO CURRENT_USER',
  ],
  ...[
    'ALTER TABLE organisations DISABLE ROW LEVEL SECURITY',
    'ALTER TABLE organisations OWNER TO CURRENT_USER',
  ],
  ...['DROP POLICY tenant ON organisations', 'CREATE POLICY all_rows ON organisations USING (true)'],
  ...[
    'CREATE FUNCTION f() RETURNS int LANGUAGE sql SECURITY DEFINER AS $$ SELECT 1 $$',
    "COPY (SELECT 1) TO PROGRAM 'id'",
  ],
  ...["SELECT pg_read_file('/etc/passwd')", 'SELECT * FROM pg_authid', 'TRUNCATE audit_log'],
];

test.each([
  ['tenants', 'nameward_app'],
  ['system', 'nameward_system'],
] as const)(
  'nothing slipped into a statement of the pool for %s makes its login more than it is',
  async (login, name) => {
    for (const attempt of attempts) {
      await connected(database.urls[login], async (client) => {
        await client.query(attempt).catch(() => undefined);
        const { rows } = await client.query(
          `SELECT current_user AS now, session_user AS came, rolsuper OR rolbypassrls AS raised
         FROM pg_roles WHERE rolname = current_user`,
        );
        expect([attempt, rows]).toEqual([attempt, [{ now: name, came: name, raised: false }]]);
        const seen = await client
          .query('SELECT id FROM organisations')
          .catch((error: Error) => ({ rows: error.message }));
        const foreign = Array.isArray(seen.rows) && seen.rows.length > 0;
        if (login === 'tenants') expect([attempt, foreign]).toEqual([attempt, false]);
        // What no login of the portal may do, whatever was tried before.
        await expect(client.query('DELETE FROM audit_log')).rejects.toMatchObject({ code: '42501' });
        await expect(client.query('SELECT * FROM schema_migrations')).rejects.toMatchObject({
          code: '42501',
        });
      });
    }
  },
);

test('the start refuses logins that are mixed up or too strong, and says what to set', async () => {
  const { tenants, system } = database.urls;
  const options = { preparedStatements: true, runsJobs: true, waitMs: 0 };
  const check = (urls: Partial<{ tenants: string; system: string; direct: string | null }>) =>
    checkDatabase({ tenants, system, direct: null, ...urls }, options);
  await check({});
  await check({ direct: system });
  await expect(check({ tenants: database.url })).rejects.toThrow('DATABASE_URL logs in as "nameward"');
  await expect(check({ tenants: system })).rejects.toThrow('DATABASE_URL logs in as "nameward_system"');
  await expect(check({ system: tenants })).rejects.toThrow('DATABASE_SYSTEM_URL logs in as "nameward_app"');
  await expect(check({ direct: database.url })).rejects.toThrow('DATABASE_DIRECT_URL logs in as "nameward"');
  const wrong = urlAs(system, 'system', 'not-the-password');
  const refused = await check({ system: wrong }).catch((error: Error) => error.message);
  expect(refused).toContain('DATABASE_SYSTEM_URL (nameward_system@127.0.0.1');
  expect(refused).not.toContain('not-the-password');
});

test('the portal’s role as a parameter of the connection is of no use: the login decides', async () => {
  const url = new URL(database.urls.tenants);
  url.searchParams.set('options', '-c role=nameward_system');
  await expect(connected(url.href, (client) => client.query('SELECT 1'))).rejects.toThrow();
});

/** An owner as a managed database gives one: no superuser, and held by forced row-level security like anybody else. */
test('an owner that is no superuser migrates everything, sees what it owns, and the two logins can be used', async () => {
  const name = `owner_${randomBytes(4).toString('hex')}`;
  const cluster = inject('clusterUrl');
  await connected(cluster, async (client) => {
    await client.query(`CREATE ROLE ${name} LOGIN PASSWORD 'pw'`);
    await client.query(`GRANT nameward_app, nameward_system TO ${name}`);
    await client.query(`CREATE DATABASE ${name} OWNER ${name}`);
  });
  const url = new URL(cluster);
  Object.assign(url, { username: name, password: 'pw', pathname: `/${name}` });
  const passwords = inject('loginPasswords');
  const urls = {
    tenants: urlAs(url.href, 'tenants', passwords.tenants),
    system: urlAs(url.href, 'system', passwords.system),
  };
  try {
    const files = await migrate(url.href, join(import.meta.dirname, '../../../../migrations'));
    expect(files.length).toBeGreaterThan(20);
    await checkDatabase({ ...urls, direct: null }, { preparedStatements: true, runsJobs: true, waitMs: 0 });
    await connected(urls.system, (client) =>
      client.query("INSERT INTO organisations (id, name) VALUES ($1, 'Somebody')", [mine]),
    );
    const changed = await connected(url.href, (client) =>
      client.query("UPDATE organisations SET name = 'Changed'"),
    );
    expect(changed.rowCount).toBe(1);
    const enqueued = await connected(urls.tenants, (client) =>
      client.query("SELECT enqueue_job('x', '{}', NULL, NULL, 1, NULL)"),
    );
    expect(enqueued.rowCount).toBe(1);
    const jobs = await connected(urls.system, (client) =>
      client.query('SELECT id FROM graphile_worker._private_jobs'),
    );
    expect(jobs.rowCount).toBe(1);
    await expect(
      connected(urls.tenants, (client) => client.query('SELECT id FROM graphile_worker._private_jobs')),
    ).rejects.toMatchObject({ code: '42501' });
  } finally {
    await connected(cluster, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await client.query(`DROP OWNED BY ${name}`);
      await client.query(`DROP ROLE ${name}`);
    });
  }
});

test('a login that exists keeps its password, and its limits; one that cannot log in yet gets both', async () => {
  const { rows } = await sql<{ name: string; kept: string[] }>`
    SELECT rolname AS name, setconfig AS kept FROM pg_roles JOIN pg_db_role_setting ON setrole = pg_roles.oid
    WHERE rolname IN ('nameward_app', 'nameward_system') AND setdatabase = 0 ORDER BY 1`.execute(
    database.systemDb,
  );
  expect(rows.map(({ kept }) => kept.length)).toEqual([2, 2]);
  await migrate(database.url, join(import.meta.dirname, '../../../../migrations'), {
    tenants: 'another',
    system: 'another',
  });
  await connected(database.urls.tenants, (client) => client.query('SELECT 1'));
});
