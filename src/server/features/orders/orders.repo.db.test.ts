import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { itemRow, orderRow, organisationRow, within } from '../../../../tests/support/rows.ts';
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
