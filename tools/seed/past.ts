import pg from 'pg';

const pollMs = 250;
const refreshWithinMs = 300_000;

/** What was done between two moments of the seeding, and how many days ago it is to have been. */
export interface Chapter {
  from: Date;
  until: Date;
  daysAgo: number;
}

/** Times of what one seeded organisation did, by table. Row order stays: a chapter is older than the next. */
const timesOf: [table: string, columns: string[]][] = [
  ['customers', ['created_at', 'updated_at']],
  ['orders', ['created_at', 'ended_at']],
  ['order_items', ['created_at', 'updated_at', 'sent_at']],
  ['holds', ['created_at', 'ended_at']],
  ['journal', ['at']],
  ['topups', ['created_at', 'updated_at']],
  ['domains', ['created_at']],
];

/**
 * Moves what was just seeded into the past, so that the statement has months. The ledger is append-only for everybody
 * but the owner of the database, and this is the one place that uses it: for demonstration data, on the sandbox.
 */
export async function moveIntoPast(
  databaseUrl: string,
  organisationId: string,
  chapters: readonly Chapter[],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    for (const { from, until, daysAgo } of chapters) {
      for (const [table, columns] of timesOf) {
        for (const column of columns) {
          await client.query(
            `UPDATE ${table} SET ${column} = ${column} - make_interval(days => $1)
             WHERE organisation_id = $2 AND ${column} >= $3 AND ${column} < $4`,
            [daysAgo, organisationId, from, until],
          );
        }
      }
    }
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/** Has the portal's own job read all domains anew from the registrar, and waits until it has. */
export async function refreshDomains(
  databaseUrl: string,
  organisationId: string,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const since = new Date();
    await client.query(`SELECT graphile_worker.add_job('domains.sync-all')`);
    for (let done = 0, all = 1; done < all; ) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      const { rows } = await client.query<{ done: number; all: number }>(
        `SELECT count(*) FILTER (WHERE synced_at >= $2)::int AS done, count(*)::int AS "all"
         FROM domains WHERE organisation_id = $1 AND status = 'active'`,
        [organisationId, since],
      );
      ({ done, all } = rows[0] ?? { done, all });
      onProgress(done, all);
      if (Date.now() - since.getTime() > refreshWithinMs)
        throw new Error('The domains were not read anew in time.');
    }
  } finally {
    await client.end();
  }
}

/** Has the portal's own jobs look at all running certificates now: what has changed about their proofs is found. */
export async function lookAtCertificates(databaseUrl: string, organisationId: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `SELECT graphile_worker.add_job('certificates.sync',
         json_build_object('organisationId', organisation_id, 'certificateId', id))
       FROM certificates WHERE organisation_id = $1 AND state = 'completed'`,
      [organisationId],
    );
  } finally {
    await client.end();
  }
}

/** Whether the demonstration's account is there already. */
export async function isSeeded(databaseUrl: string, email: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM users WHERE email = $1 AND removed_at IS NULL', [
      email,
    ]);
    return (rowCount ?? 0) > 0;
  } finally {
    await client.end();
  }
}
