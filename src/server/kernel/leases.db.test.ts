import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { createPeople, type People } from '../../../tests/support/people.ts';
import { newId } from './ids.ts';
import { createLeases, type Lease } from './leases.ts';

let database: TestDatabase;
let people: People;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());

const times = { leaseMs: 60_000, waitMs: 60_000 };
/** Two processes: neither knows of the other but by the database. */
const processOf = () => createLeases({ db: database.db, newId, writeMs: 60_000, times });
const tenant = async () => (await people.organisation()).scope;

/** As for a process that was paused for longer than its lease. */
async function runOut({ organisationId }: { organisationId: string }): Promise<void> {
  await database.systemDb
    .updateTable('zone_leases')
    .set({ expires_at: new Date(0) })
    .where('organisation_id', '=', organisationId)
    .execute();
}

const both = async (lease: Lease) => [await lease.held(), (await lease.fence().holdsForMs()) > 0];

test('a lease holds while its work runs: nothing else is said before the wire, nor after it', async () => {
  expect(await processOf().run(await tenant(), 'a.com', both)).toEqual([true, true]);
});

test('a lease that ran out is lost before the wire and after it, although nobody has taken it', async () => {
  const scope = await tenant();
  const seen = await processOf().run(scope, 'a.com', async (lease) => {
    const fence = lease.fence();
    await runOut(scope);
    return [await lease.held(), await fence.holdsForMs()];
  });
  expect(seen).toEqual([false, 0]);
});

test('a lease that another process took over is lost for the first, and the second has it', async () => {
  const scope = await tenant();
  const seen = await processOf().run(scope, 'a.com', async (first) => {
    const fence = first.fence();
    await runOut(scope);
    const second = await processOf().run(scope, 'a.com', async (lease) => [
      await both(lease),
      await first.held(),
      await fence.holdsForMs(),
    ]);
    return { second, after: await first.held() };
  });
  expect(seen).toEqual({ second: [[true, true], false, 0], after: false });
});

test('a lease is of one thing of one organization: others have theirs at the same time', async () => {
  const scope = await tenant();
  const other = await tenant();
  const seen = await processOf().run(scope, 'a.com', () =>
    Promise.all([
      processOf().run(scope, 'b.com', async () => 'another thing'),
      processOf().run(other, 'a.com', async () => 'another organization'),
    ]),
  );
  expect(seen).toEqual(['another thing', 'another organization']);
});

test('who comes while it is held waits, in this process and in another, and then has it', async () => {
  const scope = await tenant();
  const [here, there] = [processOf(), processOf()];
  const order: string[] = [];
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const taken = new Promise<void>((begun) => {
    void here.run(scope, 'a.com', async () => {
      begun();
      await until;
      order.push('first');
    });
  });
  await taken;
  const waiting = [here, there].map((leases) =>
    leases.run(scope, 'a.com', async (lease) => order.push(String(await lease.held()))),
  );
  release();
  await Promise.all(waiting);
  expect(order).toEqual(['first', 'true', 'true']);
});

test('work that fails lets go of its lease', async () => {
  const scope = await tenant();
  const fails = async () => {
    throw new Error('on purpose');
  };
  await expect(processOf().run(scope, 'a.com', fails)).rejects.toThrow('on purpose');
  expect(await processOf().run(scope, 'a.com', (lease) => lease.held())).toBe(true);
});
