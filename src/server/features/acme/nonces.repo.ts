import { type Db, sql } from '#kernel/db/database.ts';

/** Keeps that a nonce was used; false when it had been. */
export async function keepNonce(db: Db, digest: Buffer): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO acme_nonces (digest) VALUES (${digest}) ON CONFLICT DO NOTHING RETURNING 1 AS kept`.execute(
    db,
  );
  return rows.length === 1;
}

/** What is older than any nonce that would be taken. */
export async function forgetNonces(systemDb: Db): Promise<void> {
  await sql`DELETE FROM acme_nonces WHERE used_at < clock_timestamp() - interval '3 hours'`.execute(systemDb);
}
