import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
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

/** Starts the waiting jobs of a kind now that are about one organisation, as if their time had come. */
export function runNow(task: string, organisationId: string): Promise<void> {
  return withOwner((client) =>
    expect(async () => {
      const { rowCount } = await client.query(
        `SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker._private_jobs
         WHERE task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1)
           AND payload ->> 'organisationId' = $2 HAVING count(*) > 0`,
        [task, organisationId],
      );
      expect(rowCount).toBeGreaterThan(0);
    }).toPass({ intervals: [100, 250, 500] }),
  );
}

/** The customer has stored a payment method: its chip becomes Active once it has an email and is billed directly. */
export function givePaymentMethod(customerId: string): Promise<unknown> {
  return withOwner((client) =>
    client.query(
      `UPDATE customers SET payment_method_id = 'pm_' || id, payment_method_set = true WHERE id = $1`,
      [customerId],
    ),
  );
}

/** The order term of a certificate ends in so many days: it is as long ago as that makes it. */
export function endTermIn(days: number, orderId: string): Promise<unknown> {
  return withOwner((client) =>
    client.query(
      `UPDATE certificates SET term_ends_at = now() + make_interval(days => $1) WHERE registrar_order_id = $2`,
      [days, orderId],
    ),
  );
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
