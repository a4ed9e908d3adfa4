import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDatabase, sql, systemTransaction } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { createLogger } from '#kernel/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { startRelay } from '../../../tests/support/relay.ts';
import type { JobName } from '../kernel/job-table.ts';
import { createLostJobs } from './lost-jobs.ts';
import { clearSuperseded } from './orphans.ts';
import { startRunner } from './runner.ts';

let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  // In another database, so that it is not cut off itself.
  owner = new pg.Client({ connectionString: database.url.replace(/\/\w+$/, '/postgres') });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.close();
});

const logger = createLogger({ level: 'silent' });
/** None of these runners ends for good. */
const onEnd = () => {
  throw new Error('no job runner could be started');
};
const name = () => new URL(database.url).pathname.slice(1);
const cutAll = () =>
  owner.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name()]);

async function jobsLeft(): Promise<string[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ left: string }>(
    `SELECT t.identifier || ' ' || (payload->>'n') || coalesce(' held by ' || locked_by, '') AS left
     FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id`,
  );
  await client.end();
  return rows.map(({ left }) => left);
}

/** Of this test: the queue takes any name, the table of the portal does not. */
const job = (name: string) => name as JobName;
const enqueue = (task: string, n: number) =>
  systemTransaction(database.systemDb, (tx) => enqueueJob(tx, job(task), { n } as never));

test('every job is done though all connections are cut while jobs run, many times over; nothing ends the process', async () => {
  const done = new Map<unknown, number>();
  const runner = await startRunner({
    ...{ databaseUrl: database.urls.system, concurrency: 6, schedule: [], atStart: ['work'], logger, onEnd },
    tasks: {
      // Long enough that most cuts fall into a job, and into what is written down after it.
      work: async ({ n }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        done.set(n, (done.get(n) ?? 0) + 1);
      },
      // Its end is written down by another statement.
      failing: async ({ n }) => {
        done.set(n, (done.get(n) ?? 0) + 1);
        throw new Error('as planned');
      },
    },
  });
  let n = 0;
  for (let round = 0; round < 25; round += 1) {
    for (let i = 0; i < 8; i += 1) {
      n += 1;
      const job = n;
      // The cut may take this connection too; what was not accepted is asked for again.
      await eventually(() => enqueue(job % 4 === 0 ? 'failing' : 'work', job));
    }
    await cutAll();
  }
  await eventually(() => expect([...done.keys()].filter((key) => key !== undefined).length).toBe(n));
  // Nothing stays taken by a runner that does not work on it; what failed waits for its next time.
  await eventually(async () => {
    expect((await jobsLeft()).filter((left) => !/^failing \d+$/.test(left))).toEqual([]);
  });
  await runner.stop();
});

test('a runner that starts while PostgreSQL recovers waits for it, and says so', async () => {
  await using relay = await startRelay(database.urls.system);
  relay.become('starting');
  const said: string[] = [];
  let done = 0;
  const starting = startRunner({
    ...{ databaseUrl: relay.url, concurrency: 2, schedule: [], atStart: ['count'], onEnd },
    logger: createLogger({ level: 'warn', destination: { write: (line) => void said.push(line) } }),
    tasks: {
      count: async () => {
        done += 1;
      },
    },
  });
  await eventually(() => expect(said.join('')).toContain('waiting for the database'));
  relay.become('open');
  const runner = await starting;
  await eventually(() => expect(done).toBe(1));
  await runner.stop();
});

test('a job that was superseded while it ran and then failed is not left among the failed; its successor waits', async () => {
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  await sql`DELETE FROM graphile_worker._private_jobs`.execute(owner);
  const ask = (n: number) =>
    systemTransaction(database.systemDb, (tx) =>
      enqueueJob(tx, job('work'), { n } as never, { key: 'one thing' }),
    );
  await ask(1);
  await sql`UPDATE graphile_worker._private_jobs SET locked_by = 'a runner', locked_at = now(), attempts = 1`.execute(
    owner,
  );
  await ask(2);
  const left = async () =>
    (
      await sql<{
        n: string;
      }>`SELECT payload->>'n' AS n FROM graphile_worker._private_jobs ORDER BY id`.execute(owner)
    ).rows.map(({ n }) => n);
  await clearSuperseded(owner);
  // Somebody works on it still.
  expect(await left()).toEqual(['1', '2']);
  await sql`UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL`.execute(owner);
  await clearSuperseded(owner);
  expect(await left()).toEqual(['2']);
  await owner.destroy();
});

test('no process can take a job while another of its key is being entered; nothing is left when that process dies', async () => {
  await using owner = createDatabase({ url: database.url, maxConnections: 1 });
  await using entering = createDatabase({ url: database.url, maxConnections: 1 });
  for (const enterAgain of [
    sql`SELECT enqueue_job('work', '{"n": 2}', 'one thing', NULL, 25, NULL)`,
    sql`SELECT enqueue_jobs('work', ARRAY['{"n": 2}'::json], ARRAY['one thing'], NULL, 25, NULL, false)`,
  ]) {
    await sql`DELETE FROM graphile_worker._private_jobs`.execute(owner);
    await sql`SELECT enqueue_job('work', '{"n": 1}', 'one thing', NULL, 25, NULL)`.execute(owner);
    let entered: Promise<unknown> = Promise.resolve();
    await owner.transaction().execute(async (tx) => {
      // The library's own part waits here, after ours.
      await sql`LOCK TABLE graphile_worker._private_tasks IN ACCESS EXCLUSIVE MODE`.execute(tx);
      entered = enterAgain.execute(entering);
      await eventually(async () => {
        const { rows } = await sql`SELECT FROM pg_locks WHERE NOT granted
          AND relation = 'graphile_worker._private_tasks'::regclass`.execute(tx);
        expect(rows).toHaveLength(1);
      });
      // As the library takes a job.
      await sql`UPDATE graphile_worker._private_jobs SET locked_by = 'a runner', locked_at = now(), attempts = 1
        WHERE id IN (SELECT id FROM graphile_worker._private_jobs FOR UPDATE SKIP LOCKED)`.execute(tx);
    });
    await entered;
    await sql`UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL`.execute(owner);
    await clearSuperseded(owner);
    expect(await jobsLeft()).toEqual(['work 2']);
  }
});

test('what runs at the start of a process is not left among the failed when another process starts and the first dies', async () => {
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  await sql`DELETE FROM graphile_worker._private_jobs`.execute(owner);
  await sql`SELECT pg_advisory_lock_shared(hashtextextended('runner:one that lives', 0))`.execute(owner);
  await systemTransaction(database.systemDb, (tx) =>
    enqueueJob(tx, job('work'), { n: 1 } as never, { key: 'start:work' }),
  );
  await sql`UPDATE graphile_worker._private_jobs SET locked_by = 'one that lives', locked_at = now(), attempts = 1`.execute(
    owner,
  );
  const work = vi.fn(async () => undefined);
  const runner = await startRunner({
    ...{ databaseUrl: database.urls.system, concurrency: 1, schedule: [], atStart: ['work'], logger, onEnd },
    tasks: { work },
  });
  await eventually(() => expect(work).toHaveBeenCalledOnce());
  await runner.stop();
  await sql`UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL`.execute(owner);
  await clearSuperseded(owner);
  expect(await jobsLeft()).toEqual([]);
  await owner.destroy();
});

test('a job that runs for long is not begun again, while one that its taker never heard of is', async () => {
  const db = createDatabase({ url: database.url, maxConnections: 1 });
  await sql`DELETE FROM graphile_worker._private_jobs`.execute(db);
  const begun: unknown[] = [];
  const ended = Promise.withResolvers<void>();
  const runner = await startRunner({
    ...{ databaseUrl: database.urls.system, concurrency: 4, schedule: [], atStart: [], logger, onEnd },
    tasks: {
      long: async () => {
        begun.push('long');
        await ended.promise;
      },
      unheard: async () => void begun.push('unheard'),
    },
  });
  await using _ = {
    async [Symbol.asyncDispose]() {
      ended.resolve();
      await runner.stop();
      await db.destroy();
    },
  };
  await enqueue('long', 1);
  await eventually(() => expect(begun).toEqual(['long']));
  // As if it had run for a minute, beside one whose taking got no answer.
  await systemTransaction(database.systemDb, async (tx) => {
    await enqueueJob(tx, job('unheard'), { n: 2 } as never);
    await sql`UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 minute', attempts = 1,
      locked_by = (SELECT locked_by FROM graphile_worker._private_jobs WHERE locked_by IS NOT NULL)`.execute(
      tx,
    );
  });
  await eventually(() => expect(begun).toContain('unheard'));
  await eventually(async () => expect(await jobsLeft()).toEqual([expect.stringMatching(/^long 1 held by /)]));
  expect(begun).toEqual(['long', 'unheard']);
  ended.resolve();
  await eventually(async () => expect(await jobsLeft()).toEqual([]));
});

test('jobs whose takers never heard of them are handed back while their runner lives', async () => {
  const db = createDatabase({ url: database.url, maxConnections: 1 });
  await sql`DELETE FROM graphile_worker._private_jobs`.execute(db);
  for (const n of [1, 2, 3]) await enqueue('work', n);
  await sql`UPDATE graphile_worker._private_jobs SET locked_by = 'this runner', locked_at = now() - interval '1 minute'`.execute(
    db,
  );
  await sql`UPDATE graphile_worker._private_jobs SET locked_by = 'another' WHERE payload->>'n' = '3'`.execute(
    db,
  );
  const ids = await sql<{ id: string; n: string; locked_by: string | null }>`
    SELECT id::text, payload->>'n' AS n, locked_by FROM graphile_worker._private_jobs ORDER BY id`.execute(
    db,
  );
  const lost = createLostJobs(db, new Set([ids.rows[0]?.id ?? '']));
  const held = async () =>
    (
      await sql<{ n: string }>`SELECT payload->>'n' AS n FROM graphile_worker._private_jobs
      WHERE locked_by IS NOT NULL ORDER BY id`.execute(db)
    ).rows.map(({ n }) => n);
  await lost.handBack('this runner');
  // Once could be a job that ends just now.
  expect(await held()).toEqual(['1', '2', '3']);
  await lost.handBack('this runner');
  expect(await held()).toEqual(['1', '3']);
  await db.destroy();
});
