import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  type Binaries,
  chownAll,
  findBinaries,
  ordinaryUser,
  placeFor,
  type UnixUser,
} from './embedded-place.ts';
import type { ServerComingUp } from './embedded-up.ts';
import { type DatabaseUrls, urlAs } from './logins.ts';

/** A PostgreSQL of our own under the data folder, for those who do not name one. */
export interface EmbeddedPostgres {
  /** Of the owner's login. */
  url: string;
  /** Of each of the three logins. */
  urls: DatabaseUrls;
  port: number;
  /** The folder that holds the cluster, and the user who runs it; null: this process's. */
  folder: string;
  user: UnixUser | null;
  /** The server ran already: the process that started it still needs it. */
  isTakenOver: boolean;
  /** Fast shutdown: running statements are cancelled, committed work is safe. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  /** Taken when free, else any. */
  port: number;
  /** false only for throw-away test clusters: no waiting for the disk. */
  durable: boolean;
  /** 100 when absent. */
  maxConnections?: number;
  onProgress?: (text: string) => void;
  /** The server has ended without having been stopped by us. */
  onEnd?: () => void;
  /** `makeReady`, by whom it shall be done; in this process when absent. It needs the database's driver. */
  makeReady?: (server: ServerComingUp, isAlive: () => boolean) => Promise<void>;
}

const login = 'nameward';
const usualConnections = 100;

/** Where the cluster of a data folder is, and who runs it: elsewhere when only root may enter that folder. */
export async function embeddedPlace(
  dataDir: string,
): Promise<{ folder: string; cluster: string; user: UnixUser | null }> {
  const { dataDir: folder, user } = await placeFor(await findBinaries(), dataDir, ordinaryUser());
  const cluster = join(folder, 'cluster');
  return { folder, cluster, user: runnerOf(cluster, user) };
}

/** Starts (or takes over) the cluster in `dataDir`. Throws an error fit to show when it cannot. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = await placeFor(await findBinaries(), options.dataDir, ordinaryUser());
  const { binaries, dataDir } = place;
  await mkdir(dataDir, { recursive: true });
  if (dataDir !== options.dataDir) {
    options.onProgress?.(`keeping the database in ${dataDir}, as only root may enter ${options.dataDir}`);
  }
  const cluster = join(dataDir, 'cluster');
  const user = runnerOf(cluster, place.user);
  const password = await passwordIn(dataDir, 'password');
  const passwords = {
    tenants: await passwordIn(dataDir, 'password.tenants'),
    system: await passwordIn(dataDir, 'password.system'),
  };
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    options.onProgress?.('creating the database cluster');
    await initialise({ binaries, dataDir, cluster, password, user, durable: options.durable });
  }
  const urlFor = (port: number) => `postgres://${login}:${password}@127.0.0.1:${port}/${login}`;
  const at = (port: number) => {
    const url = urlFor(port);
    const urls = {
      migration: url,
      tenants: urlAs(url, 'tenants', passwords.tenants),
      system: urlAs(url, 'system', passwords.system),
    };
    return { url, urls, port, folder: dataDir, user };
  };
  const makeReady = options.makeReady ?? (await import('./embedded-up.ts')).makeReady;
  const orphan = await runningServer(cluster);
  if (orphan) {
    // Left over from a start that was killed with -9. It is a healthy server on our data: take it over.
    options.onProgress?.('taking over the running database server');
    const stop = () => stopPid(orphan.pid);
    try {
      await makeReady({ url: urlFor(orphan.port), passwords }, () => isAlive(orphan.pid));
    } catch (error) {
      await stop();
      throw error;
    }
    return { ...at(orphan.port), isTakenOver: true, stop };
  }
  const port = await freePort(options.port);
  options.onProgress?.(`starting PostgreSQL on port ${port}`);
  const server = spawn(
    binaries.postgres,
    [
      ...['-D', cluster, '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1'],
      ...['-c', `unix_socket_directories=${options.durable ? '' : socketFolder(cluster)}`],
      ...[
        '-c',
        `max_connections=${options.maxConnections ?? usualConnections}`,
        '-c',
        'shared_buffers=64MB',
        '-c',
        'log_min_messages=warning',
      ],
      ...(options.durable
        ? []
        : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off']),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], ...(user ?? {}), detached: true },
  );
  let log = '';
  server.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4_000);
  });
  server.unref();
  const alive = () => server.exitCode === null && server.signalCode === null;
  try {
    await makeReady({ url: urlFor(port), passwords }, alive);
  } catch (error) {
    if (!alive()) throw new Error(`PostgreSQL did not start:\n${log}`, { cause: error });
    await stopChild(server);
    throw error;
  }
  const onEnd = () => options.onEnd?.();
  server.once('exit', onEnd);
  const stop = () => {
    server.off('exit', onEnd);
    return stopChild(server);
  };
  return { ...at(port), isTakenOver: false, stop };
}

/** A cluster runs under its owner, whichever user root would otherwise choose. */
function runnerOf(cluster: string, user: UnixUser | null): UnixUser | null {
  if (!existsSync(cluster)) return user;
  const { uid, gid } = statSync(cluster);
  if (user) return { uid, gid };
  if (process.getuid && uid !== process.getuid()) {
    throw new Error(
      `${cluster} belongs to another user (number ${uid}). Please start Nameward as that user.`,
    );
  }
  return null;
}

/** A login's password, made once and readable by the owner only. */
async function passwordIn(dataDir: string, name: string): Promise<string> {
  const file = join(dataDir, name);
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const password = randomBytes(24).toString('hex');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

/** Makes the cluster beside its place and moves it there when complete: a kill in between leaves nothing half made. */
async function initialise(options: {
  binaries: Binaries;
  dataDir: string;
  cluster: string;
  password: string;
  user: UnixUser | null;
  durable: boolean;
}): Promise<void> {
  const { dataDir, cluster, user } = options;
  const fresh = `${cluster}.new`;
  const passwordFile = join(dataDir, 'password.init');
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  await writeFile(passwordFile, options.password, { mode: 0o600 });
  await chmod(fresh, 0o700);
  if (user) {
    await chownAll(dataDir, user);
    await chmod(dataDir, 0o711);
  }
  const args = ['-D', fresh, '-U', login, '--encoding=UTF8', '--locale=C', '--auth=scram-sha-256'];
  if (!options.durable) args.push('--no-sync');
  await run(options.binaries.initdb, [...args, `--pwfile=${passwordFile}`], user);
  await rm(passwordFile, { force: true });
  await rename(fresh, cluster);
}

function run(command: string, args: string[], user: UnixUser | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(user ?? {}), cwd: '/' });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} failed:\n${output}`))));
  });
}

/** The server that runs on this cluster, by its pid file; null when there is none or the file is stale. */
async function runningServer(cluster: string): Promise<{ pid: number; port: number } | null> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, 'utf8').split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || !isAlive(pid)) return null;
  if (isServerOf(pid, cluster)) return { pid, port };
  // The number belongs to somebody else by now, as after a reboot: PostgreSQL would take that for a server of its own
  // and refuse to start. (The file of a process that is gone it replaces by itself.)
  await rm(file);
  return null;
}

/** Ends the server that runs on this cluster, in order; nothing when none does. */
export async function stopServerOf(cluster: string): Promise<void> {
  const server = await runningServer(cluster);
  if (server) await stopPid(server.pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A cluster of tests can be reached by a socket in its folder, too, where the path is short enough for one. */
function socketFolder(cluster: string): string {
  const longestPath = 100;
  const path = join(cluster, '.s.PGSQL.65535.lock');
  return process.platform !== 'win32' && Buffer.byteLength(path) <= longestPath ? cluster : '';
}

/** Whether a process is a PostgreSQL on this cluster, by its command line. */
function isServerOf(pid: number, cluster: string): boolean {
  if (process.platform === 'win32') return true;
  if (process.platform === 'linux') {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.includes(cluster);
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)])
    .stdout.toString()
    .includes(cluster);
}

/** The wanted port when it is free, else one that is. */
export async function freePort(wanted: number): Promise<number> {
  const attempt = (port: number) =>
    new Promise<number | null>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(null));
      probe.listen(port, '127.0.0.1', () => {
        const address = probe.address();
        probe.close(() => resolve(typeof address === 'object' && address ? address.port : null));
      });
    });
  const port = (await attempt(wanted)) ?? (await attempt(0));
  if (port === null) throw new Error('no free port on this machine');
  return port;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGQUIT'), 20_000);
  await ended;
  clearTimeout(timer);
}

async function stopPid(pid: number): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, 'SIGINT');
  for (let waitedMs = 0; isAlive(pid) && waitedMs < 20_000; waitedMs += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
}
