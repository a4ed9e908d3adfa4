import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttentionCause } from '#contracts/values/attention.ts';
import type { AttentionSource } from '#kernel/attention.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, itemRow, orderRow, organisationRow } from '../../../../tests/support/rows.ts';
import { orderAttention } from './attention.repo.ts';

let database: TestDatabase;
let organisationId: string;
let customerId: string;
const now = new Date('2026-11-22T12:00:00Z');
const at = now.toISOString();
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
});

const stated = <C extends AttentionCause>(source: AttentionSource<C>) =>
  across(database, (tx) => source.present(tx, { organisationIds: [organisationId], now }));

test('of the items of an order those are stated that only a person can decide', async () => {
  const orderId = await orderRow(database, organisationId);
  const item = (change: Parameters<typeof itemRow>[2]) =>
    itemRow(database, { organisationId, orderId }, { updated_at: now, ...change });
  const object = await item({ state: 'review', address: 'unclear.com', customer_id: customerId });
  for (const state of ['queued', 'sending', 'pending', 'unknown', 'succeeded', 'declined'] as const) {
    await item({ state });
  }
  expect(await stated(orderAttention)).toEqual([
    {
      ...{ organisationId, object, customerId, address: 'unclear.com', deadline: null },
      facts: { orderId, at },
    },
  ]);
  const others = await organisationRow(database);
  await itemRow(
    database,
    { organisationId: others, orderId: await orderRow(database, others) },
    { state: 'review' },
  );
  expect(await stated(orderAttention)).toHaveLength(1);
});
