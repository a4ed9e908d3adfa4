import type { Task } from '../../src/server/jobs/runner.ts';
import type { Schedule } from './schedule.ts';
import type { GatedStatements } from './statements.ts';

interface Job {
  id: string;
  task: string;
  payload: Record<string, unknown>;
  attempts: number;
}

/**
 * Takes jobs from the queue of the product as its runner does, in simulated time: each runs once it is due, again after it failed,
 * and now and then twice. The queue's own program is left out; what it guarantees is in tests of its own.
 */
export class Worker {
  readonly #schedule: Schedule;
  readonly #statements: GatedStatements;
  readonly #tasks: Record<string, Task>;
  readonly name: string;
  readonly onError: (task: string, error: unknown) => void;

  constructor(
    name: string,
    schedule: Schedule,
    statements: GatedStatements,
    tasks: Record<string, Task>,
    onError: (task: string, error: unknown) => void,
  ) {
    this.name = name;
    this.#schedule = schedule;
    this.#statements = statements;
    this.#tasks = tasks;
    this.onError = onError;
  }

  /** Until nothing is due. */
  async drain(): Promise<number> {
    let done = 0;
    while (await this.one()) done += 1;
    return done;
  }

  /** Does one job, chosen by chance among those that are due. False: none is. */
  async one(): Promise<boolean> {
    const { random } = this.#schedule;
    const [job] = await this.#ask<Job>(
      `WITH free AS (
         SELECT j.id FROM graphile_worker._private_jobs j
         WHERE j.locked_at IS NULL AND j.attempts < j.max_attempts
           AND j.run_at <= to_timestamp($1::float8 / 1000)
           AND NOT EXISTS (SELECT FROM graphile_worker._private_jobs o
             WHERE o.job_queue_id = j.job_queue_id AND o.locked_at IS NOT NULL)
         FOR UPDATE SKIP LOCKED),
       due AS (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS count FROM free)
       UPDATE graphile_worker._private_jobs j SET locked_at = now(), locked_by = $2, attempts = attempts + 1
       FROM due, graphile_worker._private_tasks t
       WHERE j.id = due.id AND due.place = floor($3::float8 * due.count) AND t.id = j.task_id
       RETURNING j.id::text, t.identifier AS task, j.payload, j.attempts - 1 AS attempts`,
      [this.#schedule.nowMs, this.name, random()],
    );
    if (!job) return false;
    try {
      await this.run(job.task, job.payload);
      if (random() < 0.05) await this.run(job.task, job.payload);
      await this.#change('DELETE FROM graphile_worker._private_jobs', job.id);
    } catch (error) {
      this.onError(job.task, error);
      const againMs = this.#schedule.nowMs + Math.exp(Math.min(job.attempts + 1, 10)) * 1_000;
      const changes = 'locked_at = NULL, locked_by = NULL, run_at = to_timestamp($2::float8 / 1000)';
      await this.#change(`UPDATE graphile_worker._private_jobs SET ${changes}`, job.id, [againMs]);
    }
    return true;
  }

  async run(name: string, payload: Record<string, unknown> = {}): Promise<void> {
    const task = this.#tasks[name];
    if (!task) throw new Error(`nobody does ${name}`);
    await task(payload);
  }

  /** What a worker of this name had when it died can be taken again. */
  async free(): Promise<void> {
    const had = await this.#ask<{ id: string }>(
      'SELECT id::text FROM graphile_worker._private_jobs WHERE locked_by = $1 ORDER BY id',
      [this.name],
    );
    for (const { id } of had)
      await this.#change('UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL', id);
  }

  /**
   * The observer's statements stop the whole simulation, so they never wait for a lock: a transaction that plans the same job again holds
   * its row, and could not go on. It is tried again when something else has happened.
   */
  async #change(change: string, id: string, values: unknown[] = []): Promise<void> {
    const isHeld = async () => {
      const [row] = await this.#ask<{ held: boolean }>(
        `WITH free AS (SELECT id FROM graphile_worker._private_jobs WHERE id = $1 FOR UPDATE SKIP LOCKED),
         changed AS (${change} WHERE id IN (SELECT id FROM free) RETURNING id)
         SELECT EXISTS (SELECT FROM graphile_worker._private_jobs WHERE id = $1)
           AND NOT EXISTS (SELECT FROM changed) AS held`,
        [id, ...values],
      );
      return row?.held === true;
    };
    while (await isHeld()) await this.#schedule.sleep(1);
  }

  #ask<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.#statements.ask<T>(text, values);
  }
}
