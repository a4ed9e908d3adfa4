import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { createPeople, type People } from '../../../tests/support/people.ts';
import { inOneGo, later, sql, type Tx } from './db/database.ts';
import { newId } from './ids.ts';
import { createLeases, isLeaseLost, type Lease } from './leases.ts';

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

const rename = (tx: Tx, name: string) => tx.updateTable('organisations').set({ name });
const nameOf = async ({ organisationId }: { organisationId: string }) => {
  const all = database.systemDb.selectFrom('organisations').select('name');
  return (await all.where('id', '=', organisationId).executeTakeFirstOrThrow()).name;
};
const readName = (tx: Tx) => tx.selectFrom('organisations').select('name').executeTakeFirstOrThrow();

test('what is read with the taking is read under the lease: what the holder before has left is seen', async () => {
  const scope = await tenant();
  const [here, there] = [processOf(), processOf()];
  const { promise: taken, resolve: begun } = Promise.withResolvers<void>();
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  const first = here.run(scope, 'a.com', async (lease) => {
    begun();
    await until;
    await inOneGo(database.db, scope, async (tx) => {
      await later(tx, rename(tx, 'Left behind'));
      await lease.endWith(tx);
    });
  });
  await taken;
  const second = there.runWith(scope, 'a.com', readName, async (_lease, seen) => seen.name);
  release();
  expect([await first, await second]).toEqual([undefined, 'Left behind']);
});

test('the first reading sees the lease that it is done under', async () => {
  const scope = await tenant();
  const held = (tx: Tx) => tx.selectFrom('zone_leases').select('address').execute();
  const seen = await processOf().runWith(scope, 'a.com', held, async (_lease, rows) => rows);
  expect(seen).toEqual([{ address: 'a.com' }]);
});

test('a reading that fails lets go of the lease, and is told to who asked', async () => {
  const scope = await tenant();
  const fails = async (tx: Tx) => {
    await readName(tx);
    throw new Error('not there');
  };
  const work = async () => expect.unreachable();
  await expect(processOf().runWith(scope, 'a.com', fails, work)).rejects.toThrow('not there');
  expect(await processOf().run(scope, 'a.com', (lease) => lease.held())).toBe(true);
});

test('an intent is committed once, with the first question that finds the lease in force', async () => {
  const scope = await tenant();
  const intents: string[] = [];
  const seen = await processOf().run(scope, 'a.com', async (lease) => {
    const fence = lease.fence(async (tx) => {
      intents.push('written');
      await later(tx, rename(tx, 'Intended'));
    });
    const before = await nameOf(scope);
    const first = (await fence.holdsForMs()) > 0;
    const after = await nameOf(scope);
    return { before, first, after, second: (await fence.holdsForMs()) > 0 };
  });
  expect(seen).toMatchObject({ first: true, after: 'Intended', second: true });
  expect([seen.before, intents]).toEqual([expect.not.stringContaining('Intended'), ['written']]);
});

test('without the lease nothing of an intent is kept, nor of what writes an answer down', async () => {
  const scope = await tenant();
  const before = await nameOf(scope);
  const seen = await processOf().run(scope, 'a.com', async (lease) => {
    const fence = lease.fence((tx) => later(tx, rename(tx, 'Intended')));
    await runOut(scope);
    const answer = inOneGo(database.db, scope, async (tx) => {
      await later(tx, rename(tx, 'Answered'));
      await lease.requireIn(tx);
    });
    return [await answer.catch(isLeaseLost), await fence.holdsForMs()];
  });
  expect([seen, await nameOf(scope)]).toEqual([[true, 0], before]);
});

test('an intent that the database refuses is no lost lease, and nobody is told that it holds', async () => {
  const scope = await tenant();
  await processOf().run(scope, 'a.com', async (lease) => {
    const fence = lease.fence((tx) => later(tx, sql`SELECT 1 / 0`));
    await expect(fence.holdsForMs()).rejects.toMatchObject({ code: '22012' });
  });
});

test('a lease of another organization can be neither asked for nor used', async () => {
  const [scope, stranger] = [await tenant(), await tenant()];
  await processOf().run(scope, 'a.com', async (lease) => {
    const { holder } = await database.systemDb
      .selectFrom('zone_leases')
      .select('holder')
      .where('organisation_id', '=', scope.organisationId)
      .executeTakeFirstOrThrow();
    const ask = sql`SELECT require_lease(${scope.organisationId}, 'a.com', ${holder})`;
    const before = await nameOf(stranger);
    const asking = inOneGo(database.db, stranger, (tx) => ask.execute(tx));
    const using = inOneGo(database.db, stranger, async (tx) => {
      await later(tx, rename(tx, 'With another’s lease'));
      await lease.requireIn(tx);
    });
    const lost = await Promise.all([asking.catch(isLeaseLost), using.catch(isLeaseLost)]);
    expect(lost).toEqual([true, true]);
    expect(await nameOf(stranger)).toBe(before);
    expect((await inOneGo(database.db, scope, (tx) => ask.execute(tx))).rows).toHaveLength(1);
  });
});
