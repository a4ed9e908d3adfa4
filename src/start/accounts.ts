import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The sandbox's sign-in is known by its address, and its port may be taken by another program at a later start. The
 * same people then sign in at another address: their profiles follow it, or they would look like strangers.
 *
 * @param issuer where the sandbox's sign-in is now; `dataDir` remembers where it was
 */
export async function followIssuer(dataDir: string, systemUrl: string, issuer: string): Promise<void> {
  const file = join(dataDir, 'issuer');
  const before = existsSync(file) ? readFileSync(file, 'utf8').trim() : issuer;
  if (before !== issuer) {
    // Loaded when it is needed, which is hardly ever: this process stays for as long as the portal runs.
    const { createDatabase } = await import('../server/kernel/db/database.ts');
    const db = createDatabase({ url: systemUrl, maxConnections: 1 });
    try {
      await db
        .updateTable('users')
        .set({ identity_issuer: issuer })
        .where('identity_issuer', '=', before)
        .execute();
    } finally {
      await db.destroy();
    }
  }
  // Last: a start that fails before does it again.
  writeFileSync(file, `${issuer}\n`);
}
