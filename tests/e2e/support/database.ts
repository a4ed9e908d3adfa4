import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** As the owner of the database: job tables are nobody else's, and time passes there. */
async function withOwner<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const file = join(process.env.E2E_DATA ?? '', 'instance.json');
  const { settings } = JSON.parse(await readFile(file, 'utf8')) as {
    settings: { DATABASE_MIGRATION_URL: string };
  };
  const client = new pg.Client({ connectionString: settings.DATABASE_MIGRATION_URL });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Starts a job now, as its time would. */
export function startJob(task: string, payload: object): Promise<unknown> {
  return withOwner((client) => client.query('SELECT graphile_worker.add_job($1, $2)', [task, payload]));
}

/** The first payment of a person's organisation has been taken back, as by a dispute. */
export function takeBackFirstPayment(userId: string): Promise<unknown> {
  return withOwner((client) =>
    client.query(
      `UPDATE billing_profiles SET initial_fee_paid = false
       WHERE organisation_id = (SELECT organisation_id FROM users WHERE id = $1)`,
      [userId],
    ),
  );
}
