import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { chownAll, ordinaryUser } from '../../src/server/kernel/db/embedded-place.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { freePort } from '../support/stack.ts';
import { end, start } from './program.ts';

/**
 * Two PostgreSQL servers of Debian's, a primary and its standby, and who promotes: in production that is Patroni's or a managed
 * service's work. When the primary ends, what is left of it is ended, the standby is promoted, and the former primary becomes
 * its standby by a copy.
 */
export interface Pair {
  ports: readonly number[];
  password: string;
  primary(): Server;
  standby(): Server;
  /** Whether the standby may be promoted: it has every commit, or need not have it. */
  isSafe(): boolean;
  promotions(): number;
  /** Whether the standby has what has been committed until now. */
  isCaughtUp(): Promise<boolean>;
  /** Nothing reaches the standby while it is silent: what is committed then is lost with the primary. */
  stopReplication(): void;
  stop(): Promise<void>;
}

export interface Server {
  name: string;
  port: number;
  kill(): void;
}

interface Own extends Server {
  dir: string;
  /** By which the other one copies it, and follows it. */
  relay: Relay;
  running: ReturnType<typeof start> | null;
}

const owner = 'nameward';
const lookEveryMs = 100;
/** Which PostgreSQL of this machine: the newest that Debian has installed. */
const home = '/usr/lib/postgresql';

export function programsOfPostgres(): string | null {
  const versions = existsSync(home) ? readdirSync(home).filter((name) => /^\d+$/.test(name)) : [];
  const newest = versions
    .sort((a, b) => Number(b) - Number(a))
    .find((name) => existsSync(join(home, name, 'bin/initdb')));
  return newest ? join(home, newest, 'bin') : null;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Of the primary. A standby that is lost makes it synchronous no more, until the standby is back and has everything. */
const settings = (port: number) => [
  ...['-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
  ...['-c', 'max_connections=200', '-c', 'shared_buffers=128MB', '-c', 'wal_keep_size=512MB'],
  ...['-c', 'log_min_messages=warning'],
];

export async function startPair(options: {
  dir: string;
  synchronous: boolean;
  say(text: string): void;
}): Promise<Pair> {
  const { dir, synchronous, say } = options;
  const bin = programsOfPostgres() ?? '';
  const user = ordinaryUser();
  const password = randomBytes(16).toString('hex');
  const run = (program: string, args: readonly string[]) =>
    promisify(execFile)(join(bin, program), args, {
      ...user,
      cwd: '/',
      env: { ...process.env, PGPASSWORD: password },
    });
  const urlOf = ({ port }: { port: number }, database = 'postgres') =>
    `postgres://${owner}:${password}@127.0.0.1:${port}/${database}`;

  const servers: Own[] = [];
  for (const name of ['one', 'two']) {
    const own: Own = {
      ...{ name, port: await freePort(), dir: join(dir, name), running: null },
      relay: null as unknown as Relay,
      kill() {
        own.running?.child.kill('SIGKILL');
        endAll(own);
      },
    };
    own.relay = await startRelay(urlOf(own));
    servers.push(own);
  }
  let [primary, standby] = servers as [Own, Own];
  let safe = false;
  let isStopping = false;
  let promotions = 0;

  async function ask<T extends object>(server: Own, statement: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: urlOf(server), connectionTimeoutMillis: 10_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<T>(statement)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function until(what: string, right: () => Promise<boolean>): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
      if (await right().catch(() => false)) return;
      if (isStopping) throw new Error(`stopped while waiting: ${what}`);
      if (waitedMs > 120_000) throw new Error(`${what}: not within two minutes`);
      await pause(lookEveryMs);
    }
  }

  function launch(server: Own): void {
    const running = start({
      ...{
        name: server.name,
        path: join(bin, 'postgres'),
        args: ['-D', server.dir, ...settings(server.port)],
      },
      ...{ log: join(dir, `postgres-${server.name}.log`), user },
    });
    server.running = running;
    void running.ended.then(async () => {
      if (isStopping || server.running !== running) return;
      await (server === primary ? lostPrimary() : lostStandby()).catch((error: unknown) => {
        if (!isStopping) say(`the servers of the database need a person: ${error}`);
      });
    });
  }

  /** Its backends may outlive it for a moment, and one of them could still acknowledge a commit. */
  async function endRest(server: Own): Promise<void> {
    await until(`the rest of ${server.name}`, async () => endAll(server) === 0);
  }

  async function lostPrimary(): Promise<void> {
    if (!safe) {
      say(`the primary ${primary.name} ended while no standby was up to it: it is started again`);
      await endRest(primary);
      await rm(join(primary.dir, 'postmaster.pid'), { force: true });
      launch(primary);
      return;
    }
    safe = false;
    await endRest(primary);
    const former = primary;
    [primary, standby] = [standby, primary];
    former.relay.cut();
    former.relay.become('open');
    await ask(primary, 'ALTER SYSTEM RESET synchronous_standby_names').catch(() => undefined);
    await until('a promoted server', async () => {
      const [row] = await ask<{ standby: boolean }>(primary, 'SELECT pg_is_in_recovery() AS standby');
      if (row?.standby) await ask(primary, 'SELECT pg_promote()');
      return row?.standby === false;
    });
    promotions += 1;
    say(`${primary.name} was promoted; ${former.name} becomes its standby`);
    await noStandby();
    await becomeStandby(former);
  }

  async function lostStandby(): Promise<void> {
    safe = false;
    say(`the standby ${standby.name} ended: it is started again`);
    await noStandby();
    await endRest(standby);
    await rm(join(standby.dir, 'postmaster.pid'), { force: true });
    launch(standby);
    await follow();
  }

  /** Commits wait for nobody. */
  const noStandby = () =>
    until('a primary without a standby', async () => {
      await ask(primary, 'ALTER SYSTEM RESET synchronous_standby_names');
      await ask(primary, 'SELECT pg_reload_conf()');
      return true;
    });

  async function becomeStandby(server: Own): Promise<void> {
    server.running = null;
    await rm(server.dir, { recursive: true, force: true });
    const from = `host=127.0.0.1 port=${new URL(primary.relay.url).port} user=${owner} password=${password}`;
    await run('pg_basebackup', ['-d', from, '-D', server.dir, '-R', '-X', 'stream', '-c', 'fast']);
    launch(server);
    await follow();
  }

  /** Until the standby has everything; then commits wait for it, and it may be promoted. */
  async function follow(): Promise<void> {
    const state = () =>
      ask<{ state: string; sync: string; behind: boolean }>(
        primary,
        `SELECT state, sync_state AS sync, flush_lsn < pg_current_wal_flush_lsn() AS behind FROM pg_stat_replication
         WHERE application_name <> 'pg_basebackup'`,
      );
    await until('a standby that follows', async () =>
      (await state()).some((one) => one.state === 'streaming'),
    );
    if (synchronous) {
      await ask(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await ask(primary, 'SELECT pg_reload_conf()');
      await until('a synchronous standby', async () => (await state()).some(({ sync }) => sync === 'sync'));
      // What was committed before it counted has to be there, too.
      const [now] = await ask<{ lsn: string }>(primary, 'SELECT pg_current_wal_flush_lsn()::text AS lsn');
      await until('a standby with every commit', async () => {
        const [reached] = await ask<{ has: boolean }>(
          primary,
          `SELECT bool_or(flush_lsn >= '${now?.lsn}') AS has FROM pg_stat_replication`,
        );
        return reached?.has === true;
      });
    }
    safe = true;
  }

  const passwordFile = join(dir, 'password');
  await mkdir(primary.dir, { recursive: true });
  await writeFile(passwordFile, password);
  if (user) await chownAll(dir, user);
  await run('initdb', [
    '-D',
    primary.dir,
    '-U',
    owner,
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  ]);
  const access = join(primary.dir, 'pg_hba.conf');
  // haproxy asks which of them is the primary. This login may do nothing else.
  await writeFile(
    access,
    `host postgres haproxy_check 127.0.0.1/32 trust\n${await readFile(access, 'utf8')}`,
  );
  launch(primary);
  await until('the first server', async () => {
    await ask(primary, 'SELECT 1');
    return true;
  });
  await ask(primary, 'CREATE ROLE haproxy_check LOGIN CONNECTION LIMIT 10');
  await ask(primary, 'CREATE DATABASE nameward');
  await becomeStandby(standby);

  return {
    ports: servers.map(({ port }) => port),
    ...{ password, primary: () => primary, standby: () => standby },
    isSafe: () => safe,
    promotions: () => promotions,
    async isCaughtUp() {
      const [row] = await ask<{ has: boolean | null }>(
        primary,
        'SELECT bool_and(flush_lsn >= pg_current_wal_flush_lsn()) AS has FROM pg_stat_replication',
      );
      return row?.has === true;
    },
    stopReplication: () => primary.relay.become('silent'),
    async stop() {
      isStopping = true;
      for (const server of [primary, standby]) {
        if (server.running) await end(server.running, 'SIGINT');
        await server.relay[Symbol.asyncDispose]();
      }
    },
  };
}

/** As when its machine is lost. Returns how many processes there were. */
function endAll({ dir }: Own): number {
  const left = processesIn(dir);
  for (const id of left) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  return left.length;
}

/** PostgreSQL's processes all work in the folder of their data (proc_pid_cwd(5)). */
function processesIn(dir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return readlinkSync(`/proc/${id}/cwd`) === dir;
      } catch {
        return false;
      }
    })
    .map(Number);
}
