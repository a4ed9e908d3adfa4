import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { createDatabase } from '../src/server/kernel/db/database.ts';
import { ensureLogins, passwordsOf } from '../src/server/kernel/db/logins.ts';
import { migrate } from '../src/server/kernel/db/migrate.ts';
import { checkLedger } from '../src/server/ledger/check.ts';
import { openStream, sealStream, shortestSecret } from '../src/start/vault.ts';

/** What a backup says of itself. The sealing keys are named by their numbers; their secrets are not in it. */
const manifest = z.object({
  at: z.iso.datetime(),
  migrations: z.array(z.string()),
  sealKeys: z.array(z.string()),
  counts: z.record(z.string(), z.number()),
});
type Manifest = z.output<typeof manifest>;

interface Common {
  file: string;
  env: NodeJS.ProcessEnv;
  dataDir: string;
  say: (text: string) => void;
}

function settingsOf(env: NodeJS.ProcessEnv): { url: string; key: string; sealKeys: string[] } {
  const { DATABASE_MIGRATION_URL: url, BACKUP_KEY: key = '', SEAL_KEYS = '' } = env;
  if (!url) throw new Error('Please set DATABASE_MIGRATION_URL, the address of the database by its owner.');
  if (key.length < shortestSecret) {
    throw new Error(
      `Please set BACKUP_KEY to at least ${shortestSecret} characters (openssl rand -base64 32).`,
    );
  }
  const sealKeys = SEAL_KEYS.split(',').flatMap((entry) => /^\s*(\d+):/.exec(entry)?.[1] ?? []);
  return { url, key, sealKeys };
}

/** Runs a program of PostgreSQL to its end; what it complains about is the error. */
async function run(program: string, args: readonly string[], use?: (child: ChildProcess) => Promise<void>) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(-2_000);
  });
  const ended = new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  if (use) await Promise.all([use(child), ended]);
  else child.stdout.resume();
  const code = await ended;
  if (code !== 0) throw new Error(`${program} failed: ${complaint.trim()}`);
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

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function countsOf(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname IN ('public', 'graphile_worker') ORDER BY 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const { rows: counted } = await client.query<{ rows: number }>(
      `SELECT count(*)::float8 AS rows FROM ${name}`,
    );
    counts[name] = counted[0]?.rows ?? 0;
  }
  return counts;
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, one) => all + one, 0);

/** Dump, uploads and manifest of one moment, sealed, and proven by loading them. */
export async function createBackup({ file, env, dataDir, say }: Common) {
  const { url, key, sealKeys } = settingsOf(env);
  const target = resolve(file);
  const stage = await mkdtemp(join(dirname(target), '.backup-'));
  try {
    say('dumping the database');
    const said = await connected(url, async (client): Promise<Manifest> => {
      await requirePrograms(client);
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows } = await client.query<{ snapshot: string; at: Date }>(
        'SELECT pg_export_snapshot() AS snapshot, now() AS at',
      );
      const [moment] = rows;
      if (!moment) throw new Error('the database gave no snapshot');
      // The owner sees its rows by a policy (migrate.ts), not by standing above policies.
      await run('pg_dump', [
        ...['--format=custom', '--enable-row-security', `--snapshot=${moment.snapshot}`],
        ...[`--file=${join(stage, 'database')}`, `--dbname=${url}`],
      ]);
      const counts = await countsOf(client);
      const ran = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
      await client.query('COMMIT');
      return { at: moment.at.toISOString(), migrations: ran.rows.map(({ name }) => name), sealKeys, counts };
    });
    await writeFile(join(stage, 'manifest.json'), JSON.stringify(said));
    const uploads = join(dataDir, 'storage');
    await (existsSync(uploads)
      ? cp(uploads, join(stage, 'storage'), { recursive: true })
      : mkdir(join(stage, 'storage')));
    say('sealing it');
    const partial = `${target}.partial`;
    await run(
      'tar',
      ['-C', stage, '-cf', '-', 'manifest.json', 'database', 'storage'],
      async ({ stdout }) => {
        if (!stdout) throw new Error('tar writes nothing');
        const out = createWriteStream(partial, { mode: 0o600 });
        const written = new Promise<void>((done, failed) => out.once('close', done).once('error', failed));
        await Promise.all([sealStream(stdout, out, key), written]);
      },
    );
    const kept = await open(partial);
    await kept.sync();
    await kept.close();
    say('loading it into a scratch database');
    await verify(url, partial, key, said);
    await rename(partial, target);
    return {
      tables: Object.keys(said.counts).length,
      rows: sum(said.counts),
      uploads: await filesIn(join(stage, 'storage')),
      sealKeys,
    };
  } finally {
    await rm(stage, { recursive: true, force: true });
    await rm(`${target}.partial`, { force: true });
  }
}

async function filesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

/** Opens a backup into a folder of its own beside it. */
async function unpack(file: string, key: string): Promise<{ stage: string; said: Manifest }> {
  const stage = await mkdtemp(join(dirname(resolve(file)), '.restore-'));
  try {
    await run('tar', ['-C', stage, '-xf', '-'], async ({ stdin }) => {
      if (!stdin) throw new Error('tar reads nothing');
      stdin.on('error', () => undefined);
      try {
        await openStream(createReadStream(file), stdin, key);
      } catch (error) {
        stdin.destroy();
        throw error;
      }
    });
    const said = manifest.parse(JSON.parse(await readFile(join(stage, 'manifest.json'), 'utf8')));
    return { stage, said };
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    throw error;
  }
}

async function load(url: string, stage: string): Promise<void> {
  await run('pg_restore', [
    '--exit-on-error',
    '--single-transaction',
    `--dbname=${url}`,
    join(stage, 'database'),
  ]);
}

/** Each table has as many rows as it had, and the books add up. */
async function compare(url: string, said: Manifest): Promise<void> {
  const counts = await connected(url, countsOf);
  const differing = Object.keys({ ...said.counts, ...counts }).filter(
    (name) => said.counts[name] !== counts[name],
  );
  if (differing.length > 0) throw new Error(`other numbers of rows came back: ${differing.join(', ')}`);
  const db = createDatabase({ url, maxConnections: 1 });
  try {
    const faults = await checkLedger(db);
    if (faults.length > 0) throw new Error(`the ledger does not add up: ${faults[0]?.found}`);
  } finally {
    await db.destroy();
  }
}

async function verify(url: string, file: string, key: string, said: Manifest): Promise<void> {
  const name = `nameward_scratch_${randomBytes(4).toString('hex')}`;
  const scratch = new URL(url);
  scratch.pathname = `/${name}`;
  const { stage } = await unpack(file, key);
  try {
    await connected(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
    try {
      await load(scratch.href, stage);
      await compare(scratch.href, said);
    } finally {
      await connected(url, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    }
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Loads a backup, brings it up to this version, and puts the uploads in their place. */
export async function restoreBackup(options: Common & { replace: boolean; migrations: string }) {
  const { file, env, dataDir, say } = options;
  const { url, key, sealKeys } = settingsOf(env);
  say('opening the backup');
  const { stage, said } = await unpack(file, key);
  try {
    const missing = said.sealKeys.filter((number) => !sealKeys.includes(number));
    if (missing.length > 0) {
      throw new Error(`The backup is sealed with keys that SEAL_KEYS does not have: ${missing.join(', ')}`);
    }
    const known = new Set(await readdir(options.migrations));
    const newer = said.migrations.filter((name) => !known.has(name));
    if (newer.length > 0) throw new Error(`The backup is of a later version of the portal (${newer[0]}).`);
    const { DATABASE_URL: tenants, DATABASE_SYSTEM_URL: system } = env;
    const passwords = passwordsOf({ tenants, system });
    await connected(url, async (client) => {
      await requirePrograms(client);
      await makeEmpty(client, options.replace);
      await ensureLogins(client, passwords, { replace: false });
    });
    say('loading the database');
    await load(url, stage);
    await compare(url, said);
    await migrate(url, options.migrations, passwords);
    await cp(join(stage, 'storage'), join(dataDir, 'storage'), { recursive: true });
    const uploads = await filesIn(join(stage, 'storage'));
    return { at: said.at, tables: Object.keys(said.counts).length, rows: sum(said.counts), uploads };
  } finally {
    await rm(stage, { recursive: true, force: true });
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
