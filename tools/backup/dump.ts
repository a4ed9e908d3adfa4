import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import type pg from 'pg';
import { ensureLogins, passwordsOf } from '../../src/server/kernel/db/logins.ts';
import { migrate } from '../../src/server/kernel/db/migrate.ts';
import type { DatabaseSource } from './archive.ts';
import { compare, connected, countsOf, migrationsOf } from './contents.ts';
import { run } from './programs.ts';

/** A program at a database. The password goes by the environment: everybody on the machine can read the arguments of a program. */
function runAt(program: string, address: string, args: readonly string[]): Promise<void> {
  const url = new URL(address);
  const password = decodeURIComponent(url.password);
  url.password = '';
  return run(
    program,
    [`--dbname=${url.href}`, ...args],
    undefined,
    password === '' ? {} : { PGPASSWORD: password },
  );
}

/** A database that the settings name, by PostgreSQL's own dump. */
export function dumpOf(url: string, env: NodeJS.ProcessEnv, file: string): DatabaseSource {
  const load = (address: string, stage: string) =>
    runAt('pg_restore', address, [...['--exit-on-error', '--single-transaction'], join(stage, 'database')]);
  return {
    stageIn: dirname(resolve(file)),
    take: (stage) =>
      connected(url, async (client) => {
        await requirePrograms(client);
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const { rows } = await client.query<{ snapshot: string; at: Date }>(
          'SELECT pg_export_snapshot() AS snapshot, now() AS at',
        );
        const [moment] = rows;
        if (!moment) throw new Error('the database gave no snapshot');
        // The owner sees its rows by a policy (migrate.ts), not by standing above policies.
        await runAt('pg_dump', url, [
          ...['--format=custom', '--enable-row-security', `--snapshot=${moment.snapshot}`],
          `--file=${join(stage, 'database')}`,
        ]);
        const counts = await countsOf(client);
        const migrations = await migrationsOf(client);
        await client.query('COMMIT');
        return { at: moment.at.toISOString(), migrations, counts, cluster: null };
      }),
    async prove(stage, said) {
      const name = `nameward_scratch_${randomBytes(4).toString('hex')}`;
      const scratch = new URL(url);
      scratch.pathname = `/${name}`;
      await connected(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
      try {
        await load(scratch.href, stage);
        await compare(scratch.href, said);
      } finally {
        await connected(url, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
      }
    },
    async putBack(stage, said, { replace, migrations }) {
      if (said.cluster) {
        throw new Error(
          'The backup is of the PostgreSQL that comes along: restore it without DATABASE_MIGRATION_URL.',
        );
      }
      const { DATABASE_URL: tenants, DATABASE_SYSTEM_URL: system } = env;
      const passwords = passwordsOf({ tenants, system });
      await connected(url, async (client) => {
        await requirePrograms(client);
        await makeEmpty(client, replace);
        await ensureLogins(client, passwords, { replace: false });
      });
      await load(url, stage);
      await compare(url, said);
      await migrate(url, migrations, passwords);
    },
  };
}

/** The programs dump servers of their own version and of earlier ones. */
async function requirePrograms(client: pg.Client): Promise<void> {
  const said = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  if (said.error) {
    throw new Error('pg_dump and pg_restore are missing. On Debian: apt-get install postgresql-client');
  }
  const ours = Number(/(\d+)/.exec(said.stdout)?.[1]);
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int / 10000 AS version",
  );
  const server = rows[0]?.version ?? 0;
  if (ours < server) {
    throw new Error(
      `pg_dump is of version ${ours}, and the server of ${server}: install postgresql-client-${server}.`,
    );
  }
}

async function makeEmpty(client: pg.Client, replace: boolean): Promise<void> {
  const { rows } = await client.query<{ tables: number }>(
    "SELECT count(*)::int AS tables FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace",
  );
  if ((rows[0]?.tables ?? 0) === 0) return;
  if (!replace) throw new Error('The database is not empty. With --replace, what is in it goes.');
  await client.query('DROP SCHEMA IF EXISTS graphile_worker CASCADE');
  await client.query('DROP SCHEMA public CASCADE');
  await client.query('CREATE SCHEMA public');
}
