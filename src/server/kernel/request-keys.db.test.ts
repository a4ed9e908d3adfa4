import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { createPeople } from '../../../tests/support/people.ts';
import { inReading, inTransaction, sql } from './db/database.ts';
import { claimKey, forgetReplies, inTransactionOnce, once, storeReply } from './idempotency.ts';
import { hashOf, newId } from './ids.ts';
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
  // A change of a zone may wait for its lease, read, write and read back for more than two minutes.
  await age(4);
  await expect(keys.begin(cut)).rejects.toMatchObject({ code: 'in_progress' });
  await age(6);
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

describe('an act that keeps its reply in its own transaction', () => {
  type Way = typeof once | typeof inTransactionOnce;
  const asked = (change: object = {}) => ({
    ...{ operation: 'things.make', key: 'the-key-1' as string | null, request: { name: 'a' }, ...change },
  });
  /** Somebody of an organization of its own, and how often their act was done. */
  async function person() {
    const { scope } = await createPeople(database).organisation();
    let done = 0;
    const work = async () => {
      done += 1;
      return { done };
    };
    const act = (way: Way, request = asked(), acting: () => Promise<unknown> = work, by = scope) =>
      way === once
        ? inTransaction(database.db, by, (tx) => once(tx, by, request, acting))
        : inTransactionOnce(database.db, by, request, async (tx) => {
            // Whatever comes first tells whether the key is taken.
            await sql`SELECT 1`.execute(tx);
            return acting();
          });
    return { scope, act, done: () => done };
  }

  test.each([
    ['within another one', once],
    ['alone', inTransactionOnce],
  ] as const)('is done once for each key of a person and an operation (%s)', async (_how, way) => {
    const { scope, act, done } = await person();
    expect([await act(way), await act(way)]).toEqual([{ done: 1 }, { done: 1 }]);
    await expect(act(way, asked({ request: { name: 'b' } }))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(done()).toBe(1);
    await act(way, asked({ key: 'the-key-2' }));
    await act(way, asked({ operation: 'things.remove' }));
    const colleague = { ...scope, userId: newId() };
    expect(await act(way, asked({ request: { name: 'c' } }), undefined, colleague)).toEqual({ done: 4 });
    // Without a key nothing is remembered.
    await act(way, asked({ key: null }));
    expect(await act(way, asked({ key: null }))).toEqual({ done: 6 });
    expect(await act(way)).toEqual({ done: 1 });
  });

  test.each([
    ['within another one', once],
    ['alone', inTransactionOnce],
  ] as const)('that failed leaves its key free (%s)', async (_how, way) => {
    const { act } = await person();
    const refused = act(way, asked(), () => Promise.reject(new Error('refused')));
    await expect(refused).rejects.toThrow('refused');
    expect(await act(way, asked({ request: { name: 'mended' } }))).toEqual({ done: 1 });
  });

  test('that two send at once is done once: the second waits, and hears the first', async () => {
    const { act, done } = await person();
    const replies = await Promise.all(Array.from({ length: 5 }, () => act(inTransactionOnce)));
    expect(replies).toEqual(Array.from({ length: 5 }, () => ({ done: 1 })));
    expect(done()).toBe(1);
  });

  test('whose reply is not there yet runs still', async () => {
    const { scope, act, done } = await person();
    const { operation, key, request } = asked();
    const claim = { operation, key: key ?? '', requestHash: hashOf(request), orderId: null };
    await inTransaction(database.db, scope, (tx) => claimKey(tx, scope, claim));
    for (const way of [once, inTransactionOnce] as const) {
      await expect(act(way)).rejects.toMatchObject({ code: 'in_progress' });
      // What it is goes before whether it runs.
      await expect(act(way, asked({ request: { name: 'b' } }))).rejects.toMatchObject({
        code: 'idempotency_key_reused',
      });
    }
    expect(done()).toBe(0);
  });

  test('a purchase keeps the first reply to its order, and none of another order', async () => {
    const { scope } = await person();
    const place = async (key: string) => {
      const orderId = newId();
      await inTransaction(database.db, scope, async (tx) => {
        await tx
          .insertInto('orders')
          .values({
            ...{ id: orderId, organisation_id: scope.organisationId, source: 'cart', state: 'running' },
            ...{ total_cents: 0, user_id: null, ended_at: null },
          })
          .execute();
        await claimKey(tx, scope, { operation: 'orders.purchase', key, requestHash: 'x', orderId });
      });
      return orderId;
    };
    const [first, second] = [await place('order-first'), await place('order-second')];
    const store = (orderId: string, reply: object) => storeReply(database.db, scope, orderId, reply);
    expect(await store(first, { said: 1 })).toEqual({ said: 1 });
    expect(await store(first, { said: 2 })).toEqual({ said: 1 });
    expect(await store(second, { said: 3 })).toEqual({ said: 3 });
    // Nobody asked for it under a key.
    expect(await store(newId(), { said: 4 })).toEqual({ said: 4 });
    const kept = await inReading(database.db, scope, (tx) =>
      tx.selectFrom('idempotency_keys').select(['key', 'status', 'reply']).orderBy('key').execute(),
    );
    expect(kept).toEqual([
      { key: 'order-first', status: 200, reply: { said: 1 } },
      { key: 'order-second', status: 200, reply: { said: 3 } },
    ]);
  });

  test('an erasure forgets the reply that tells of a customer, and no other', async () => {
    const { scope, act } = await person();
    const [gone, stays] = [newId(), newId()];
    const made = (operation: string, key: string, customerId: string) =>
      act(once, asked({ operation, key }), async () => ({ customerId }));
    await made('customers.create', 'tells-of-it', gone);
    await made('customers.create', 'of-another', stays);
    await made('things.make', 'of-a-thing', gone);
    await inTransaction(database.db, scope, (tx) => forgetReplies(tx, scope, gone));
    const left = await inReading(database.db, scope, (tx) =>
      tx.selectFrom('idempotency_keys').select('key').orderBy('key').execute(),
    );
    expect(left.map(({ key }) => key)).toEqual(['of-a-thing', 'of-another']);
  });
});
