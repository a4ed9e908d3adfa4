import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbedded } from '../server/kernel/db/embedded.ts';
import { migrate } from '../server/kernel/db/migrate.ts';

export interface DatabaseOptions {
  root: string;
  dataDir: string;
  port: number;
  onProgress: (text: string) => void;
}

/** The database that DATABASE_URL names, or one of our own; migrated either way. */
export async function bringUpDatabase(
  options: DatabaseOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const named = process.env.DATABASE_URL;
  if (named) {
    options.onProgress('migrating the database that DATABASE_URL names');
    await migrateNamed(named, options);
    return { url: named, stop: async () => undefined };
  }
  const embedded = await startOwn(options);
  try {
    for (const name of await migrate(embedded.url, join(options.root, 'migrations'))) {
      options.onProgress(`migrated: ${name}`);
    }
  } catch (error) {
    await embedded.stop();
    throw error;
  }
  return embedded;
}

/** PostgreSQL is there and says that it is starting, or recovering after a crash. */
const starting = '57P03';
const askAgainMs = 500;

async function migrateNamed(url: string, options: DatabaseOptions): Promise<void> {
  try {
    for (let saidSo = false; ; saidSo = true) {
      try {
        await migrate(url, join(options.root, 'migrations'));
        return;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === starting)) throw error;
        if (!saidSo) options.onProgress('waiting for the database, which is still starting');
        await new Promise((resolve) => setTimeout(resolve, askAgainMs));
      }
    }
  } catch (error) {
    const { host, pathname } = URL.canParse(url)
      ? new URL(url)
      : { host: 'an unreadable address', pathname: '' };
    const why = error instanceof Error ? error.message || String(error.cause ?? error.name) : String(error);
    throw new Error(`The database of DATABASE_URL (${host}${pathname}) cannot be used: ${why}`, {
      cause: error,
    });
  }
}

const restartPauseMs = 5_000;

/** Starts PostgreSQL, and again at the same port should it ever end by itself. */
async function startOwn(options: DatabaseOptions): Promise<{ url: string; stop(): Promise<void> }> {
  let stopping = false;
  let present: EmbeddedPostgres;
  const start = (port: number): Promise<EmbeddedPostgres> =>
    startEmbedded({
      dataDir: join(options.dataDir, 'postgres'),
      port,
      durable: true,
      onProgress: options.onProgress,
      onEnd: () => void again(),
    });
  const again = async () => {
    if (stopping) return;
    options.onProgress('PostgreSQL ended unexpectedly; starting it again');
    try {
      present = await start(present.port);
    } catch (error) {
      options.onProgress(`PostgreSQL did not start: ${error instanceof Error ? error.message : error}`);
      setTimeout(() => void again(), restartPauseMs);
    }
  };
  present = await start(options.port);
  return {
    url: present.url,
    stop: async () => {
      stopping = true;
      await present.stop();
    },
  };
}
