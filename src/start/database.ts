import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbedded } from '../server/kernel/db/embedded.ts';
import { type DatabaseUrls, passwordsOf } from '../server/kernel/db/logins.ts';
import { prepare } from './preparation.ts';

export interface DatabaseOptions {
  root: string;
  dataDir: string;
  port: number;
  onProgress: (text: string) => void;
  /** Whether it is still wanted: a start may be stopped while it comes up. */
  isNeeded: () => boolean;
}

/** Addresses of a database; without the owner's where migrating is somebody else's business. */
type Addresses = Omit<DatabaseUrls, 'migration'> & { migration: string | null };

/** The database that the settings name, or one of our own; migrated either way, where we may. */
export async function bringUpDatabase(
  options: DatabaseOptions,
): Promise<{ urls: Addresses; stop(): Promise<void> }> {
  const named = namedDatabase(process.env);
  if (named) {
    if (named.migration) {
      options.onProgress('migrating the database that DATABASE_MIGRATION_URL names');
      await prepare(
        { task: 'named database', root: options.root, url: named.migration, passwords: passwordsOf(named) },
        options,
      );
    }
    return { urls: named, stop: async () => undefined };
  }
  return startOwn(options);
}

/** Null when the settings name no database. One that is named by halves is none that we could work with. */
export function namedDatabase(env: NodeJS.ProcessEnv): Addresses | null {
  const { DATABASE_URL: tenants, DATABASE_SYSTEM_URL: system, DATABASE_MIGRATION_URL: migration } = env;
  if (!tenants && !system && !migration) return null;
  if (tenants && system) return { tenants, system, migration: migration || null };
  const missing = tenants
    ? 'DATABASE_SYSTEM_URL'
    : system
      ? 'DATABASE_URL'
      : 'DATABASE_URL and DATABASE_SYSTEM_URL';
  throw new Error(
    `Please set ${missing} too. The portal uses three logins of the database: DATABASE_URL is of nameward_app, DATABASE_SYSTEM_URL of nameward_system, DATABASE_MIGRATION_URL of the owner, who makes the other two (docs/operations.md, "Logins of the database").`,
  );
}

const restartPauseMs = 5_000;

/** Starts PostgreSQL, and again at the same port should it ever end by itself. */
async function startOwn(options: DatabaseOptions): Promise<{ urls: DatabaseUrls; stop(): Promise<void> }> {
  let stopping = false;
  let present: EmbeddedPostgres;
  const start = (port: number): Promise<EmbeddedPostgres> =>
    startEmbedded({
      dataDir: join(options.dataDir, 'postgres'),
      port,
      durable: true,
      onProgress: options.onProgress,
      onEnd: () => void again(),
      makeReady: (server, isAlive) =>
        prepare(
          { task: 'own database', root: options.root, server },
          { ...options, isNeeded: () => isAlive() && options.isNeeded() },
        ),
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
    urls: present.urls,
    stop: async () => {
      stopping = true;
      await present.stop();
    },
  };
}
