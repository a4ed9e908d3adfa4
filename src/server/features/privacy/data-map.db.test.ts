import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, domainRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { dataMap, hiddenColumns, type Subject } from './data-map.ts';
import { collect } from './privacy.repo.ts';

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());

async function version(domainId: string, customerId: string | null, reason: string, authorId: string) {
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('zone_versions')
      .values({
        ...{ id: newId(), organisation_id: organisationId, domain_id: domainId, customer_id: customerId },
        ...{ records: '{}', record_count: 0, hash: 'h', state: 'applied' },
        ...{ author_id: authorId, author: 'Ada', reason, created_at: new Date() },
        ...{ changes: null, change_summary: null, change_item_id: null },
      })
      .execute(),
  );
}

test('a zone’s history is handed out with the customer whose the domain was then, and with nobody else', async () => {
  const [former, present] = [
    await customerRow(database, organisationId),
    await customerRow(database, organisationId),
  ];
  const { id } = await domainRow(database, organisationId, { customer_id: present });
  const author = await userRow(database, organisationId, { role: 'MSP_CUSTOMER', customer_id: present });
  await version(id, null, 'nobody knows', author);
  await version(id, former, 'of then', author);
  await version(id, present, 'of now', author);
  const reasons = async (subject: Pick<Subject, 'kind' | 'id' | 'onlyCustomer'>) => {
    const sections = await within(database, organisationId, (tx) =>
      collect(tx, { organisationId, emails: [], ...subject }),
    );
    const rows = sections.find(({ title }) => title === 'DNS history')?.rows ?? [];
    return rows.map(({ reason }) => reason).toSorted();
  };
  expect(await reasons({ kind: 'customer', id: former, onlyCustomer: null })).toEqual(['of then']);
  expect(await reasons({ kind: 'customer', id: present, onlyCustomer: null })).toEqual(['of now']);
  // Somebody who worked for the former customer, and is the present one's by now.
  expect(await reasons({ kind: 'user', id: author, onlyCustomer: present })).toEqual([
    'nobody knows',
    'of now',
  ]);
});

test('no export has a column that is sealed, or that says what the operator pays', async () => {
  const { rows } = await sql<{ place: string; name: string }>`
    SELECT c.relname AS place, a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
      AND (a.attname LIKE '%sealed' OR a.attname LIKE '%cost%')`.execute(database.systemDb);
  const exported = rows.filter(({ place }) => typeof dataMap[place as keyof typeof dataMap] === 'object');
  expect(exported.length).toBeGreaterThan(5);
  expect(exported.filter(({ name }) => !hiddenColumns.includes(name))).toEqual([]);
});
