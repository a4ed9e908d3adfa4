import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { embeddedPlace, startEmbedded } from '../../src/server/kernel/db/embedded.ts';
import { chownAll, type UnixUser } from '../../src/server/kernel/db/embedded-place.ts';
import { migrate } from '../../src/server/kernel/db/migrate.ts';
import { isRunning, readInstance, takeInstanceLock } from '../../src/start/instance-lock.ts';
import type { DatabaseSource } from './archive.ts';
import { compare, connected, countsOf, migrationsOf } from './contents.ts';
import { interrupted } from './unfinished.ts';

/**
 * The PostgreSQL that comes along, by a copy of its files: it has no program that dumps. The copy is made while the portal
 * works, as PostgreSQL's manual says of base backups (25.3.4, the low-level interface), and is then brought to rest by a server
 * of its own, so that a backup holds a cluster that was shut down in order.
 */
export async function ownCluster(dataDir: string): Promise<DatabaseSource> {
  const postgresDir = join(dataDir, 'postgres');
  const { folder, cluster, user } = await embeddedPlace(postgresDir);
  await mkdir(folder, { recursive: true });
  return {
    // Where the user who runs PostgreSQL may enter.
    stageIn: folder,
    async take(stage) {
      if (!existsSync(join(cluster, 'PG_VERSION'))) {
        throw new Error(
          `There is no database in ${folder}. Please set DATABASE_MIGRATION_URL, or DATA_DIR to the portal's data folder.`,
        );
      }
      const resting = join(stage, 'database');
      const at = await withServer(dataDir, (url) => copyRunning(url, { folder, cluster, resting }));
      await handOver(stage, user);
      const found = await withCopy(resting, (url) =>
        connected(url, async (client) => ({
          migrations: await migrationsOf(client),
          counts: await countsOf(client),
        })),
      );
      return { at, ...found, cluster: { version: await versionOf(join(resting, 'cluster')), platform } };
    },
    async prove(stage, said) {
      await handOver(stage, user);
      await withCopy(join(stage, 'database'), (url) => compare(url, said));
    },
    async putBack(stage, said, { replace, migrations, say }) {
      if (!said.cluster) {
        throw new Error('The backup is a dump: set DATABASE_MIGRATION_URL to the database that takes it.');
      }
      if (said.cluster.platform !== platform) {
        throw new Error(`The backup is of a ${said.cluster.platform}, and this machine is a ${platform}.`);
      }
      const lock = takeInstanceLock(dataDir);
      try {
        await requireStopped(cluster);
        if (existsSync(cluster) && !replace) {
          throw new Error('The database is not empty. With --replace, what is in it is put aside.');
        }
        await handOver(stage, user);
        await withCopy(join(stage, 'database'), async (url) => {
          await compare(url, said);
          await migrate(url, migrations);
          // The files are the same to the last number: only this tells the portal that the world has gone on. It comes
          // before the cluster is in its place, where a portal could start on it.
          await connected(url, async (client) => {
            await client.query("UPDATE database_place SET database = 'a backup'");
            await keepPassword(client, folder);
          });
        });
        interrupted.throwIfAborted();
        await putInPlace({ stage, folder, cluster, say });
      } finally {
        lock.release();
      }
    },
  };
}

/** Files of a cluster are one processor's and one system's. */
const platform = `${process.platform}-${process.arch}`;

const versionOf = async (cluster: string) => (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();

/** Of the running portal's server, or one for as long as this takes. */
async function withServer<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const portal = readInstance(dataDir);
  const lock = portal && isRunning(portal) ? null : takeInstanceLock(dataDir);
  try {
    const server = await startEmbedded({ dataDir: join(dataDir, 'postgres'), port: 0, durable: true });
    try {
      interrupted.throwIfAborted();
      return await work(server.url);
    } finally {
      if (!server.isTakenOver) await server.stop();
    }
  } finally {
    lock?.release();
  }
}

/** A server on a copy that is laid out like a data folder. It is shut down in order, whatever happens. */
async function withCopy<T>(resting: string, work: (url: string) => Promise<T>): Promise<T> {
  interrupted.throwIfAborted();
  const server = await startEmbedded({ dataDir: resting, port: 0, durable: true });
  try {
    interrupted.throwIfAborted();
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

async function handOver(stage: string, user: UnixUser | null): Promise<void> {
  await chmod(stage, 0o711);
  const resting = join(stage, 'database');
  await chmod(join(resting, 'cluster'), 0o700);
  if (user) await chownAll(resting, user);
}

const passwordFiles = ['password', 'password.tenants', 'password.system'];
/** Their contents are of a running server, or of nobody once it has stopped. */
const emptyFolders = [
  ...['pg_dynshmem', 'pg_notify', 'pg_replslot', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'],
  'pg_wal',
];
const leftOut =
  /^(?:postmaster\.(?:pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label.*|current_logfiles.*)$/;

/** Returns the moment from which on the copy may lack what was done. */
async function copyRunning(
  url: string,
  { folder, cluster, resting }: { folder: string; cluster: string; resting: string },
): Promise<string> {
  return connected(url, async (client) => {
    // It ends with the connection, and keeps what was written to the log since then.
    await client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [
      `nameward_backup_${process.pid}`,
    ]);
    const { rows } = await client.query<{ at: Date }>('SELECT clock_timestamp() AS at');
    const begun = await client.query<{ file: string }>(
      "SELECT pg_walfile_name(pg_backup_start('nameward', true)) AS file",
    );
    const target = join(resting, 'cluster');
    await copyFolder(cluster, target, (path) => !leftOut.test(path));
    const { label, file } = await endBackup(client);
    await writeFile(join(target, 'backup_label'), label);
    await copyLog(cluster, target, begun.rows[0]?.file ?? '', file);
    for (const name of passwordFiles) await copyFile(join(folder, name), join(resting, name));
    return (rows[0]?.at ?? new Date()).toISOString();
  });
}

/** The label that the copy gets, and the last file of the log that it needs. */
async function endBackup(client: pg.Client): Promise<{ label: string; file: string }> {
  const { rows } = await client.query<{ label: string; file: string }>(
    'SELECT labelfile AS label, pg_walfile_name(lsn) AS file FROM pg_backup_stop(false)',
  );
  const [row] = rows;
  if (!row?.label) throw new Error('the database did not end the backup');
  return row;
}

/** The control file last: it must not be newer than what it speaks of. Files that go away on the way are not missed. */
async function copyFolder(from: string, to: string, isWanted: (name: string) => boolean): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const entries = await readdir(from, { withFileTypes: true });
  const last = entries.filter(({ name }) => name === 'pg_control');
  for (const entry of [...entries.filter(({ name }) => name !== 'pg_control'), ...last]) {
    interrupted.throwIfAborted();
    if (!isWanted(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await (emptyFolders.includes(entry.name)
        ? mkdir(target, { recursive: true, mode: 0o700 })
        : copyFolder(source, target, isWanted));
    } else if (entry.isFile()) await copyFile(source, target).catch(unlessGone);
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

/** The write-ahead log from the beginning to the end; files that wait to be written are none of it. */
async function copyLog(cluster: string, target: string, first: string, last: string): Promise<void> {
  await mkdir(join(target, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 });
  await mkdir(join(target, 'pg_wal', 'summaries'), { recursive: true, mode: 0o700 });
  for (const name of await readdir(join(cluster, 'pg_wal'))) {
    const isSegment = /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last;
    if (!isSegment && !name.endsWith('.history')) continue;
    interrupted.throwIfAborted();
    await copyFile(join(cluster, 'pg_wal', name), join(target, 'pg_wal', name));
  }
}

async function requireStopped(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number((await readFile(file, 'utf8')).split('\n')[0]);
  if (isRunning({ pid, began: null })) {
    throw new Error(`The database server still runs (process ${pid}). Stop the portal first.`);
  }
}

/** What was there is kept beside it: a restore of the wrong file must not cost the right data. */
async function putInPlace(options: {
  stage: string;
  folder: string;
  cluster: string;
  say: (text: string) => void;
}): Promise<void> {
  const { stage, folder, cluster, say } = options;
  const resting = join(stage, 'database');
  const aside = `${cluster}.before-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`;
  const isReplaced = existsSync(cluster);
  if (isReplaced) await rename(cluster, aside);
  for (const name of passwordFiles) {
    if (!existsSync(join(folder, name))) await rename(join(resting, name), join(folder, name));
  }
  await rename(join(resting, 'cluster'), cluster);
  if (isReplaced) say(`the former database is kept in ${aside}: delete it when nobody needs it`);
}

/** The owner's login gets the password that is kept here, which opens the database that is put aside, too. */
async function keepPassword(client: pg.Client, folder: string): Promise<void> {
  const file = join(folder, 'password');
  if (!existsSync(file)) return;
  const password = (await readFile(file, 'utf8')).trim();
  await client.query(`ALTER ROLE CURRENT_USER PASSWORD ${client.escapeLiteral(password)}`);
}
