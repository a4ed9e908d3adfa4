import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttentionCause } from '#contracts/values/attention.ts';
import type { AttentionSource } from '#kernel/attention.ts';
import { newId } from '#kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  customerRow,
  itemRow,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { chargeAttention, refundAttention } from './attention.repo.ts';

let database: TestDatabase;
let organisationId: string;
let customerId: string;
const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
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

async function charge(change: {
  state: 'failed' | 'sending' | 'waived' | 'succeeded';
  failure?: string;
  next_try_at?: Date;
  disputed_cents?: number;
  dispute_released_cents?: number;
}) {
  const id = newId();
  const order_id = await orderRow(database, organisationId);
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('direct_charges')
      .values({
        ...{ id, organisation_id: organisationId, customer_id: customerId, order_id, part: 1, cents: 12_34 },
        ...{ payment_intent: null, failure: null, next_try_at: null, note: null, sent_at: null, ...change },
      })
      .execute(),
  );
  return { id, order_id };
}

/** Beside what is asked about: an organization with the same trouble. */
async function elsewhere(trouble: () => Promise<unknown>): Promise<void> {
  const own = [organisationId, customerId] as const;
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  await trouble();
  [organisationId, customerId] = own;
}

test('charges that were disputed are stated with what was, until staff have allowed charges again', async () => {
  await elsewhere(() => charge({ state: 'succeeded', disputed_cents: 5_00 }));
  const disputed = await charge({ state: 'succeeded', disputed_cents: 5_00, dispute_released_cents: 4_99 });
  await charge({ state: 'succeeded', disputed_cents: 5_00, dispute_released_cents: 5_00 });
  await charge({ state: 'succeeded' });
  expect(await stated(chargeAttention)).toEqual([
    {
      ...{ organisationId, customerId, object: disputed.id, address: null, deadline: null },
      facts: { chargeId: disputed.id, cents: 5_00, error: null, retries: false, disputed: true },
    },
  ]);
});

test('a charge whose day of another try will come is for a person while a dispute stops its customer', async () => {
  const again = await charge({ state: 'failed', next_try_at: inDays(1) });
  const retries = async () =>
    (await stated(chargeAttention)).find(({ object }) => object === again.id)?.facts.retries;
  expect(await retries()).toBe(true);
  const own = customerId;
  customerId = await customerRow(database, organisationId);
  await charge({ state: 'succeeded', disputed_cents: 5_00 });
  expect(await retries()).toBe(true);
  customerId = own;
  await charge({ state: 'succeeded', disputed_cents: 5_00 });
  expect(await retries()).toBe(false);
});

test('charges that failed are stated, also those that are tried again by themselves', async () => {
  await elsewhere(() => charge({ state: 'failed' }));
  const ended = await charge({ state: 'failed', failure: 'Declined' });
  const again = await charge({ state: 'failed', next_try_at: inDays(1) });
  await charge({ state: 'sending' });
  await charge({ state: 'waived', failure: 'Declined' });
  const own = { organisationId, customerId, address: null, deadline: null };
  const rows = (await stated(chargeAttention)).sort((a, b) => a.object.localeCompare(b.object));
  expect(rows).toEqual(
    [
      {
        ...own,
        object: ended.id,
        facts: { chargeId: ended.id, cents: 12_34, error: 'Declined', retries: false },
      },
      { ...own, object: again.id, facts: { chargeId: again.id, cents: 12_34, error: null, retries: true } },
    ].sort((a, b) => a.object.localeCompare(b.object)),
  );
});

test('refunds that failed are stated, of the customer who waits for them', async () => {
  const { id, order_id: orderId } = await charge({ state: 'waived' });
  const refund = async (
    state: 'failed' | 'sending' | 'done',
    of: { charge_id: string; order_id: string } = { charge_id: id, order_id: orderId },
  ) => {
    const place = { organisationId, orderId: of.order_id };
    const itemId = await itemRow(database, place, { state: 'succeeded' });
    await within(database, organisationId, (tx) =>
      tx
        .insertInto('direct_refunds')
        .values({
          ...{ item_id: itemId, organisation_id: organisationId, cents: 4_56, state },
          charge_id: of.charge_id,
          ...{ refund_id: null, failure: 'Account closed', created_at: now, updated_at: now },
        })
        .execute(),
    );
    return itemId;
  };
  await elsewhere(async () => {
    const { id: charge_id, order_id } = await charge({ state: 'waived' });
    await refund('failed', { charge_id, order_id });
  });
  const object = await refund('failed');
  await refund('sending');
  await refund('done');
  expect(await stated(refundAttention)).toEqual([
    {
      ...{ organisationId, object, customerId, address: null, deadline: null },
      facts: { chargeId: id, cents: 4_56, error: 'Account closed' },
    },
  ]);
});
