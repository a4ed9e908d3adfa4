import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { customerRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { systemTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { readCustomers, readOrganisation } from './named-organisation.ts';

/** An organization may have ten thousand customers: an operator is shown how many, and a page of them by name. */

let database: TestDatabase;
let organisationId: string;
const names = ['apple', 'Banana', '100% Cherry', 'Ümlaut', 'apple'];
let ids: string[];
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  ids = [];
  for (const name of names) ids.push(await named(name));
  const gone = await named('apple gone');
  await within(database, organisationId, (tx) =>
    tx.updateTable('customers').set({ deleted_at: new Date() }).where('id', '=', gone).execute(),
  );
  await customerRow(database, await organisationRow(database));
});
afterAll(() => database.close());

async function named(name: string): Promise<string> {
  const id = await customerRow(database, organisationId);
  const contacts = contactsOf();
  const owner = JSON.stringify({ ...contacts.owner, organization: name });
  await within(database, organisationId, (tx) =>
    tx.updateTable('customers').set({ owner }).where('id', '=', id).execute(),
  );
  return id;
}

const page = (query: object = {}, of = organisationId) =>
  readCustomers(database.systemDb, of, { page: 1, pageSize: 50, ...query });
const namesOf = async (query: object) => (await page(query)).rows.map(({ name }) => name);

test('it says how many living customers there are, and not who', async () => {
  const seen = await systemTransaction(database.systemDb, (tx) => readOrganisation(tx, organisationId));
  expect(seen).toEqual({ name: 'Test', closedAt: null, balance: 0, customers: 5 });
});

describe('the customers of an organization', () => {
  test('come by name, page by page, each once, and those of nobody else', async () => {
    const inOrder = ['100% Cherry', 'apple', 'apple', 'Banana', 'Ümlaut'];
    expect(await page()).toEqual({
      total: 5,
      rows: inOrder.map((name) => ({ id: expect.any(String), name })),
    });
    expect(await namesOf({ sort: '-name' })).toEqual(inOrder.toReversed());
    const pages = [];
    for (const at of [1, 2, 3, 4]) pages.push(await page({ page: at, pageSize: 2 }));
    expect(pages.map(({ rows, total }) => [rows.length, total])).toEqual([
      ...[
        [2, 5],
        [2, 5],
        [1, 5],
        [0, 5],
      ],
    ]);
    expect(new Set(pages.flatMap(({ rows }) => rows.map(({ id }) => id)))).toEqual(new Set(ids));
  });

  test.each([
    ['APPL', ['apple', 'apple']],
    ['ümlaut', ['Ümlaut']],
    ['ÜM', ['Ümlaut']],
    ['%', ['100% Cherry']],
    ['_', []],
    [' banana ', ['Banana']],
    ['  ', ['100% Cherry', 'apple', 'apple', 'Banana', 'Ümlaut']],
    // Of their contacts nothing is looked through.
    ['@', []],
  ])('are found by a part of the name: %j', async (search, found) => {
    const { rows, total } = await page({ search });
    expect([rows.map(({ name }) => name), total]).toEqual([found, found.length]);
  });

  test('are named one by one, by their id, in their own organization alone', async () => {
    expect(await page({ customerId: ids[1] })).toEqual({ total: 1, rows: [{ id: ids[1], name: 'Banana' }] });
    expect(await page({ customerId: newId() })).toEqual({ total: 0, rows: [] });
    const other = await organisationRow(database);
    expect(await page({ customerId: ids[1] }, other)).toEqual({ total: 0, rows: [] });
    const refused = { code: 'not_found', message: 'There is no organization with this ID.' };
    await expect(page({}, newId())).rejects.toMatchObject(refused);
  });
});
