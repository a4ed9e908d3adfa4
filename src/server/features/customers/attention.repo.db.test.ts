import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttentionCause } from '#contracts/values/attention.ts';
import type { AttentionSource } from '#kernel/attention.ts';
import { newId } from '#kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, organisationRow, within } from '../../../../tests/support/rows.ts';
import { importAttention } from './attention.repo.ts';

let database: TestDatabase;
let organisationId: string;
const now = new Date('2026-11-22T12:00:00Z');
const at = now.toISOString();
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
});

const stated = <C extends AttentionCause>(source: AttentionSource<C>) =>
  across(database, (tx) => source.present(tx, { organisationIds: [organisationId], now }));

test('checked files are stated that nobody has imported or thrown away, without their names', async () => {
  const file = async (state: 'ready' | 'importing' | 'done' | 'discarded') => {
    const id = newId();
    await within(database, organisationId, (tx) =>
      tx
        .insertInto('imports')
        .values({
          ...{
            id,
            organisation_id: organisationId,
            upload_key: id,
            file_name: 'ada.csv',
            columns: [],
            state,
          },
          ...{ mode: null, new_rows: 3, changed_rows: 4, same_rows: 5, faulty_rows: 6, actor_id: newId() },
          ...{ actor: 'Ann', actor_ip: null, actor_role: 'MSP_ADMIN', token_id: null, created_at: now },
          ...{ started_at: null, ended_at: null },
        })
        .execute(),
    );
    return id;
  };
  const object = await file('ready');
  for (const state of ['importing', 'done', 'discarded'] as const) await file(state);
  expect(await stated(importAttention)).toEqual([
    {
      ...{ organisationId, object, customerId: null, address: null, deadline: null },
      facts: { importId: object, good: 7, faulty: 6, at },
    },
  ]);
});
