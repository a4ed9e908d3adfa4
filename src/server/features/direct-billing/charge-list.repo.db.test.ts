import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DirectChargeState } from '#kernel/db/schema.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, itemRow, orderRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { type ChargeQuery, listCharges } from './charge-list.repo.ts';

/** Which charges are listed, in which order, and what is said of each. */

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

let made = 0;
const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 12, minute));

async function charge(
  customerId: string,
  change: { state?: DirectChargeState; attempt?: number; cents?: number; minute?: number } = {},
) {
  // By their numbers: two of one millisecond have no order.
  made += 1;
  const id = newId(at(0).getTime() + made);
  const { minute = 0, ...more } = change;
  const order_id = await orderRow(database, organisationId);
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('direct_charges')
      .values({
        ...{ id, organisation_id: organisationId, customer_id: customerId, order_id, part: 1, cents: 12_00 },
        ...{ state: 'succeeded', payment_intent: null, failure: null, next_try_at: null, note: null },
        ...{ sent_at: null, created_at: at(minute), updated_at: at(minute), ...more },
      })
      .execute(),
  );
  return { id, order_id };
}
const list = async (query: Partial<ChargeQuery> = {}) =>
  within(database, organisationId, (tx) =>
    listCharges(tx, { organisationId } as Scope, { pageSize: 50, ...query }),
  );
const idsOf = async (query: Partial<ChargeQuery>) => (await list(query)).rows.map(({ chargeId }) => chargeId);

test('open ones are those that failed, also while they are tried again; the others are all others', async () => {
  organisationId = await organisationRow(database);
  const customerId = await customerRow(database, organisationId);
  const open = [
    await charge(customerId, { state: 'failed' }),
    await charge(customerId, { state: 'sending', attempt: 2 }),
  ];
  const others = [await charge(customerId, { state: 'sending', attempt: 1 })];
  for (const state of ['collecting', 'processing', 'succeeded', 'waived'] as const) {
    others.push(await charge(customerId, { state, attempt: 2 }));
  }
  const ids = (charges: { id: string }[]) => charges.map(({ id }) => id).sort();
  expect((await idsOf({ open: true })).sort()).toEqual(ids(open));
  expect((await idsOf({ open: false })).sort()).toEqual(ids(others));
  expect((await idsOf({})).sort()).toEqual(ids([...open, ...others]));
  expect([(await list({ open: true })).total, (await list({ open: false })).total]).toEqual([2, 5]);
});

test('charges are sorted by time, amount or customer in both directions, newest first without a wish; of equals the newer is first', async () => {
  organisationId = await organisationRow(database);
  const contact = (organization: string) => JSON.stringify({ organization });
  const [zoe, ada] = [
    await customerRow(database, organisationId, { owner: contact('Zoe Ltd') }),
    await customerRow(database, organisationId, { owner: contact('Ada Ltd') }),
  ];
  const a = (await charge(zoe, { cents: 10_00, minute: 1 })).id;
  const b = (await charge(zoe, { cents: 30_00, minute: 3 })).id;
  const c = (await charge(ada, { cents: 20_00, minute: 2 })).id;
  const d = (await charge(ada, { cents: 20_00, minute: 2 })).id;
  const sorted = (sort?: string) => idsOf({ sort });
  expect(await sorted()).toEqual([b, d, c, a]);
  expect(await sorted('-createdAt')).toEqual([b, d, c, a]);
  expect(await sorted('createdAt')).toEqual([a, d, c, b]);
  expect(await sorted('amount')).toEqual([a, d, c, b]);
  expect(await sorted('-amount')).toEqual([b, d, c, a]);
  expect(await sorted('customer')).toEqual([d, c, b, a]);
  expect(await sorted('-customer')).toEqual([b, a, d, c]);
  expect(await idsOf({ pageSize: 3 })).toEqual([b, d, c]);
  expect(await list({ pageSize: 3, page: 2 })).toMatchObject({ total: 4, rows: [{ chargeId: a }] });
  // By customer, by id, and by words of either.
  expect(await idsOf({ customerId: ada })).toEqual([d, c]);
  expect(await idsOf({ chargeId: c })).toEqual([c]);
  expect(await idsOf({ search: 'ADA l' })).toEqual([d, c]);
});

test('a charge says all that is known of it, and of each item what was given back', async () => {
  organisationId = await organisationRow(database);
  const customerId = await customerRow(database, organisationId);
  const { id, order_id } = await charge(customerId, { state: 'failed', attempt: 3, cents: 36_00 });
  const place = { organisationId, orderId: order_id };
  const [first, second] = [
    await itemRow(database, place, { address: 'one.com', customer_id: customerId }),
    await itemRow(database, place, { address: 'two.com', kind: 'renewal', customer_id: customerId }),
  ];
  await within(database, organisationId, async (tx) => {
    const changed = {
      ...{
        refunded_cents: 5_00,
        returned_cents: 2_00,
        disputed_cents: 3_00,
        failure: 'Declined',
        note: 'Called',
        disputed_at: at(4),
        disputes_read_at: at(3),
      },
      ...{ next_try_at: at(9), payment_intent: 'pi_1' },
    };
    await tx.updateTable('direct_charges').set(changed).where('id', '=', id).execute();
    const own = { organisation_id: organisationId, charge_id: id };
    await tx
      .insertInto('direct_charge_items')
      .values([
        { ...own, item_id: second, price_cents: 20_00, markup_cents: 4_00 },
        { ...own, item_id: first, price_cents: 10_00, markup_cents: 2_00 },
      ])
      .execute();
    await tx
      .insertInto('direct_refunds')
      .values({
        ...{ ...own, item_id: second, cents: 5_00, state: 'failed', refund_id: null, failure: 'Closed' },
        ...{ created_at: at(0), updated_at: at(0) },
      })
      .execute();
  });
  const refund = { state: 'failed', amount: 5, error: 'Closed' };
  // Beside it on the page: each charge has its own items.
  const beside = await charge(customerId, { minute: -1 });
  const other = { address: 'other.org', customer_id: customerId };
  const item_id = await itemRow(database, { organisationId, orderId: beside.order_id }, other);
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('direct_charge_items')
      .values({
        ...{ item_id, organisation_id: organisationId, charge_id: beside.id },
        ...{ price_cents: 10_00, markup_cents: 2_00 },
      })
      .execute(),
  );
  const { rows, total } = await list();
  expect(rows[1]?.items.map(({ address }) => address)).toEqual(['other.org']);
  expect({ total, rows: rows.slice(0, 1) }).toEqual({
    total: 2,
    rows: [
      {
        ...{ chargeId: id, customerId, customer: 'Example Ltd', orderId: order_id, amount: 36 },
        ...{ disputed: 3, disputedAt: at(3).toISOString(), stopsCharges: true },
        chargesStopped: { since: at(4).toISOString(), disputes: 1, chargeId: id },
        ...{ refunded: 5, returned: 2, state: 'failed', error: 'Declined', attempts: 3 },
        ...{
          nextTryAt: null,
          note: 'Called',
          paymentId: 'pi_1',
          createdAt: at(0).toISOString(),
        },
        items: [
          { address: 'one.com', kind: 'domain', price: 10, markup: 2, refund: null },
          { address: 'two.com', kind: 'renewal', price: 20, markup: 4, refund },
        ],
      },
    ],
  });
  // Of what is in it, and of nothing that is in another one.
  const found = async (search: string) =>
    (await list({ search })).rows.map(({ chargeId, items }) => [chargeId, items.length]);
  expect(await found('TWO.c')).toEqual([[id, 2]]);
  expect(await found('other.o')).toEqual([[beside.id, 1]]);
  expect((await list({ search: 'three.c' })).total).toBe(0);
});

test('a charge says since when, and by how many disputes, its customer is charged nothing more; then it has no next try', async () => {
  const [ann, bob] = [
    await customerRow(database, organisationId),
    await customerRow(database, organisationId),
  ];
  const disputed = { state: 'succeeded' as const, disputed_cents: 5_00 };
  const of = async (customerId: string, change: object, minute: number) => {
    const { id } = await charge(customerId, { minute });
    await within(database, organisationId, (tx) =>
      tx.updateTable('direct_charges').set(change).where('id', '=', id).execute(),
    );
    return id;
  };
  await of(ann, { ...disputed, disputed_at: at(7) }, 1);
  await of(ann, { ...disputed, disputed_at: at(5) }, 2);
  // A version before did not write since when.
  await of(ann, { ...disputed, updated_at: at(4) }, 3);
  await of(ann, { ...disputed, dispute_released_cents: 5_00, disputed_at: at(1) }, 4);
  const waits = { state: 'failed', next_try_at: at(9) };
  const [stopped, free] = [await of(ann, waits, 5), await of(bob, waits, 6)];
  const one = async (chargeId: string) => (await list({ chargeId })).rows[0];
  expect(await one(stopped)).toMatchObject({
    ...{ stopsCharges: false, nextTryAt: null },
    chargesStopped: { since: at(4).toISOString(), disputes: 3, chargeId: null },
  });
  expect(await one(free)).toMatchObject({ chargesStopped: null, nextTryAt: at(9).toISOString() });
});
