import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Db, inTransaction, sql } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, domainRow, organisationRow } from '../../../../tests/support/rows.ts';
import { readBy } from '../../../../tests/support/rows-read.ts';
import { type DomainListQuery, listDomains } from './domains.repo.ts';

/** A connection keeps the plan of a list for all organizations, and makes it for the one that asks first. */

let database: TestDatabase;
/** Of one connection, so that the second organization has the plan of the first. */
let db: Db;
const few = 40;
const many = 5_000;
const pageSize = 50;

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
});
afterAll(async () => {
  await db.destroy();
  await database.close();
});

async function analysed(): Promise<void> {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  // Rows are visible to all, for an index without its table, once what was written of them is on the disk.
  await owner.query('SET synchronous_commit = on');
  await owner.query('ANALYZE customers');
  await owner.query('VACUUM ANALYZE customers, domains').finally(() => owner.end());
}

async function organisationOf(number: number): Promise<string> {
  const organisationId = await organisationRow(database);
  const id = await customerRow(database, organisationId);
  await domainRow(database, organisationId, { customer_id: id });
  await inTransaction(db, { organisationId }, async (tx) => {
    await sql`INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups)
      SELECT uuidv7(), organisation_id, jsonb_set(owner, '{organization}', to_jsonb('Customer ' || n)), admin, billing_contact, markups
      FROM customers, generate_series(2, ${number}::int) AS n`.execute(tx);
    await sql`INSERT INTO domains (id, organisation_id, customer_id, address, status, expires_at)
      SELECT uuidv7(), organisation_id, id, 'name-' || id || '.com', 'active', now() + interval '3 days'
      FROM customers WHERE organisation_id = ${organisationId}`.execute(tx);
  });
  return organisationId;
}

/** Rows of a table that a page of domains reads, or blocks of it and its indexes, whichever are more. */
const readOf = (table: string, organisationId: string, query: DomainListQuery) =>
  inTransaction(db, { organisationId }, async (tx) => {
    await sql`SET LOCAL plan_cache_mode = force_generic_plan`.execute(tx);
    const scope = { organisationId, role: 'MSP_OWNER', reach: { kind: 'organisation' } } as unknown as Scope;
    const { rows, entries, blocks } = await readBy(tx, table, () => listDomains(tx, scope, query));
    return Math.max(rows, entries, blocks);
  });

const before = new Date(Date.now() + 30 * 86_400_000);
const lists: Record<string, DomainListQuery> = {
  'the first page': { page: 1, pageSize },
  'a further page': { page: 2, pageSize },
  'what expires': { page: 1, pageSize, sort: 'expireDate', expiresBefore: before },
  'a search': { page: 1, pageSize, search: 'name-' },
  'by customer': { page: 1, pageSize, sort: 'customer' },
  'a further page by customer, from the end': { page: 2, pageSize, sort: '-customer' },
  'a search by customer': { page: 1, pageSize, search: 'name-', sort: 'customer' },
};

test('no list of domains reads customers, as their names are with the domains', async () => {
  const organisationId = await organisationOf(few);
  await analysed();
  for (const [name, query] of Object.entries(lists))
    expect([name, await readOf('customers', organisationId, query)]).toEqual([name, 0]);
});

test('a page by customer that was planned for few domains reads those of its page alone where there are thousands', async () => {
  const small = await organisationOf(few);
  const large = await organisationOf(many);
  await analysed();
  const query = { page: 2, pageSize, sort: 'customer' };
  // From the second time on a statement is prepared.
  for (let time = 0; time < 3; time += 1) await readOf('domains', small, query);
  const most = await readOf('domains', large, query);
  expect(most).toBeGreaterThanOrEqual(pageSize);
  // A domain is four or five blocks: those on the way through the index, and its row.
  expect(most).toBeLessThan(8 * pageSize);
});
