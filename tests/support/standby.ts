import { type ChildProcess, spawn } from 'node:child_process';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { chownAll, findBinaries, ordinaryUser, placeFor } from '../../src/server/kernel/db/embedded-place.ts';
import { type OwnPostgres, openOwnPostgres } from './own-postgres.ts';
import { type Relay, startRelay, through } from './relay.ts';
import { freePort } from './stack.ts';

/** A PostgreSQL and a standby of it that follows, on this machine. */
export interface Replicated extends AsyncDisposable {
  primary: OwnPostgres;
  /** Of the login of tenants' work on the standby, by way of the relay. */
  readUrl: string;
  /** The same login past the relay. */
  directUrl: string;
  relay: Relay;
  /** A statement by the owner on either. */
  onPrimary<T extends object>(statement: string): Promise<T[]>;
  onStandby<T extends object>(statement: string): Promise<T[]>;
  /** Until the standby has what has been committed. */
  caughtUp(): Promise<void>;
  /** What is committed from now on is not to be seen on the standby, and all that was committed before is. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  killStandby(): Promise<void>;
  startStandby(): Promise<void>;
  promote(): Promise<void>;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Of a migrated database without content. */
export async function openReplicated(): Promise<Replicated> {
  const primary = await openOwnPostgres();
  const { url, urls } = primary.database;
  const place = await placeFor(await findBinaries(), join(primary.dataDir, 'postgres'), ordinaryUser());
  const from = join(place.dataDir, 'cluster');
  const dir = join(primary.dataDir, 'standby');
  const port = await freePort();
  // A copy of a server that rests.
  await primary.stop();
  await cp(from, dir, { recursive: true, preserveTimestamps: true });
  await rm(join(dir, 'postmaster.pid'), { force: true });
  await writeFile(join(dir, 'standby.signal'), '');
  if (place.user) await chownAll(dir, place.user);
  await primary.start();
  const at = (login: string) => {
    const other = new URL(login);
    other.port = String(port);
    return other.href;
  };
  const { username, password, port: primaryPort } = new URL(url);
  const follows = `host=127.0.0.1 port=${primaryPort} user=${username} password=${password}`;
  let server: ChildProcess | null = null;

  async function ask<T extends object>(address: string, statement: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 10_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<T>(statement)).rows;
    } finally {
      await client.end();
    }
  }
  const onPrimary = <T extends object>(statement: string) => ask<T>(url, statement);
  const onStandby = <T extends object>(statement: string) => ask<T>(at(url), statement);

  async function until(right: () => Promise<boolean>): Promise<void> {
    while (!(await right().catch(() => false))) {
      if (server?.exitCode !== null) throw new Error('the standby has ended');
      await pause(50);
    }
  }

  async function startStandby(): Promise<void> {
    await rm(join(dir, 'postmaster.pid'), { force: true });
    const settings = [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=100'],
      ...['shared_buffers=64MB', `primary_conninfo=${follows}`, 'wal_retrieve_retry_interval=200ms'],
    ];
    const args = ['-D', dir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
    server = spawn(place.binaries.postgres, args, { stdio: 'ignore', ...(place.user ?? {}) });
    await until(async () => (await onStandby('SELECT 1')).length === 1);
    await caughtUp();
  }

  async function caughtUp(): Promise<void> {
    const [now] = await onPrimary<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn');
    await until(async () => {
      const [row] = await onStandby<{ has: boolean }>(
        `SELECT pg_last_wal_replay_lsn() >= '${now?.lsn}'::pg_lsn AS has`,
      );
      return row?.has === true;
    });
  }

  async function killStandby(): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server.kill('SIGQUIT');
    await ended;
  }

  await startStandby();
  const relay = await startRelay(at(urls.tenants));
  return {
    ...{ primary, relay, onPrimary, onStandby, caughtUp, killStandby, startStandby },
    readUrl: through(relay, at(urls.tenants)),
    directUrl: at(urls.tenants),
    async pauseReplay() {
      await caughtUp();
      await onStandby('SELECT pg_wal_replay_pause()');
      await until(async () => {
        const [row] = await onStandby<{ state: string }>('SELECT pg_get_wal_replay_pause_state() AS state');
        return row?.state === 'paused';
      });
    },
    async resumeReplay() {
      await onStandby('SELECT pg_wal_replay_resume()');
      await caughtUp();
    },
    async promote() {
      await onStandby('SELECT pg_promote()');
    },
    async [Symbol.asyncDispose]() {
      await relay[Symbol.asyncDispose]();
      await killStandby();
      await primary[Symbol.asyncDispose]();
    },
  };
}
