import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { organisationRow } from '../../../tests/support/rows.ts';
import { type SealedPlace, sealedField } from './sealed-places.ts';

let database: TestDatabase;
let place: SealedPlace;
let organisationId: string;
let other: string;
const former = Buffer.alloc(30, 1);

beforeAll(async () => {
  database = await createTestDatabase();
  [organisationId, other] = [await organisationRow(database), await organisationRow(database)];
  place = sealedField(database.systemDb, {
    ...{ table: 'audit_heads', column: 'head_sealed', id: { column: 'rows', type: 'bigint' } },
    contexts: () => [],
  });
  const head = { head_sealed: former, at: new Date() };
  await database.systemDb
    .insertInto('audit_heads')
    .values([
      { ...head, organisation_id: organisationId, rows: 1 },
      { ...head, organisation_id: organisationId, rows: 2 },
      { ...head, organisation_id: other, rows: 1 },
    ])
    .execute();
});
afterAll(() => database.close());

const row = (rows: number, of = organisationId) => ({ organisationId: of, id: String(rows), others: [] });
const values = async () => {
  const found = await database.systemDb
    .selectFrom('audit_heads')
    .select(['organisation_id', 'rows', 'head_sealed'])
    .execute();
  return Object.fromEntries(
    found.map((each) => [`${each.organisation_id} ${each.rows}`, each.head_sealed[0]]),
  );
};

test('a value is replaced in its own row alone, and only while nobody has changed it', async () => {
  expect(place.name).toBe('audit_heads.head_sealed');
  expect(await place.replace(row(1), Buffer.alloc(30, 9), Buffer.alloc(30, 2))).toBe(false);
  expect(await place.replace(row(3), former, Buffer.alloc(30, 2))).toBe(false);
  expect(await place.replace(row(1), former, Buffer.alloc(30, 2))).toBe(true);
  expect(await place.replace(row(1), former, Buffer.alloc(30, 3))).toBe(false);
  expect(await values()).toEqual({
    [`${organisationId} 1`]: 2,
    [`${organisationId} 2`]: 1,
    [`${other} 1`]: 1,
  });
});
