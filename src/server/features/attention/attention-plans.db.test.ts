import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attentionCauses } from '#contracts/values/attention.ts';
import { sql } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { readBy } from '../../../../tests/support/rows-read.ts';
import * as repo from './attention.repo.ts';

/**
 * PostgreSQL plans a list once and keeps the plan for all organizations. What it believes of the entries then is arbitrary: how many
 * organizations, customers and owners there are, and whether each has many or few of them.
 */

let database: TestDatabase;
let owner: pg.Client;
let scope: Scope;
let customerId: string;
const limit = 51;
const customers = 8;
const entries = 4_000;
/** Who believes that there are fewer may read them all and sort them, but nothing else. */
const ofOne = entries / customers;

beforeAll(async () => {
  database = await createTestDatabase();
  const organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId);
  const ids = await Promise.all(
    Array.from({ length: customers }, (_, n) =>
      customerRow(database, organisationId, { owner: JSON.stringify({ organization: `Customer ${n}` }) }),
    ),
  );
  customerId = ids.at(-1) ?? '';
  scope = {
    organisationId,
    userId,
    role: 'MSP_OWNER',
    reach: { kind: 'organisation' },
  } as unknown as Scope;
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(
    `INSERT INTO attention_items (id, organisation_id, cause, object, rank, customer_id, deadline, facts, opened_at, owner_id, snoozed_until)
     SELECT gen_random_uuid(), $1, ($3::text[])[1 + n % $4::int], n::text, n % 2, ($2::uuid[])[1 + n % $6::int],
       now() + interval '1 hour' * n, '{}', now(), CASE WHEN n % $6::int = 3 THEN $5::uuid END,
       CASE WHEN n % 10 = 7 THEN now() + interval '9 days' END
     FROM generate_series(1, $7::int) AS n`,
    [organisationId, ids, attentionCauses, attentionCauses.length, userId, customers, entries],
  );
});
afterAll(async () => {
  await owner.end();
  await database.close();
});

async function believe(distinct: Record<string, number>): Promise<void> {
  for (const [column, number] of Object.entries(distinct)) {
    await owner.query(`ALTER TABLE attention_items ALTER COLUMN ${column} SET (n_distinct = ${number})`);
  }
  await owner.query('ANALYZE attention_items');
}

/** Rows of the table, or entries of its indexes, whichever are more. */
const readFor = (filter: Partial<repo.ItemFilter>) =>
  within(database, scope.organisationId, async (tx) => {
    await sql`SET LOCAL plan_cache_mode = force_generic_plan`.execute(tx);
    const page = { limit, now: new Date() };
    const read = await readBy(tx, 'attention_items', () =>
      repo.listItems(tx, scope, { causes: attentionCauses, ...filter }, page),
    );
    return Math.max(read.rows, read.entries);
  });

describe.each([
  [1, 16],
  [6, 16],
  [1_000, 16],
  // Its guess where it has not looked yet.
  [1, 200],
  [200, 200],
])('where PostgreSQL believes in entries of %d organizations and %d causes', (organisations, causes) => {
  test.each([1, customers, entries])(
    'and %d customers and owners, a list reads no entries but its own',
    async (people) => {
      await believe({ cause: causes, organisation_id: organisations, customer_id: people, owner_id: people });
      // What is put off lies between those that are shown.
      const most = { all: 70, pressing: 70, ofCause: ofOne, ofCustomer: ofOne, mine: ofOne };
      const read = {
        all: await readFor({}),
        pressing: await readFor({ severity: 'now' }),
        ofCause: await readFor({ causes: ['order'] }),
        ofCustomer: await readFor({ customerId }),
        mine: await readFor({ mine: true }),
      };
      const beyond = Object.entries(read).filter(([which, rows]) => rows > most[which as keyof typeof most]);
      expect(beyond).toEqual([]);
      expect(Math.min(...Object.values(read))).toBeGreaterThanOrEqual(limit);
    },
  );
});

test('each entry has the name of its customer, in the list of all and in that of one', async () => {
  const names = await owner.query('SELECT id, organization FROM customers');
  const nameOf = new Map(
    names.rows.map((row: { id: string; organization: string }) => [row.id, row.organization]),
  );
  expect(nameOf.get(customerId)).toMatch(/./);
  for (const filter of [{}, { customerId }]) {
    const rows = await within(database, scope.organisationId, (tx) =>
      repo.listItems(tx, scope, { causes: attentionCauses, ...filter }, { limit, now: new Date() }),
    );
    expect(rows.map((row) => row.customer)).toEqual(rows.map((row) => nameOf.get(row.customerId ?? '')));
  }
});
