import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { systemClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Item } from './item.ts';
import {
  claimItem,
  claimLeftMs,
  endOrder,
  findItem,
  momentOf,
  moveItem,
  paidCertificate,
  takeDueItems,
} from './items.repo.ts';

/** Each condition of the engine's statements by itself: a state without its attempt, an attempt without its state. */

let database: TestDatabase;
let organisationId: string;
let orderId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  orderId = await orderRow(database, organisationId);
});
afterAll(() => database.close());

const now = new Date();
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const insert = (change: Parameters<typeof itemRow>[2] = {}) =>
  itemRow(database, { organisationId, orderId }, change);

async function read(id: string): Promise<Item> {
  const item = await tenant((tx) => findItem(tx, systemClock, id));
  if (!item) throw new Error(`no item ${id}`);
  return item;
}

async function orderState(id: string) {
  const row = await tenant((tx) =>
    tx.selectFrom('orders').select(['state', 'ended_at']).where('id', '=', id).executeTakeFirstOrThrow(),
  );
  return row.state;
}

const limitMs = 30_000;
const clock = { now: () => now };

describe('a claim', () => {
  test('takes the queued item that is meant, counts its attempt, and takes no other along', async () => {
    const [mine, other] = [await insert(), await insert()];
    const claimed = await tenant(async (tx) => claimItem(tx, clock, mine, limitMs));
    expect(claimed).toMatchObject({ id: mine, state: 'sending', attempt: 1, sentAt: now, updatedAt: now });
    expect(await read(other)).toMatchObject({ state: 'queued', attempt: 0 });
  });

  test('says what is sent, by a hash of it, and is looked after when its time is over', async () => {
    const details = JSON.stringify({ privacy: true });
    const same = { address: newName(), years: 2, details };
    const claimed = async (change: Parameters<typeof itemRow>[2]) => {
      const id = await insert(change);
      await tenant((tx) => claimItem(tx, clock, id, limitMs));
      // Of one name and kind, one is open at a time.
      return tenant((tx) =>
        tx
          .updateTable('order_items')
          .set({ state: 'declined' })
          .where('id', '=', id)
          .returning(['intent_hash', 'next_check_at'])
          .executeTakeFirstOrThrow(),
      );
    };
    const first = await claimed(same);
    expect(first.next_check_at).toEqual(new Date(now.getTime() + limitMs));
    expect(first.intent_hash).toMatch(/^[0-9a-f]{64}$/);
    expect((await claimed(same)).intent_hash).toBe(first.intent_hash);
    for (const change of [
      { address: newName() },
      { kind: 'renewal' as const },
      { years: 1 },
      { details: JSON.stringify({ privacy: false }) },
    ]) {
      expect((await claimed({ ...same, ...change })).intent_hash).not.toBe(first.intent_hash);
    }
  });

  test.each([
    ['domain', 'active', true],
    ['domain', 'transferring', true],
    ['transfer', 'expired', true],
    ['transfer', 'ended', false],
    ['renewal', 'active', false],
    ['redemption', 'active', false],
    ['certificate', 'active', false],
  ] as const)(
    'of a %s says whether another lists the name, which is %s there: %s',
    async (kind, status, is) => {
      const { address } = await domainRow(database, await organisationRow(database), { status });
      const [theirs, own] = [await insert({ kind, address }), await insert({ kind })];
      const { address: ownAddress } = await read(own);
      await domainRow(database, organisationId, { address: ownAddress });
      const said = async (id: string) => tenant((tx) => claimItem(tx, clock, id, limitMs));
      expect(await said(theirs)).toMatchObject({ listedElsewhere: is });
      expect(await said(own)).toMatchObject({ listedElsewhere: false });
    },
  );

  test.each(['sending', 'pending', 'unknown', 'review', 'succeeded', 'declined'] as const)(
    'takes no item that is %s',
    async (state) => {
      const item = await read(await insert({ state }));
      expect(await tenant((tx) => claimItem(tx, clock, item.id, limitMs))).toBeNull();
      expect(await read(item.id)).toMatchObject({ state, attempt: 0 });
    },
  );

  test('makes a held order a running one, and reopens none that has ended', async () => {
    const [held, ended, beside] = await Promise.all([1, 2, 3].map(() => orderRow(database, organisationId)));
    await tenant((tx) => endOrder(tx, ended ?? '', 'failed', now));
    for (const order of [held ?? '', ended ?? '']) {
      const item = await read(await itemRow(database, { organisationId, orderId: order }));
      await tenant((tx) => claimItem(tx, clock, item.id, limitMs));
    }
    expect(await orderState(held ?? '')).toBe('running');
    expect(await orderState(ended ?? '')).toBe('failed');
    expect(await orderState(beside ?? '')).toBe('held');
  });

  test('lasts for its own attempt, while it is being sent, and for its time', async () => {
    const item = await read(await insert({ state: 'sending', attempt: 2, sent_at: new Date() }));
    await insert({ state: 'sending', attempt: 1, sent_at: new Date() });
    const left = (change: Partial<Item> = {}, limitMs = 30_000) =>
      tenant((tx) => claimLeftMs(tx, systemClock, { ...item, ...change }, limitMs));
    expect(await left()).toBeGreaterThan(0);
    expect(await left({ attempt: 1 })).toBeLessThanOrEqual(0);
    expect(await left({ id: newId() })).toBeLessThanOrEqual(0);
    expect(await left({}, -1_000)).toBeLessThanOrEqual(0);
    // What is asked together with the time says the same.
    const moment = (change: Partial<Item> = {}, limit = 30_000) =>
      tenant((tx) => momentOf(tx, systemClock, { ...item, ...change }, limit));
    expect((await moment()).leftMs).toBeGreaterThan(0);
    expect((await moment()).leftMs).toBeLessThanOrEqual(30_000);
    expect((await moment({ attempt: 1 })).leftMs).toBeLessThanOrEqual(0);
    expect((await moment({ id: newId() })).leftMs).toBeLessThanOrEqual(0);
    expect((await moment({}, -1_000)).leftMs).toBeLessThanOrEqual(0);
    await tenant((tx) => moveItem(tx, item, ['sending'], { to: 'unknown', now }));
    expect(await left()).toBeLessThanOrEqual(0);
    expect((await moment()).leftMs).toBeLessThanOrEqual(0);
    expect((await tenant((tx) => momentOf(tx, clock, item, limitMs))).now).toEqual(now);
  });
});

describe('a move', () => {
  test('needs the state it starts from, though the attempt is right', async () => {
    const item = await read(await insert({ state: 'succeeded', attempt: 1 }));
    expect(await tenant((tx) => moveItem(tx, item, ['sending', 'unknown'], { to: 'declined', now }))).toBe(
      false,
    );
    expect(await read(item.id)).toMatchObject({ state: 'succeeded' });
  });

  test('needs the attempt it answers, though the state is right', async () => {
    const item = await read(await insert({ state: 'sending', attempt: 2 }));
    const late = { ...item, attempt: 1 };
    expect(await tenant((tx) => moveItem(tx, late, ['sending'], { to: 'declined', now }))).toBe(false);
    expect(await read(item.id)).toMatchObject({ state: 'sending' });
  });

  test('moves the one item, and what is not said stays', async () => {
    const note = 'The portal was interrupted.';
    const item = await read(await insert({ state: 'sending', attempt: 1, outcome_note: note, checks: 3 }));
    const beside = await insert({ state: 'sending', attempt: 1 });
    expect(await tenant((tx) => moveItem(tx, item, ['sending'], { to: 'pending', now }))).toBe(true);
    expect(await read(item.id)).toMatchObject({
      state: 'pending',
      outcomeNote: note,
      checks: 3,
      updatedAt: now,
    });
    expect(await read(beside)).toMatchObject({ state: 'sending' });
  });

  test('writes all that is said, and plans no look where none is said', async () => {
    const [later, since] = [new Date(now.getTime() + 1_000), new Date(now.getTime() - 1_000)];
    const said = { registrarOrderId: '7', publicError: 'No.', unknownSince: since, checks: 4 };
    const item = await read(await insert({ state: 'sending', attempt: 1, next_check_at: since }));
    const nextCheck = () =>
      tenant((tx) =>
        tx.selectFrom('order_items').select('next_check_at').where('id', '=', item.id).executeTakeFirst(),
      );
    const all = { ...said, to: 'pending' as const, now, note: 'Said.', nextCheckAt: later };
    await tenant((tx) => moveItem(tx, item, ['sending'], all));
    expect(await read(item.id)).toMatchObject({ ...said, outcomeNote: 'Said.' });
    expect(await nextCheck()).toEqual({ next_check_at: later });
    const none = { registrarOrderId: null, publicError: null, unknownSince: null, checks: 0 };
    await tenant((tx) => moveItem(tx, item, ['pending'], { ...none, to: 'review', now, note: null }));
    expect(await read(item.id)).toMatchObject({ ...none, outcomeNote: null });
    expect(await nextCheck()).toEqual({ next_check_at: null });
  });
});

test('an order ends once: a later word of it changes nothing, and no other order ends with it', async () => {
  const [first, second] = [
    await orderRow(database, organisationId),
    await orderRow(database, organisationId),
  ];
  await tenant((tx) => endOrder(tx, first, 'partial', now));
  await tenant((tx) => endOrder(tx, first, 'settled', now));
  expect([await orderState(first), await orderState(second)]).toEqual(['partial', 'held']);
  const endOf = async (id: string) =>
    (await tenant((tx) => tx.selectFrom('orders').select('ended_at').where('id', '=', id).executeTakeFirst()))
      ?.ended_at;
  expect([await endOf(first), await endOf(second)]).toEqual([now, null]);
  await tenant((tx) => tx.updateTable('orders').set({ state: 'running' }).where('id', '=', second).execute());
  await tenant((tx) => endOrder(tx, second, 'failed', now));
  expect(await orderState(second)).toBe('failed');
});

describe('a sweep', () => {
  test('takes what is open and due, once; what is not due, ended or with a person stays', async () => {
    const past = new Date(Date.now() - 1_000);
    const due = await Promise.all(
      (['queued', 'sending', 'pending', 'unknown'] as const).map((state) =>
        insert({ state, next_check_at: past }),
      ),
    );
    await insert({ state: 'queued', next_check_at: new Date(Date.now() + 60_000) });
    await insert({ state: 'review', next_check_at: past });
    await insert({ state: 'declined', next_check_at: past });
    const sweep = () => across(database, (tx) => takeDueItems(tx, systemClock, 100));
    const taken = (await sweep()).map(({ id }) => id).toSorted();
    expect(taken).toEqual(due.toSorted());
    expect(await sweep()).toEqual([]);
  });

  test('takes the first of each organization before the second of any', async () => {
    const dueAt = (seconds: number) => ({
      state: 'unknown' as const,
      next_check_at: new Date(Date.now() - seconds * 1_000),
    });
    for (let n = 0; n < 12; n += 1) await insert(dueAt(100 - n));
    const other = await organisationRow(database);
    const theirs = { organisationId: other, orderId: await orderRow(database, other) };
    const late = await itemRow(database, theirs, dueAt(1));
    const sweep = (limit: number) => across(database, (tx) => takeDueItems(tx, systemClock, limit));
    expect((await sweep(2)).map(({ id }) => id)).toContain(late);
    expect(await sweep(100)).toHaveLength(11);
  });

  test('takes of one organization what is due for longest, names whose it is, and looks again in a minute', async () => {
    const at = new Date(Date.now() + 3_600_000);
    await across(database, (tx) => tx.updateTable('order_items').set({ next_check_at: null }).execute());
    const own = await organisationRow(database);
    const mine = { organisationId: own, orderId: await orderRow(database, own) };
    const dueAt = (seconds: number) => ({
      ...{ state: 'unknown' as const, next_check_at: new Date(at.getTime() - seconds * 1_000) },
    });
    const [second, last, first] = [
      await itemRow(database, mine, dueAt(2)),
      await itemRow(database, mine, dueAt(0)),
      await itemRow(database, mine, dueAt(3)),
    ];
    const sweep = (limit: number) => across(database, (tx) => takeDueItems(tx, { now: () => at }, limit));
    expect(await sweep(1)).toEqual([{ id: first, organisationId: own }]);
    expect((await sweep(5)).map(({ id }) => id)).toEqual([second, last]);
    const looks = await within(database, own, (tx) =>
      tx.selectFrom('order_items').select('next_check_at').where('order_id', '=', mine.orderId).execute(),
    );
    const minute = new Date(at.getTime() + 60_000);
    expect(looks.map((look) => look.next_check_at)).toEqual([minute, minute, minute]);
  });
});

describe('the price of an item that came to nothing', () => {
  const find = (id: string, tenantId = organisationId) =>
    tenant((tx) => paidCertificate(tx, { organisationId: tenantId, itemId: id }));

  test('is that of a completed certificate', async () => {
    const id = await insert({ kind: 'certificate', state: 'succeeded', price_cents: 1_499 });
    expect(await find(id)).toMatchObject({ priceCents: 1_499 });
    expect(await find(id, newId())).toBeUndefined();
    expect(await find(newId())).toBeUndefined();
  });

  test.each([
    { kind: 'domain', state: 'succeeded' },
    { kind: 'certificate', state: 'pending' },
    { kind: 'certificate', state: 'declined' },
  ] as const)('is nothing for a $kind that is $state', async (item) => {
    expect(await find(await insert(item))).toBeUndefined();
  });
});
