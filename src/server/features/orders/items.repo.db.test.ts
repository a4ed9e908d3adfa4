import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  domainRow,
  itemRow,
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
    expect(claimed).toMatchObject({ id: mine, state: 'sending', attempt: 1, sentAt: now });
    expect(await read(other)).toMatchObject({ state: 'queued', attempt: 0 });
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
    await tenant((tx) => moveItem(tx, item, ['sending'], { to: 'unknown', now }));
    expect(await left()).toBeLessThanOrEqual(0);
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
    expect(await read(item.id)).toMatchObject({ state: 'pending', outcomeNote: note, checks: 3 });
    expect(await read(beside)).toMatchObject({ state: 'sending' });
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
