import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { createPeople } from '../../../tests/support/people.ts';
import { sql } from './db/database.ts';
import { newId } from './ids.ts';
import { createRequestKeys, forgetOldKeys, type KeyedRequest, sealedReplies } from './request-keys.ts';
import { createSeal } from './seal.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const seal = createSeal([{ number: 1, secret: 'x'.repeat(32) }]);
const keysOf = () => createRequestKeys({ systemDb: database.systemDb, seal });
const request = (change: Partial<KeyedRequest> = {}): KeyedRequest => ({
  ...{
    organisationId: null,
    caller: 'user:1',
    operation: 'things.make',
    key: newId(),
    contents: { name: 'a' },
  },
  ...change,
});
const idOf = (begun: object) => ('id' in begun ? String(begun.id) : '');

test('the same key and contents get the first reply; other contents are refused; another caller has keys of their own', async () => {
  const keys = keysOf();
  const first = request();
  await keys.keep(idOf(await keys.begin(first)), { status: 200, body: '{"data":1}' });
  expect(await keys.begin(first)).toEqual({ kept: { status: 200, body: '{"data":1}' } });
  await expect(keys.begin({ ...first, contents: { name: 'b' } })).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
  expect(await keys.begin({ ...first, caller: 'user:2' })).toHaveProperty('id');
  expect(await keys.begin({ ...first, operation: 'things.remove' })).toHaveProperty('id');
});

test('of many at once one begins, and the others hear that it runs; freed, it may begin again', async () => {
  const keys = keysOf();
  const same = request();
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => keys.begin(same)));
  const begun = all.filter((one) => one.status === 'fulfilled');
  expect(begun).toHaveLength(1);
  for (const one of all) {
    if (one.status === 'rejected')
      expect(one.reason).toMatchObject({ code: 'in_progress', retryAfterSeconds: 2 });
  }
  await keys.free(idOf(begun[0]?.value ?? {}));
  expect(await keys.begin(same)).toHaveProperty('id');
});

test('a request whose process was killed is not done again: a repeat hears that it was cut off', async () => {
  const keys = keysOf();
  const cut = request();
  const id = idOf(await keys.begin(cut));
  const age = (minutes: number) =>
    sql`UPDATE request_keys SET created_at = now() - make_interval(mins => ${minutes}) WHERE id = ${id}::uuid`.execute(
      database.systemDb,
    );
  await age(1);
  await expect(keys.begin(cut)).rejects.toMatchObject({ code: 'in_progress' });
  await age(3);
  await expect(keys.begin(cut)).rejects.toMatchObject({ code: 'request_cut_off' });
});

test('replies do not stand in plain text, and are sealed for their own row', async () => {
  const keys = keysOf();
  const one = request();
  const id = idOf(await keys.begin(one));
  await keys.keep(id, { status: 200, body: 'the-secret-link' });
  const row = await database.systemDb
    .selectFrom('request_keys')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.reply_sealed?.toString('latin1')).not.toContain('the-secret-link');
  expect(() => seal.open(row.reply_sealed ?? Buffer.alloc(0), `request:${newId()}`)).toThrow();
  // A change of the sealing key finds it, although it belongs to no organization.
  const place = sealedReplies(database.systemDb);
  const found = await place.under({ than: 2, after: null, limit: 1_000 });
  expect(found.map((sealed) => sealed.id)).toContain(id);
  const [sealed] = found.filter((each) => each.id === id);
  if (!sealed) throw new Error('not found');
  expect(await place.replace(sealed, sealed.sealed, seal.seal('x', `request:${id}`))).toBe(true);
});

test('keys end after 30 days, those of purchases too, and counts of rate limits after a day', async () => {
  const { scope } = await createPeople(database).organisation();
  const keys = keysOf();
  const [young, old] = [request({ organisationId: scope.organisationId }), request()];
  for (const each of [young, old]) {
    await keys.keep(idOf(await keys.begin(each)), { status: 200, body: '{}' });
  }
  const now = new Date();
  const day = (days: number) => new Date(now.getTime() - days * 86_400_000);
  const { systemDb } = database;
  await systemDb
    .updateTable('request_keys')
    .set({ created_at: day(29) })
    .where('key', '=', young.key)
    .execute();
  await systemDb
    .updateTable('request_keys')
    .set({ created_at: day(31) })
    .where('key', '=', old.key)
    .execute();
  const order = async (state: 'running' | 'settled') => {
    const id = newId();
    await systemDb
      .insertInto('orders')
      .values({
        ...{ id, organisation_id: scope.organisationId, source: 'cart', state, total_cents: 0 },
        ...{ user_id: null, ended_at: null },
      })
      .execute();
    return id;
  };
  for (const [key, days, order_id] of [
    ['purchase-29', 29, null],
    ['purchase-31', 31, null],
    ['purchase-31-ended', 31, await order('settled')],
    ['purchase-31-open', 31, await order('running')],
  ] as const) {
    await systemDb
      .insertInto('idempotency_keys')
      .values({
        ...{
          organisation_id: scope.organisationId,
          user_id: scope.userId,
          operation: 'orders.purchase',
          key,
        },
        ...{ request_hash: 'x', status: null, reply: null, order_id, created_at: day(days) },
      })
      .execute();
  }
  for (const [key, hours] of [
    ['called-lately', 23],
    ['called-long-ago', 25],
  ] as const) {
    const at = new Date(Date.now() - hours * 3_600_000);
    await systemDb.insertInto('rate_windows').values({ key, window_start: at, hits: 1 }).execute();
  }
  await forgetOldKeys(systemDb, { now: () => now });
  const counts = await systemDb.selectFrom('rate_windows').select('key').execute();
  expect(counts.map(({ key }) => key)).toEqual(['called-lately']);
  const left = await systemDb.selectFrom('idempotency_keys').select('key').orderBy('key').execute();
  expect(left.map(({ key }) => key)).toEqual(['purchase-29', 'purchase-31-open']);
  expect(await keys.begin(young)).toHaveProperty('kept');
  expect(await keys.begin(old)).toHaveProperty('id');
});
