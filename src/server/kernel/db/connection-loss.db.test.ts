import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { startRelay } from '../../../../tests/support/relay.ts';
import { newId } from '../ids.ts';
import { isConnectionLoss } from './connection-loss.ts';
import {
  createDatabase,
  createPool,
  type Db,
  inOneGo,
  inReading,
  inTransaction,
  sql,
  type Tx,
} from './database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const scope = { organisationId: newId() };
const one = sql<{ one: number }>`SELECT 1 AS one`;
const statement = (tx: Tx) => one.execute(tx);

test.each([
  ['a statement alone', (db: TestDatabase['db']) => sql`SELECT 1`.execute(db)],
  ['a transaction', (db: TestDatabase['db']) => inTransaction(db, scope, statement)],
  ['a reading', (db: TestDatabase['db']) => inReading(db, scope, statement)],
])(
  'on a network that falls silent %s ends within its time, and its connection is used no more',
  async (_what, ask) => {
    await using relay = await startRelay(database.urls.tenants);
    const db = createDatabase({
      ...{ url: relay.url, maxConnections: 1, silenceMs: 300 },
    });
    await ask(db);
    relay.become('silent');
    const error = await ask(db).catch((thrown: unknown) => thrown);
    expect(isConnectionLoss(error)).toBe(true);
    relay.become('open');
    // With a single connection in the pool: the dead one is not in its place.
    await ask(db);
    await db.destroy();
  },
);

test('a connection that waits between two statements of a transaction is not taken for a silent one', async () => {
  const db = createDatabase({
    ...{ url: database.urls.tenants, maxConnections: 1, silenceMs: 150 },
  });
  const second = await inTransaction(db, scope, async (tx) => {
    await statement(tx);
    await new Promise((resolve) => setTimeout(resolve, 400));
    return statement(tx);
  });
  expect(second.rows).toEqual([{ one: 1 }]);
  await db.destroy();
});

test('a connection to a server that says that it is a standby is left for another one', async () => {
  const pool = createPool({ url: database.urls.system, maxConnections: 1 });
  const client = await pool.connect();
  const { connection } = client as unknown as { connection: EventEmitter };
  connection.emit('parameterStatus', { parameterName: 'in_hot_standby', parameterValue: 'off' });
  await expect(client.query('SELECT 1')).resolves.toBeDefined();
  connection.emit('parameterStatus', { parameterName: 'in_hot_standby', parameterValue: 'on' });
  const error = await client.query('SELECT 1').catch((thrown: unknown) => thrown);
  expect(isConnectionLoss(error)).toBe(true);
  client.release();
  await expect(pool.query('SELECT 1')).resolves.toBeDefined();
  await pool.end();
});

const sleep = sql<{ one: number }>`SELECT 1 AS one FROM pg_sleep(600)`;
const ended = { code: '57P01' };

/** The only connection of a pool, which the administrator may end as it does something. */
async function withOneConnection(
  work: (db: Db, end: () => Promise<unknown>, isAsleep: () => Promise<unknown>) => Promise<unknown>,
) {
  const db = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  try {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
    const pid = rows[0]?.pid;
    const asleep = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'`;
    await work(
      db,
      () => owner.query('SELECT pg_terminate_backend($1, 5000)', [pid]),
      () => expect.poll(async () => (await owner.query(asleep, [pid])).rows).toEqual([{ n: 1 }]),
    );
    const after = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
    expect(after.rows[0]?.pid).not.toBe(pid);
  } finally {
    await owner.end();
    await db.destroy();
  }
}

const ways: [string, (db: Db, query: typeof sleep) => Promise<{ rows: { one: number }[] }>][] = [
  ['a statement alone', (db, query) => query.execute(db)],
  ['a transaction', (db, query) => inTransaction(db, scope, (tx) => query.execute(tx))],
  ['one go', (db, query) => inOneGo(db, scope, (tx) => query.execute(tx))],
  ['a reading', (db, query) => inReading(db, scope, (tx) => query.execute(tx))],
];

test.each(ways)(
  'a connection that PostgreSQL ends under %s is given to nobody else, not even to who waits for it',
  (_what, ask) =>
    withOneConnection(async (db, end, isAsleep) => {
      const asked = ask(db, sleep).then(
        () => 'answered',
        // At once: nothing has been heard of the connection's end yet.
        async (error: unknown) => [error, (await ask(db, one)).rows],
      );
      await isAsleep();
      const waiting = Promise.all(ways.map(async ([, other]) => (await other(db, one)).rows));
      await end();
      expect(await asked).toEqual([expect.objectContaining(ended), [{ one: 1 }]]);
      expect(await waiting).toEqual(ways.map(() => [{ one: 1 }]));
    }),
);

test.each(ways)('a connection that PostgreSQL ends while nobody uses it is not found by %s', (_what, ask) =>
  withOneConnection(async (db, end) => {
    await ask(db, one);
    await end();
    expect((await ask(db, one)).rows).toEqual([{ one: 1 }]);
  }),
);

test('a connection that PostgreSQL ends between two statements of a transaction fails it, and serves nobody after it', () =>
  withOneConnection(async (db, end) => {
    const cut = inTransaction(db, scope, async (tx) => {
      await one.execute(tx);
      await end();
      return one.execute(tx);
    });
    const error = await cut.catch((thrown: unknown) => thrown);
    expect(isConnectionLoss(error)).toBe(true);
    expect((await inReading(db, scope, (tx) => one.execute(tx))).rows).toEqual([{ one: 1 }]);
  }));

test.each([
  ['FATAL', '57P01', true],
  ['FATAL', '25P04', true],
  ['PANIC', 'XX000', true],
  // As a server says it whose messages are in another language.
  ['ВАЖНО', '57P02', true],
  ['ERROR', '57014', false],
  ['ERROR', '23505', false],
])('after %s %s a connection is kept or left', async (severity, code, isLeft) => {
  const pool = createPool({ url: database.urls.tenants, maxConnections: 1 });
  const client = await pool.connect();
  const { connection } = client as unknown as { connection: EventEmitter };
  const asking = client.query('SELECT pg_sleep(0.2)').catch((thrown: unknown) => thrown);
  connection.emit('errorMessage', Object.assign(new Error('x'), { severity, code }));
  expect(await asking).toMatchObject({ code });
  client.release();
  expect(pool.totalCount).toBe(isLeft ? 0 : 1);
  await pool.end();
});

test.each([
  ['a refused connection', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true],
  ['a server that recovers', Object.assign(new Error('x'), { code: '57P03' }), true],
  ['a server that an administrator stopped', Object.assign(new Error('x'), { code: '57P01' }), true],
  ['no connection left', Object.assign(new Error('x'), { code: '53300' }), true],
  ["the driver's words for a lost one", new Error('Connection terminated unexpectedly'), true],
  ["the pool's words for none in time", new Error('timeout exceeded when trying to connect'), true],
  ['a write at a standby', Object.assign(new Error('x'), { code: '25006' }), true],
  ['a statement that was cancelled', Object.assign(new Error('x'), { code: '57014' }), false],
  ['a duplicate', Object.assign(new Error('x'), { code: '23505' }), false],
  ['a wrong password', Object.assign(new Error('x'), { code: '28P01' }), false],
  ['a mistake', new Error('undefined is not a function'), false],
  ['no error', 'ECONNREFUSED', false],
])('%s: whether that is a lost connection', (_what, error, expected) => {
  expect(isConnectionLoss(error)).toBe(expected);
});
