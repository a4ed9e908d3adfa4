import { type Db, later, sql, type Tx } from '#kernel/db/database.ts';
import type { JobInput, JobName } from './job-table.ts';
import { isWaitedFor } from './job-turns.rules.ts';

export interface JobOptions {
  /** One job of this key at a time: a later call replaces the waiting one. */
  key?: string;
  runAt?: Date;
  maxAttempts?: number;
  /** Jobs of one queue run one after another. */
  queue?: string;
}

/**
 * Enqueues a job in the caller's transaction: it runs if, and only if, the transaction commits. The database
 * function behind it is all that the application's role may do with the job tables.
 */
export async function enqueueJob<N extends JobName>(
  tx: Tx,
  task: N,
  payload: JobInput<N>,
  options: JobOptions = {},
): Promise<void> {
  await later(
    tx,
    sql`SELECT enqueue_job(${task}, ${JSON.stringify(payload)}::json, ${options.key ?? null},
      ${options.runAt ?? null}::timestamptz, ${options.maxAttempts ?? 25}::int, ${options.queue ?? null}, ${!isWaitedFor(task)})`,
  );
}

/**
 * Takes out of the queue the letters of the transaction's organization that are addressed to, or speak of, an erased person.
 * The database function knows the organization as row-level security does.
 */
export async function forgetLetters(tx: Tx, terms: readonly string[]): Promise<void> {
  // As a word stands in a stored letter, which is JSON.
  const told = terms
    .filter((term) => term.trim().length > 3)
    .map((term) => JSON.stringify(term).slice(1, -1));
  if (told.length > 0) await sql`SELECT forget_letters(${told}::text[])`.execute(tx);
}

/** Takes out of the queue what would look or buy for the transaction's organization; money, orders, letters and alerts stay. */
export async function forgetJobs(tx: Tx): Promise<void> {
  await later(tx, sql`SELECT forget_jobs_of_organisation()`);
}

/** Letters with a sealed text that wait, by the number of the key. */
export async function sealedLetters(systemDb: Db): Promise<{ key: number; values: number }[]> {
  const { rows } = await sql<{ key: number; values: number }>`
    SELECT key, letters AS values FROM sealed_letters() ORDER BY key`.execute(systemDb);
  return rows;
}
