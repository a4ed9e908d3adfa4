import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { rowsRead } from '../../../../tests/support/rows-read.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { dailyLimitCents, lockedSpentCents, openItemsAt, requestUnder, wasRenewed } from './checkout.repo.ts';
import { itemsOfOrder, placedUnder } from './orders.repo.ts';

/** Each condition that a purchase is judged by, beside a row that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let userId: string;
let orderId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  userId = await userRow(database, organisationId, { daily_limit_cents: 5_000 });
  orderId = await orderRow(database, organisationId);
});
afterAll(() => database.close());

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const dayStart = new Date(Date.UTC(2026, 10, 22));
const minuteMs = 60_000;

describe('what a person has spent today', () => {
  const spent = (since = dayStart) => tenant((tx) => lockedSpentCents(tx, userId, since));
  const ordered = async (created_at: Date, state: 'queued' | 'succeeded' | 'declined', by = userId) => {
    const id = await orderRow(database, organisationId, { user_id: by, created_at });
    await itemRow(database, { organisationId, orderId: id }, { state, price_cents: 1_000 });
  };

  test('counts from the first moment of the day, what is open and what was bought; nothing is nothing', async () => {
    expect(await spent()).toBe(0);
    await ordered(dayStart, 'queued');
    await ordered(new Date(dayStart.getTime() + 1), 'succeeded');
    expect(await spent()).toBe(2_000);
  });

  test('leaves out yesterday, the declined, and what others have ordered', async () => {
    const before = await spent();
    await ordered(new Date(dayStart.getTime() - 1), 'succeeded');
    await ordered(dayStart, 'declined');
    await ordered(dayStart, 'succeeded', await userRow(database, organisationId));
    expect(await spent()).toBe(before);
  });

  test('the limit is the person’s own; without one there is none', async () => {
    const other = await userRow(database, organisationId);
    expect(await tenant((tx) => dailyLimitCents(tx, userId))).toBe(5_000);
    expect(await tenant((tx) => dailyLimitCents(tx, other))).toBeNull();
  });
});

describe('a name that was renewed a moment ago', () => {
  const at = new Date(dayStart.getTime() + 5 * minuteMs);
  const renewed = (address: string, since = dayStart) => tenant((tx) => wasRenewed(tx, address, since));
  const item = { kind: 'renewal', state: 'succeeded', updated_at: at } as const;

  test('is known; later, and under another name, it is not', async () => {
    const address = newName();
    await itemRow(database, { organisationId, orderId }, { ...item, address });
    expect(await renewed(address)).toBe(true);
    expect(await renewed(address, at)).toBe(false);
    expect(await renewed(newName())).toBe(false);
  });

  test.each([{ kind: 'domain' }, { state: 'declined' }, { state: 'pending' }] as const)(
    'is none with %o',
    async (change) => {
      const address = newName();
      await itemRow(database, { organisationId, orderId }, { ...item, address, ...change });
      expect(await renewed(address)).toBe(false);
    },
  );
});

test('what is open at an address is found in each open state; what has ended and other addresses are not', async () => {
  const scope = { organisationId } as Scope;
  const address = newName();
  const open = ['queued', 'sending', 'pending', 'unknown', 'review'] as const;
  const kinds = ['domain', 'renewal', 'transfer', 'certificate', 'redemption'] as const;
  const ids = await Promise.all(
    open.map((state, at) =>
      itemRow(database, { organisationId, orderId }, { address, state, kind: kinds[at] ?? 'domain' }),
    ),
  );
  for (const state of ['succeeded', 'declined'] as const) {
    await itemRow(database, { organisationId, orderId }, { address, state });
  }
  await itemRow(database, { organisationId, orderId });
  const found = await tenant((tx) => openItemsAt(tx, scope, [address]));
  expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

test('a key leads to its request: that of the same person, operation and organization only', async () => {
  const scope = { organisationId, userId } as Scope;
  const key = newId();
  const row = { organisation_id: organisationId, user_id: userId, key, request_hash: 'hash', status: null };
  await tenant(async (tx) => {
    const keep = (operation: string, order: string | null) =>
      tx
        .insertInto('idempotency_keys')
        .values({ ...row, operation, reply: null, order_id: order })
        .execute();
    await keep('billing.topUp', null);
  });
  const ask = (asker: Scope, asked: string) => tenant((tx) => requestUnder(tx, asker, asked));
  expect(await ask(scope, key)).toBeUndefined();
  await tenant((tx) =>
    tx
      .insertInto('idempotency_keys')
      .values({ ...row, operation: 'orders.purchase', reply: null, order_id: orderId })
      .execute(),
  );
  expect(await ask(scope, key)).toMatchObject({ hash: 'hash', orderId });
  expect(await ask(scope, newId())).toBeUndefined();
  expect(await ask({ ...scope, userId: newId() }, key)).toBeUndefined();
  // So it is for those who ask what became of it.
  const became = (asker: Scope, asked: string) => tenant((tx) => placedUnder(tx, asker, asked));
  expect(await became(scope, key)).toEqual({ orderId, reply: null });
  expect(await became(scope, newId())).toBeNull();
  expect(await became({ ...scope, userId: newId() }, key)).toBeNull();
  await tenant((tx) =>
    tx.deleteFrom('idempotency_keys').where('operation', '=', 'orders.purchase').execute(),
  );
  expect(await became(scope, key)).toBeNull();
});

describe('a purchase beside many others', () => {
  const others = 3_000;
  beforeAll(async () => {
    const organisation = await organisationRow(database);
    const order = await orderRow(database, organisation);
    await across(database, (tx) =>
      sql`INSERT INTO order_items (id, organisation_id, order_id, position, kind, address, years, price_cents, cost_cents,
          details, state)
        SELECT uuidv7(), ${organisation}, ${order}, n, 'renewal', 'other-' || n || '.com', 1, 1, 1, '{}', 'succeeded'
        FROM generate_series(1, ${others}::int) n`.execute(tx),
    );
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query('ANALYZE order_items').finally(() => owner.end());
  });

  test('reads its own items and those that it follows, and no others', async () => {
    const followed = await itemRow(database, { organisationId, orderId }, { state: 'succeeded' });
    const id = await orderRow(database, organisationId, { attached: [followed] });
    const own = await itemRow(database, { organisationId, orderId: id });
    const scope = { organisationId, userId } as Scope;
    await tenant(async (tx) => {
      const found = async () => (await itemsOfOrder(tx, scope, id)).map((item) => item.id);
      expect((await found()).toSorted()).toEqual([followed, own].toSorted());
      expect(await rowsRead(tx, 'order_items', found)).toBeLessThanOrEqual(4);
    });
  });

  test('an order that follows nobody has its own items, as they stood in the cart', async () => {
    const id = await orderRow(database, organisationId);
    const at = (position: number) => itemRow(database, { organisationId, orderId: id }, { position });
    const [third, first, second] = [await at(3), await at(1), await at(2)];
    const items = await tenant((tx) => itemsOfOrder(tx, { organisationId, userId } as Scope, id));
    expect(items.map((item) => item.id)).toEqual([first, second, third]);
  });

  test('asks by the name whether it was renewed', async () => {
    await tenant(async (tx) => {
      const asked = () => wasRenewed(tx, 'other-7.com', dayStart);
      expect(await rowsRead(tx, 'order_items', asked)).toBeLessThanOrEqual(2);
    });
  });
});
