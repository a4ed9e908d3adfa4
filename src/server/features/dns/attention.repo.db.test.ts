import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttentionCause } from '#contracts/values/attention.ts';
import type { AttentionSource } from '#kernel/attention.ts';
import { newId } from '#kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { zoneWriteAttention } from './attention.repo.ts';

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

const version = (domainId: string, state: 'unknown' | 'applied' | 'refused', createdAt: Date) =>
  within(database, organisationId, (tx) =>
    tx
      .insertInto('zone_versions')
      .values({
        ...{
          id: newId(),
          organisation_id: organisationId,
          domain_id: domainId,
          state,
          created_at: createdAt,
        },
        ...{ records: '{}', record_count: 0, hash: newId(), author_id: null, author: 'Ann', reason: '' },
      } as never)
      .execute(),
  );

test('a domain is stated once, whose last write nobody knows the end of, and none whose zone was written since', async () => {
  const [open, over, ended] = [
    await domainRow(database, organisationId, { customer_id: customerId }),
    await domainRow(database, organisationId),
    await domainRow(database, organisationId, { status: 'ended' }),
  ];
  await version(open.id, 'unknown', inDays(-2));
  // What was refused changed nothing.
  await version(open.id, 'refused', inDays(-1));
  await version(over.id, 'unknown', inDays(-2));
  await version(over.id, 'applied', inDays(-1));
  await version(ended.id, 'unknown', inDays(-2));
  expect(await stated(zoneWriteAttention)).toEqual([
    {
      ...{ organisationId, object: open.id, customerId, address: open.address, deadline: null },
      facts: { at: inDays(-2).toISOString() },
    },
  ]);
});
