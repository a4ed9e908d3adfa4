import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbedded } from '../../src/server/kernel/db/embedded.ts';
import { migrate } from '../../src/server/kernel/db/migrate.ts';
import { databaseAt, type TestDatabase } from './database.ts';
import { throwAwayFolder } from './throw-away.ts';

/** The PostgreSQL that comes along, in a data folder of its own, with the commands that back it up. */
export interface OwnPostgres extends AsyncDisposable {
  dataDir: string;
  database: TestDatabase;
  /** Where the backup goes: another disk. */
  file: string;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Nothing of the data folder is left. */
  loseDisk(): Promise<void>;
  /** `npm run backup` or `npm run restore`; rejects with what it complained about. Returns what it said. */
  tool(name: Tool, args: readonly string[], env?: Record<string, string>): Promise<string>;
  /** The same without waiting for its end. */
  begin(name: Tool, args: readonly string[]): ChildProcess;
}

type Tool = 'backup' | 'restore';

const root = join(import.meta.dirname, '../..');

export async function openOwnPostgres(): Promise<OwnPostgres> {
  const dir = await throwAwayFolder('own');
  const dataDir = join(dir, 'data');
  const place = { dataDir: join(dataDir, 'postgres'), durable: true };
  let running = await startEmbedded({ ...place, port: 0 });
  const { port, url, urls } = running;
  await migrate(url, join(root, 'migrations'));
  const stop = () => running.stop();
  const database = databaseAt({ url, urls }, async () => {
    await stop();
    await rm(dir, { recursive: true, force: true });
  });
  const settings = {
    ...{ PATH: process.env.PATH ?? '', DATA_DIR: dataDir, BACKUP_KEY: 'k'.repeat(44) },
    // That of a portal which is started without any.
    SEAL_KEYS: '1:development-sealing-key',
    // Whatever the .env of this folder names is another portal's.
    ...{ DATABASE_URL: '', DATABASE_SYSTEM_URL: '', DATABASE_MIGRATION_URL: '' },
  };
  return {
    dataDir,
    database,
    file: join(dir, 'portal.backup'),
    async start() {
      running = await startEmbedded({ ...place, port });
      if (running.port !== port) throw new Error(`port ${port} was taken meanwhile`);
    },
    stop,
    async loseDisk() {
      await stop();
      await rm(dataDir, { recursive: true });
    },
    async tool(name, args, env = {}) {
      const { stdout } = await promisify(execFile)(process.execPath, [`tools/${name}.ts`, ...args], {
        cwd: root,
        env: { ...settings, ...env },
      });
      return stdout;
    },
    begin: (name, args) =>
      spawn(process.execPath, [`tools/${name}.ts`, ...args], { cwd: root, env: settings }),
    [Symbol.asyncDispose]: () => database.close(),
  };
}
