import { join } from 'node:path';
import { makeReady } from '../server/kernel/db/embedded-up.ts';
import type { LoginPasswords } from '../server/kernel/db/logins.ts';
import { migrate } from '../server/kernel/db/migrate.ts';
import { buildWhenStale } from './builds.ts';
import type { Preparation, Said } from './preparation.ts';

/** A process of the start command's: does one preparation, says how far it is and how it went, and ends. */
process.once('message', async (preparation: Preparation) => {
  const said = await carryOut(preparation).then(
    (): Said => ({ done: true }),
    (error: unknown): Said => ({ failed: error instanceof Error ? error.message : String(error) }),
  );
  process.send?.(said, () => process.exit(0));
});

// Nothing else keeps it alive until it has heard what to do.
process.channel?.ref();

function tell(progress: string): void {
  process.send?.({ progress } satisfies Said);
}

async function carryOut(preparation: Preparation): Promise<void> {
  const { root } = preparation;
  switch (preparation.task) {
    case 'build':
      return buildWhenStale(root, tell);
    case 'own database': {
      const { server } = preparation;
      await makeReady(server);
      return tellMigrated(await migrate(server.url, join(root, 'migrations')));
    }
    case 'named database':
      return migrateNamed(preparation.url, root, preparation.passwords);
  }
}

/** In one line: the very first start makes them all. */
function tellMigrated(names: readonly string[]): void {
  const [first, last] = [names[0], names.at(-1)];
  if (first) tell(first === last ? `migrated: ${first}` : `migrated: ${first} to ${last}`);
}

/** PostgreSQL is there and says that it is starting, or recovering after a crash. */
const starting = '57P03';
const askAgainMs = 500;

async function migrateNamed(url: string, root: string, passwords: Partial<LoginPasswords>): Promise<void> {
  try {
    for (let saidSo = false; ; saidSo = true) {
      try {
        await migrate(url, join(root, 'migrations'), passwords);
        return;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === starting)) throw error;
        if (!saidSo) tell('waiting for the database, which is still starting');
        await new Promise((resolve) => setTimeout(resolve, askAgainMs));
      }
    }
  } catch (error) {
    const { host, pathname } = URL.canParse(url)
      ? new URL(url)
      : { host: 'an unreadable address', pathname: '' };
    const why = error instanceof Error ? error.message || String(error.cause ?? error.name) : String(error);
    throw new Error(`The database of DATABASE_MIGRATION_URL (${host}${pathname}) cannot be used: ${why}`, {
      cause: error,
    });
  }
}
