import pg from 'pg';

export interface WaitingJob {
  task: string;
  payload: Record<string, unknown>;
}

/** How often the waiting jobs of a name are tried. */
export async function attemptsOf(url: string, task: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ most: number }>(
      `SELECT j.max_attempts::int AS most FROM graphile_worker._private_jobs j
       JOIN graphile_worker._private_tasks t ON t.id = j.task_id WHERE t.identifier = $1 ORDER BY j.id`,
      [task],
    );
    return rows.map(({ most }) => most);
  } finally {
    await client.end();
  }
}

/** When the job under a key runs; null: none waits. */
export async function runsAt(url: string, key: string): Promise<Date | null> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ at: Date }>(
      'SELECT run_at AS at FROM graphile_worker._private_jobs WHERE key = $1',
      [key],
    );
    return rows[0]?.at ?? null;
  } finally {
    await client.end();
  }
}

/** When the waiting jobs of a name run, in the order in which they were planned. */
export async function timesOf(url: string, task: string): Promise<Date[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ at: Date }>(
      `SELECT j.run_at AS at FROM graphile_worker._private_jobs j
       JOIN graphile_worker._private_tasks t ON t.id = j.task_id WHERE t.identifier = $1 ORDER BY j.id`,
      [task],
    );
    return rows.map(({ at }) => at);
  } finally {
    await client.end();
  }
}

/** Jobs that wait in the queue, in the order in which they were planned; the queue is empty afterwards. */
export async function takeJobs(url: string): Promise<WaitingJob[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<WaitingJob & { id: string }>(
      `WITH taken AS (DELETE FROM graphile_worker._private_jobs RETURNING id, task_id, payload)
       SELECT t.identifier AS task, taken.payload FROM taken
       JOIN graphile_worker._private_tasks t ON t.id = taken.task_id ORDER BY taken.id`,
    );
    return rows.map(({ task, payload }) => ({ task, payload }));
  } finally {
    await client.end();
  }
}
