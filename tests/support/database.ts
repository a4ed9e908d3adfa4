import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { withSeal } from '../../src/server/kernel/db/bound-seal.ts';
import { createDatabase, type Db } from '../../src/server/kernel/db/database.ts';
import { urlAs } from '../../src/server/kernel/db/logins.ts';
import { createSeal } from '../../src/server/kernel/seal.ts';
import { type TestCluster, templateName } from './cluster.ts';

export interface TestDatabase extends AsyncDisposable {
  /** Owner's login. */
  url: string;
  /** Of the login that does tenants' work, and of the one that works across tenants. */
  urls: { tenants: string; system: string };
  /** Tenants' work: row-level security applies. */
  db: Db;
  /** Work across tenants. */
  systemDb: Db;
  close(): Promise<void>;
}

const clusterOfTheRun = (): TestCluster => ({
  url: inject('clusterUrl'),
  passwords: inject('loginPasswords'),
});

/** That of a portal which is started without SEAL_KEYS, so that tests write what it can open. */
const seal = createSeal([{ number: 1, secret: 'development-sealing-key' }]);

/** A database of its own for a test file, cloned from the migrated template in milliseconds. */
export async function createTestDatabase(
  { url: clusterUrl, passwords }: TestCluster = clusterOfTheRun(),
): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copied as files: through the log it takes three times as long.
  await admin(clusterUrl, `CREATE DATABASE ${name} TEMPLATE ${templateName} STRATEGY file_copy`);
  const url = clusterUrl.replace(/\/\w+$/, `/${name}`);
  const urls = {
    tenants: urlAs(url, 'tenants', passwords.tenants),
    system: urlAs(url, 'system', passwords.system),
  };
  return databaseAt({ url, urls }, () => admin(clusterUrl, `DROP DATABASE ${name} WITH (FORCE)`));
}

/** A database that is there already. `end` is called when the connections to it are closed. */
export function databaseAt(
  { url, urls }: Pick<TestDatabase, 'url' | 'urls'>,
  end: () => Promise<void>,
): TestDatabase {
  const { db, systemDb, destroy } = openPools(urls);
  const close = async () => {
    await destroy();
    await end();
  };
  return { url, urls, db, systemDb, close, [Symbol.asyncDispose]: close };
}

/** A test's own connections to a portal's database, by the portal's two logins. */
export function openPools(urls: TestDatabase['urls']) {
  const db = withSeal(createDatabase({ url: urls.tenants, maxConnections: 12 }), seal);
  const systemDb = withSeal(createDatabase({ url: urls.system, maxConnections: 6 }), seal);
  return { db, systemDb, destroy: () => Promise.all([db.destroy(), systemDb.destroy()]) };
}

async function admin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
