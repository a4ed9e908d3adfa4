import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDatabase, sql, systemTransaction } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { createLogger } from '#kernel/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import type { JobName } from '../kernel/job-table.ts';
import { startRunner } from './runner.ts';

/** One organization's many jobs and the few of others (docs/decisions/0267). */
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

const logger = createLogger({ level: 'silent' });
/** None of these runners ends for good. */
const onEnd = () => {
  throw new Error('no job runner could be started');
};

const plan = (task: string, organisationId: string | null, count = 1) =>
  systemTransaction(database.systemDb, async (tx) => {
    const payload = organisationId ? { organisationId } : {};
    for (let n = 0; n < count; n += 1) await enqueueJob(tx, task as JobName, payload as never);
  });

const run = (concurrency: number, tasks: Parameters<typeof startRunner>[0]['tasks']) =>
  startRunner({
    ...{ databaseUrl: database.urls.system, concurrency, tasks, schedule: [], atStart: [], logger, onEnd },
  });

/** Jobs of these kinds by whose they are, in the order in which they are done one after the other. */
async function orderOf(kinds: readonly string[], count: number): Promise<string[]> {
  const done: string[] = [];
  const note = (kind: string) => async (payload: Record<string, unknown>) => {
    done.push(`${kind} ${payload.organisationId ?? 'portal'}`);
  };
  const runner = await run(1, Object.fromEntries(kinds.map((kind) => [kind, note(kind)])));
  await eventually(() => expect(done).toHaveLength(count));
  await runner.stop();
  return done;
}

test('one organization plans 400 jobs before another plans three: those are done before the fourth of the first', async () => {
  const [many, few] = [newId(), newId()];
  await plan('orders.advance', many, 400);
  await plan('orders.advance', few, 3);
  const done = await orderOf(['orders.advance'], 403);
  expect(done.lastIndexOf(`orders.advance ${few}`)).toBeLessThanOrEqual(6);
});

test("a burst of orders delays nobody's import, nor the buyer's own; what nobody waits for goes behind the first twenty", async () => {
  const [buyer, other] = [newId(), newId()];
  await plan('domains.sync', other);
  await plan('orders.advance', buyer, 300);
  await plan('customers.import', buyer);
  await plan('customers.import', other);
  const done = await orderOf(['orders.advance', 'customers.import', 'domains.sync'], 303);
  expect(done.indexOf(`customers.import ${buyer}`)).toBeLessThanOrEqual(2);
  expect(done.indexOf(`customers.import ${other}`)).toBeLessThanOrEqual(2);
  const sync = done.indexOf(`domains.sync ${other}`);
  expect(sync).toBeGreaterThan(19);
  expect(sync).toBeLessThan(30);
});

test('what comes due over days does not count as waiting: the first of today is the first', async () => {
  const organisationId = newId();
  await systemTransaction(database.systemDb, async (tx) => {
    const payload = { organisationId, certificateId: newId() };
    for (let day = 1; day <= 30; day += 1) {
      const runAt = new Date(Date.now() + day * 86_400_000);
      await enqueueJob(tx, 'certificates.sync', payload, { runAt });
    }
    await enqueueJob(tx, 'certificates.sync', payload);
  });
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  const { rows } = await sql<{ priority: number }>`
    SELECT DISTINCT priority FROM graphile_worker._private_jobs`.execute(owner);
  await owner.destroy();
  // Twenty, because nobody waits for it.
  expect(rows).toEqual([{ priority: 20 }]);
});

test('long jobs of one organization, and sweeps, leave a place for those who come', async () => {
  const [many, other] = [newId(), newId()];
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const begun: string[] = [];
  const done: string[] = [];
  await plan('orders.advance', many, 40);
  await plan('mail.send', null, 40);
  const long = (kind: string) => async () => {
    begun.push(kind);
    await held;
  };
  const runner = await run(10, {
    'orders.advance': long('order'),
    'mail.send': long('sweep'),
    'customers.import': async ({ organisationId }) => void done.push(String(organisationId)),
  });
  // Half of ten are the buyer's, and the sweeps take the half of what is left, down to the two that are kept.
  await eventually(() => expect(begun).toHaveLength(8));
  await plan('customers.import', other);
  await eventually(() => expect(done).toEqual([other]));
  expect(begun.filter((kind) => kind === 'order')).toHaveLength(5);
  go();
  await eventually(() => expect(begun).toHaveLength(80));
  await runner.stop();
});

test('a job of before, and one of a process of the release before, are done', async () => {
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  await sql`ALTER TABLE graphile_worker._private_jobs DISABLE TRIGGER turn`.execute(owner);
  await sql`SELECT graphile_worker.add_job('orders.advance', '{"organisationId":"a"}'::json)`.execute(owner);
  await sql`ALTER TABLE graphile_worker._private_jobs ENABLE TRIGGER turn`.execute(owner);
  await sql`SELECT enqueue_job('orders.advance', '{"organisationId":"b"}'::json, NULL, NULL, 25, NULL)`.execute(
    database.systemDb,
  );
  await owner.destroy();
  expect((await orderOf(['orders.advance'], 2)).sort()).toEqual(['orders.advance a', 'orders.advance b']);
});
