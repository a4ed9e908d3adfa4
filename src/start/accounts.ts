import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/**
 * The sandbox's sign-in is known by its address, and its port may be taken by another program at a later start. The
 * same people then sign in at another address: their profiles follow it, or they would look like strangers.
 *
 * @param issuer where the sandbox's sign-in is now; `dataDir` remembers where it was
 */
export async function followIssuer(dataDir: string, databaseUrl: string, issuer: string): Promise<void> {
  const file = join(dataDir, 'issuer');
  const before = existsSync(file) ? readFileSync(file, 'utf8').trim() : issuer;
  if (before !== issuer) {
    const client = new pg.Client({ connectionString: databaseUrl, options: '-c role=nameward_system' });
    await client.connect();
    try {
      await client.query('UPDATE users SET identity_issuer = $2 WHERE identity_issuer = $1', [
        before,
        issuer,
      ]);
    } finally {
      await client.end();
    }
  }
  // Last: a start that fails before does it again.
  writeFileSync(file, `${issuer}\n`);
}
