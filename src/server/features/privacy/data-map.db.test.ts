import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople } from '../../../../tests/support/people.ts';
import { customerRow, domainRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { dataMap, hiddenColumns, type Subject } from './data-map.ts';
import { collect, type Section } from './privacy.repo.ts';
import { createPrivacy, type PrivacyDeps } from './privacy.service.ts';

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

/** One address, as people and their programs write it: with capitals, with an accent of its own, with spaces around it. */
const spellings = [
  'émile@oel.example',
  'ÉMILE@OEL.EXAMPLE',
  'E\u0301mile@oel.example',
  ' Émile@oel.example ',
];
const another = 'emile@oel.example';

/** An invitation to each of these, and a customer file with a row of each that could not be read. */
async function written({ organisationId, userId }: Scope, emails: readonly string[]): Promise<void> {
  const importId = newId();
  await within(database, organisationId, async (tx) => {
    await sql`INSERT INTO imports (id, organisation_id, upload_key, file_name, columns, state, new_rows, changed_rows, same_rows,
        faulty_rows, actor_id, actor, actor_role, created_at)
      VALUES (${importId}, ${organisationId}, ${importId}, 'a.csv', '{a,b}', 'ready', 0, 0, 0, ${emails.length}, ${userId}, 'a',
        'MSP_ADMIN', now())`.execute(tx);
    for (const [number, email] of emails.entries()) {
      await sql`INSERT INTO import_rows (import_id, organisation_id, number, kind, cells, organization, match_key, notes)
        VALUES (${importId}, ${organisationId}, ${number}, 'faulty', ${['x', email]}, '', '', '[]')`.execute(
        tx,
      );
      await sql`INSERT INTO invites (id, organisation_id, email, role, invited_by, token_hash, token_sealed, expires_at, cancelled_at)
        VALUES (${newId()}, ${organisationId}, ${email}, 'MSP_EMPLOYEE', ${userId}, ${Buffer.from(newId())}, '', now(), now())`.execute(
        tx,
      );
    }
  });
}

test('a person’s invitations, and what files say of a customer, are handed out however their address is written', async () => {
  const people = createPeople(database);
  const { scope } = await people.organisation();
  await written(scope, [...spellings, another, '']);
  const privacy = createPrivacy({
    db: database.db,
    clock: people.clock,
  } as Partial<PrivacyDeps> as PrivacyDeps);
  const rowsOf = async (file: Promise<Buffer>, title: string) => {
    const { sections } = JSON.parse((await file).toString()) as { sections: Section[] };
    return sections.find((one) => one.title === title)?.rows ?? [];
  };
  for (const email of spellings) {
    const user = await userRow(database, scope.organisationId, { email });
    const invitations = await rowsOf(privacy.exportUser(scope, user, 'json'), 'Invitations');
    expect(invitations.map((row) => row.email).toSorted()).toEqual(spellings.toSorted());
    const owner = JSON.stringify({ ...contactsOf().owner, email });
    const customer = await customerRow(database, scope.organisationId, { owner });
    const lines = await rowsOf(privacy.exportCustomer(scope, customer, 'json'), 'Rows of customer files');
    expect(lines.map(({ number }) => number).toSorted()).toEqual([0, 1, 2, 3]);
  }
  // Without an address a customer is not in every empty cell.
  const nobody = JSON.stringify({ ...contactsOf().owner, email: ' ' });
  const unknown = await customerRow(database, scope.organisationId, { owner: nobody });
  expect(await rowsOf(privacy.exportCustomer(scope, unknown, 'json'), 'Rows of customer files')).toEqual([]);
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
