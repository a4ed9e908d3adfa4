import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QueueEntry } from '#contracts/operations/operator.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  customerRow,
  domainRow,
  itemRow,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { customerOf } from './queue.repo.ts';

/** Whose an entry of the queue is, beside things of the same name that are another's. */

let database: TestDatabase;
let [organisationId, other, customerId, theirs] = ['', '', '', ''];
beforeAll(async () => {
  database = await createTestDatabase();
  [organisationId, other] = [await organisationRow(database), await organisationRow(database)];
  [customerId, theirs] = [
    await customerRow(database, organisationId),
    await customerRow(database, organisationId),
  ];
});
afterAll(() => database.close());

const whose = (entry: { kind: QueueEntry['kind']; id: string; orderId?: string; of?: string | null }) =>
  across(database, (tx) =>
    customerOf(tx, {
      ...{ kind: entry.kind, id: entry.id, orderId: entry.orderId ?? null },
      organizationId: entry.of === undefined ? organisationId : entry.of,
    }),
  );

test.each(['review', 'waiting', 'renewal'] as const)(
  'an item of the kind %s is its customer’s',
  async (kind) => {
    const orderId = await orderRow(database, organisationId);
    const id = await itemRow(database, { organisationId, orderId }, { customer_id: customerId });
    await itemRow(database, { organisationId, orderId }, { customer_id: theirs });
    const nobodys = await itemRow(database, { organisationId, orderId });
    expect(await whose({ kind, id, orderId })).toBe(customerId);
    expect(await whose({ kind, id: nobodys, orderId })).toBe(null);
    expect(await whose({ kind, id, orderId, of: other })).toBe(null);
  },
);

test('an automatic renewal and a missing domain are the customer’s whose the domain is, and not whose it was', async () => {
  const { address } = await domainRow(database, organisationId, { status: 'ended', customer_id: theirs });
  const { id } = await domainRow(database, organisationId, { address, customer_id: customerId });
  await domainRow(database, organisationId, { customer_id: theirs });
  expect(await whose({ kind: 'renewal', id: `${organisationId} ${address}` })).toBe(customerId);
  expect(await whose({ kind: 'missing', id })).toBe(customerId);
});

test('a direct charge is its customer’s; an automatic top-up and an event are nobody’s', async () => {
  const orderId = await orderRow(database, organisationId);
  const id = newId();
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('direct_charges')
      .values({
        ...{ id, organisation_id: organisationId, customer_id: customerId, order_id: orderId, part: 1 },
        ...{ cents: 1_000, state: 'failed' },
      } as never)
      .execute(),
  );
  expect(await whose({ kind: 'charge', id, orderId })).toBe(customerId);
  expect(await whose({ kind: 'charge', id: newId() })).toBe(null);
  expect(await whose({ kind: 'event', id: 'evt_1', of: null })).toBe(null);
});
