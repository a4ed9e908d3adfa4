import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { customerRow, domainRow, organisationRow } from '../../../../tests/support/rows.ts';
import { inReading, systemTransaction } from '../../kernel/db/database.ts';
import type { Scope } from '../../kernel/scope.ts';
import { type DomainListQuery, listDomains } from './domains.repo.ts';

/** Pages of the list of domains by customer. */

let database: TestDatabase;
let scope: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  const organisationId = await organisationRow(database);
  scope = { organisationId, reach: { kind: 'organisation' } } as Scope;
  const named = (id: string, organization: string) =>
    customerRow(database, id, {
      owner: JSON.stringify(contactsOf({ organization }).owner),
      deleted_at: organization === 'Gone' ? new Date() : null,
    });
  const names: [string, string[]][] = [
    ['Zeta', ['d-zeta.com', 'c-zeta.com']],
    // Of the same name: their domains stand together, in one order.
    ['Alike', ['a-alike.com', 'c-alike.com']],
    ['Alike', ['b-alike.com']],
    ['Empty', []],
    // Deleted, which should leave it without domains.
    ['Gone', ['b-gone.com', 'e-gone.com']],
  ];
  for (const [name, addresses] of names) {
    const customer_id = await named(organisationId, name);
    for (const address of addresses) await domainRow(database, organisationId, { address, customer_id });
    await domainRow(database, organisationId, { customer_id, status: 'ended' });
  }
  for (const address of ['b-nobody.com', 'a-nobody.com'])
    await domainRow(database, organisationId, { address });
  const other = await organisationRow(database);
  const customer_id = await named(other, 'Alike');
  await domainRow(database, other, { address: 'foreign.com', customer_id });
  await domainRow(database, other, { address: 'foreign-nobody.com' });
});
afterAll(() => database.close());

const ascending = [
  ...['a-alike.com', 'b-alike.com', 'c-alike.com'],
  ...['b-gone.com', 'e-gone.com', 'c-zeta.com', 'd-zeta.com'],
  ...['a-nobody.com', 'b-nobody.com'],
];

async function pages(query: Omit<DomainListQuery, 'page'>): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; page <= 5; page += 1) {
    const { rows, total } = await inReading(database.db, scope, (tx) =>
      listDomains(tx, scope, { ...query, page }),
    );
    expect(total).toBe(ascending.length);
    found.push(...rows.map(({ address }) => address));
  }
  return found;
}

test('pages by customer hold every living domain once, those of deleted customers too, those without a customer last, and the other way round', async () => {
  expect(await pages({ pageSize: 2, sort: 'customer' })).toEqual(ascending);
  expect(await pages({ pageSize: 3, sort: 'customer' })).toEqual(ascending);
  expect(await pages({ pageSize: 2, sort: '-customer' })).toEqual(ascending.toReversed());
  expect(await pages({ pageSize: 50, sort: 'customer' })).toEqual(ascending);
});

test('a filter, and a list without pages, have the same order', async () => {
  const listed = async (query: Partial<DomainListQuery>) => {
    const { rows } = await inReading(database.db, scope, (tx) =>
      listDomains(tx, scope, { pageSize: 50, sort: 'customer', ...query }),
    );
    return rows.map(({ address }) => address);
  };
  expect(await listed({})).toEqual(ascending);
  expect(await listed({ page: 1, autoRenew: 'off' })).toEqual(ascending);
  expect(await listed({ page: 1, search: 'zeta' })).toEqual(['c-zeta.com', 'd-zeta.com']);
});

test('the scope alone keeps the domains of others away, without row-level security', async () => {
  const { rows } = await systemTransaction(database.systemDb, (tx) =>
    listDomains(tx, scope, { page: 1, pageSize: 50, sort: 'customer' }),
  );
  expect(rows.map(({ address }) => address)).toEqual(ascending);
});
