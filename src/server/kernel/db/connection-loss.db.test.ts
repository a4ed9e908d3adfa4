import type { EventEmitter } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { startRelay } from '../../../../tests/support/relay.ts';
import { newId } from '../ids.ts';
import { isConnectionLoss } from './connection-loss.ts';
import { createDatabase, createPool, inReading, inTransaction, sql, type Tx } from './database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const scope = { organisationId: newId() };
const statement = (tx: Tx) => sql<{ one: number }>`SELECT 1 AS one`.execute(tx);

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
  const one = await inTransaction(db, scope, async (tx) => {
    await statement(tx);
    await new Promise((resolve) => setTimeout(resolve, 400));
    return statement(tx);
  });
  expect(one.rows).toEqual([{ one: 1 }]);
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
