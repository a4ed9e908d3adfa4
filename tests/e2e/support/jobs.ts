import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import pg from 'pg';

/** Starts the waiting jobs of a kind now that are about one organisation, as if their time had come. */
export async function runNow(task: string, organisationId: string): Promise<void> {
  const file = join(process.env.E2E_DATA ?? '', 'instance.json');
  const { settings } = JSON.parse(await readFile(file, 'utf8')) as { settings: { DATABASE_URL: string } };
  const client = new pg.Client({ connectionString: settings.DATABASE_URL });
  await client.connect();
  try {
    await expect(async () => {
      const { rowCount } = await client.query(
        `SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker._private_jobs
         WHERE task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1)
           AND payload ->> 'organisationId' = $2 HAVING count(*) > 0`,
        [task, organisationId],
      );
      expect(rowCount).toBeGreaterThan(0);
    }).toPass({ intervals: [100, 250, 500], timeout: 15_000 });
  } finally {
    await client.end();
  }
}
