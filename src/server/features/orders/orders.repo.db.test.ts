import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  customerRow,
  itemRow,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import type { Scope } from '../../kernel/scope.ts';
import { refundItem } from '../../ledger/ledger.ts';
import { listOrders } from './orders.repo.ts';

/** What an order says of its money. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const orderOf = async (organisationId: string, id: string) => {
  const scope = { organisationId } as Scope;
  const { rows } = await within(database, organisationId, (tx) => listOrders(tx, scope, { pageSize: 1, id }));
  return rows[0];
};
const refund = (organisationId: string, itemId: string) =>
  within(database, organisationId, (tx) =>
    refundItem(tx, { organisationId, itemId, cents: 1_000, actor: 'orders', text: 'declined' }),
  );

test('what was paid back is not charged: the order and its item say so, and no other one', async () => {
  const organisationId = await organisationRow(database);
  const orderId = await orderRow(database, organisationId);
  const place = { organisationId, orderId };
  const [kept, back] = [
    await itemRow(database, place, { state: 'succeeded', price_cents: 1_231 }),
    await itemRow(database, place, { state: 'succeeded', kind: 'certificate' }),
  ];
  await itemRow(database, place, { state: 'declined' });
  expect(await orderOf(organisationId, orderId)).toMatchObject({ charged: 22.31 });
  await refund(organisationId, back);
  const after = await orderOf(organisationId, orderId);
  expect(after?.charged).toBe(12.31);
  const refunded = after?.items.map(({ itemId, refunded: dollars }) => [itemId, dollars]);
  expect(refunded).toEqual([
    [kept, 0],
    [back, 10],
    [expect.any(String), 0],
  ]);
});

test('an item that an order joined is paid back where it was charged', async () => {
  const organisationId = await organisationRow(database);
  const orderId = await orderRow(database, organisationId);
  const itemId = await itemRow(database, { organisationId, orderId }, { state: 'succeeded' });
  const joined = await orderRow(database, organisationId, { attached: [itemId] });
  await refund(organisationId, itemId);
  expect(await orderOf(organisationId, orderId)).toMatchObject({ charged: 0, items: [{ refunded: 10 }] });
  expect(await orderOf(organisationId, joined)).toMatchObject({ charged: 0, items: [{ refunded: 10 }] });
});

test('an item of another organization is not read, whatever an order says that it joined, and also where the database would show it', async () => {
  const [organisationId, other] = [await organisationRow(database), await organisationRow(database)];
  const foreign = await itemRow(database, {
    organisationId: other,
    orderId: await orderRow(database, other),
  });
  const id = await orderRow(database, organisationId, { attached: [foreign] });
  const { rows } = await across(database, (tx) =>
    listOrders(tx, { organisationId } as Scope, { pageSize: 1, id }),
  );
  expect(rows).toMatchObject([{ orderId: id, items: [] }]);
});

test('orders are sorted by time or total in both directions, newest first without a wish; of equals the newer is first', async () => {
  const organisationId = await organisationRow(database);
  const order = async (minute: number, cents: number) => {
    const id = await orderRow(database, organisationId, {
      created_at: new Date(Date.UTC(2026, 10, 22, 12, minute)),
    });
    await within(database, organisationId, (tx) =>
      tx.updateTable('orders').set({ total_cents: cents }).where('id', '=', id).execute(),
    );
    return id;
  };
  const [a, b, c, d] = [
    await order(3, 10_00),
    await order(1, 30_00),
    await order(2, 20_00),
    await order(2, 20_00),
  ];
  const list = async (query: Partial<Parameters<typeof listOrders>[2]>) => {
    const scope = { organisationId } as Scope;
    const found = await within(database, organisationId, (tx) =>
      listOrders(tx, scope, { pageSize: 9, ...query }),
    );
    return { ids: found.rows.map(({ orderId }) => orderId), total: found.total };
  };
  const sorted = async (sort?: string) => (await list({ sort })).ids;
  expect(await sorted()).toEqual([a, d, c, b]);
  expect(await sorted('-createdAt')).toEqual([a, d, c, b]);
  expect(await sorted('createdAt')).toEqual([b, d, c, a]);
  expect(await sorted('-total')).toEqual([b, d, c, a]);
  expect(await sorted('total')).toEqual([a, d, c, b]);
  expect(await list({ pageSize: 3 })).toEqual({ ids: [a, d, c], total: 4 });
  expect(await list({ pageSize: 3, page: 2 })).toEqual({ ids: [b], total: 4 });
});

test('open orders are those whose money is held, the others are all others; words find the names in an order', async () => {
  const organisationId = await organisationRow(database);
  const found = async (query: { open?: boolean; search?: string }) => {
    const { rows, total } = await within(database, organisationId, (tx) =>
      listOrders(tx, { organisationId } as Scope, { pageSize: 9, ...query }),
    );
    return [total, ...rows.map(({ state }) => state).sort()];
  };
  const states = ['held', 'running', 'settled'] as const;
  for (const state of states) {
    const orderId = await orderRow(database, organisationId);
    await itemRow(database, { organisationId, orderId }, { address: `${state}.example.com` });
    await within(database, organisationId, (tx) =>
      tx.updateTable('orders').set({ state }).where('id', '=', orderId).execute(),
    );
  }
  expect(await found({ open: true })).toEqual([2, 'held', 'running']);
  expect(await found({ open: false })).toEqual([1, 'settled']);
  expect(await found({})).toEqual([3, ...states]);
  expect(await found({ search: 'SETTLED.ex' })).toEqual([1, 'settled']);
  expect(await found({ open: true, search: 'settled.ex' })).toEqual([0]);
});

test('an order says who bought it, or which job, and all of its items in the order of the cart', async () => {
  const organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId, { email: 'ann@msp.example' });
  const customerId = await customerRow(database, organisationId);
  const orderId = await orderRow(database, organisationId, {
    ...{ user_id: userId, created_at: new Date('2026-11-22T12:00:00Z') },
  });
  const checkAt = new Date('2026-11-22T12:05:00Z');
  const second = await itemRow(
    database,
    { organisationId, orderId },
    {
      ...{ position: 2, kind: 'transfer', address: 'moved.com', state: 'declined', public_error: 'Locked' },
      ...{ years: 1, price_cents: 9_50, updated_at: checkAt },
    },
  );
  const first = await itemRow(
    database,
    { organisationId, orderId },
    {
      ...{ position: 1, address: 'new.com', customer_id: customerId, years: 3, price_cents: 30_00 },
      ...{ state: 'pending', registrar_order_id: '4711', next_check_at: checkAt, updated_at: checkAt },
    },
  );
  expect(await orderOf(organisationId, orderId)).toEqual({
    ...{ orderId, state: 'held', total: 10, charged: 0, createdAt: '2026-11-22T12:00:00.000Z' },
    by: 'ann@msp.example',
    items: [
      {
        ...{ itemId: first, kind: 'domain', address: 'new.com', customerId, customer: 'Example Ltd' },
        ...{ period: 3, price: 30, refunded: 0, state: 'pending', error: null, registrarOrderId: '4711' },
        ...{ orderId, updatedAt: checkAt.toISOString(), nextCheckAt: checkAt.toISOString() },
      },
      {
        ...{ itemId: second, kind: 'transfer', address: 'moved.com', customerId: null, customer: '' },
        ...{ period: 1, price: 9.5, refunded: 0, state: 'declined', error: 'Locked', registrarOrderId: null },
        ...{ orderId, updatedAt: checkAt.toISOString(), nextCheckAt: null },
      },
    ],
  });
  for (const [source, by] of [
    ['auto_renew', 'Auto renew'],
    ['acme', 'ACME'],
  ] as const) {
    await within(database, organisationId, (tx) =>
      tx.updateTable('orders').set({ source, user_id: null }).where('id', '=', orderId).execute(),
    );
    expect((await orderOf(organisationId, orderId))?.by).toBe(by);
  }
});
