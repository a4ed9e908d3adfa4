import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { noMarkups } from '#contracts/values/money.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { openValues } from '#kernel/subject-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { across, customerRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { saidOf } from './customers.rules.ts';
import { writeRows } from './import-writing.repo.ts';
import { type ImportRecord, rowsPerBatch } from './imports.repo.ts';

/** Batches overlap while they are written: what is told meanwhile, and which failure is the one to hear of. */

let database: TestDatabase;
let organisationId: string;
let importId: string;
const now = new Date('2026-11-22T12:00:00Z');
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  [organisationId, importId] = [await organisationRow(database), newId()];
  await across(database, (tx) =>
    tx
      .insertInto('imports')
      .values({
        ...{ id: importId, organisation_id: organisationId, upload_key: importId, file_name: 'a.csv' },
        ...{
          columns: ['a'],
          state: 'importing',
          mode: 'all',
          created_at: now,
          started_at: now,
          ended_at: null,
        },
        ...{ new_rows: 0, changed_rows: 0, same_rows: 0, faulty_rows: 0 },
        ...{ actor_id: newId(), actor: 'Ann', actor_ip: null, actor_role: 'MSP_ADMIN', token_id: null },
      })
      .execute(),
  );
});

const state = {
  contacts: contactsOf(),
  billing: { billDirectly: false, email: '', allowChangeBilling: false },
  markups: noMarkups,
  allowDomainSettings: false,
};

const other = { ...state.contacts.owner, firstName: 'Grace' };
const someMarkups = { ...noMarkups, domain: { ...noMarkups.domain, renewal: { type: 'fixed', value: 2 } } };

/** So many rows that make a customer each, from row 2 on. */
const newRows = (count: number) =>
  across(database, (tx) =>
    sql`INSERT INTO import_rows (import_id, organisation_id, number, cells, kind, organization, customer_id, match_key, state, notes)
      SELECT ${importId}, ${organisationId}, n + 1, '{}', 'new', 'Firm', gen_random_uuid(), n::text, ${JSON.stringify(state)}::jsonb, '[]'
      FROM generate_series(1, ${count}::int) AS n`.execute(tx),
  );
const rowOf = (number: number, kind: 'new' | 'changed', customerId: string, change: object = {}) =>
  across(database, (tx) =>
    tx
      .insertInto('import_rows')
      .values({
        ...{ import_id: importId, organisation_id: organisationId, number, cells: [], kind },
        ...{ organization: 'Firm', customer_id: customerId, version: 1, match_key: '', notes: '[]' },
        state: JSON.stringify({ ...state, ...change }),
      })
      .execute(),
  );
const write = async (tx: Tx, onProgress: (done: number) => Promise<void>) => {
  const record: ImportRecord = await tx
    .selectFrom('imports')
    .selectAll()
    .where('id', '=', importId)
    .executeTakeFirstOrThrow();
  return writeRows(tx, { record, now, onProgress });
};
const untold = async () => undefined;

/** Hands over how many rows each reading of the file has brought, before the writing goes on. */
function onRead(hear: (rows: number) => void): KyselyPlugin {
  const reading = new WeakSet<object>();
  return {
    transformQuery({ queryId, node }) {
      const isRead = node.kind === 'SelectQueryNode' && JSON.stringify(node).includes('"import_rows"');
      if (isRead) reading.add(queryId);
      return node;
    },
    async transformResult({ queryId, result }) {
      if (reading.has(queryId)) hear(result.rows.length);
      return result;
    },
  };
}

test('progress counts the rows of all batches, and is told one after the other, however long it takes', async () => {
  await newRows(2 * rowsPerBatch + 1);
  const told: string[] = [];
  const written = await within(database, organisationId, (tx) =>
    write(tx, async (done) => {
      told.push(`${done} begins`);
      // Meanwhile the next batch is written, unless the writing waits for this.
      for (let trip = 0; trip < 60; trip += 1) await sql`SELECT 1`.execute(tx);
      told.push(`${done} is told`);
    }),
  );
  expect(written).toBe(2_001);
  expect(told).toEqual([1_000, 2_000, 2_001].flatMap((done) => [`${done} begins`, `${done} is told`]));
});

test.each([
  ['said once', saidOf(state)],
  ['in full, as an earlier version checked it', state],
  ['of another kind', { ...state, contacts: { ...state.contacts, admin: other }, markups: someMarkups }],
])(
  'a new customer whose row has contacts and markups %s has them all, and the log says the same',
  async (_, kept) => {
    const id = newId();
    await rowOf(2, 'new', id, kept);
    await within(database, organisationId, (tx) => write(tx, untold));
    const { customer, said } = await across(database, async (tx) => ({
      customer: await tx
        .selectFrom('customers')
        .select(['owner', 'admin', 'billing_contact', 'markups'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
      said: await openValues(tx, organisationId, [
        (
          await tx
            .selectFrom('audit_log')
            .select('after')
            .where('organisation_id', '=', organisationId)
            .executeTakeFirstOrThrow()
        ).after,
      ]),
    }));
    const { admin, billing } = kept.contacts;
    expect(customer).toEqual({
      owner: state.contacts.owner,
      admin: admin === 'as owner' ? state.contacts.owner : admin,
      billing_contact: billing === 'as owner' ? state.contacts.owner : billing,
      markups: kept.markups === 'none' ? noMarkups : kept.markups,
    });
    expect(said).toEqual([{ ...kept, import: importId }]);
  },
);

test('the writing has not ended before its last progress was told', async () => {
  await newRows(3);
  const [called, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await within(database, organisationId, async (tx) => {
    let hasEnded = false;
    const ended = write(tx, () => {
      called.resolve();
      return told.promise;
    }).then((written) => {
      hasEnded = true;
      return written;
    });
    await called.promise;
    // It would take two of these round trips to write the log.
    for (let trip = 0; trip < 6; trip += 1) await sql`SELECT 1`.execute(tx);
    expect(hasEnded).toBe(false);
    told.resolve();
    expect(await ended).toBe(3);
  });
});

test('an import whose progress cannot be told fails with the reason', async () => {
  await newRows(3);
  const failing = within(database, organisationId, (tx) =>
    write(tx, () => Promise.reject(new Error('not told'))),
  );
  await expect(failing).rejects.toThrow('not told');
});

test('a customer that cannot be made fails the import with the reason, not with what follows from it', async () => {
  await rowOf(2, 'new', await customerRow(database, organisationId));
  const failing = within(database, organisationId, (tx) => write(tx, untold));
  await expect(failing).rejects.toMatchObject({ code: '23505' });
});

test('a customer of the next batch that cannot be changed fails the import with the reason, not with what follows from it', async () => {
  await newRows(rowsPerBatch);
  const billing = { ...state.billing, billDirectly: 'neither' };
  await rowOf(rowsPerBatch + 2, 'changed', await customerRow(database, organisationId), { billing });
  const failing = within(database, organisationId, (tx) => write(tx, untold));
  await expect(failing).rejects.toMatchObject({ code: '22P02' });
});

test('a next batch that cannot be read fails the import, which does not end with the batches before it', async () => {
  await newRows(rowsPerBatch + 1);
  const plugin = onRead((rows) => {
    if (rows === 1) throw new Error('not read');
  });
  const failing = within(database, organisationId, (tx) => write(tx.withPlugin(plugin), untold));
  await expect(failing).rejects.toThrow('not read');
});

test('an import that fails has told its progress by then: nothing is written over what the next try tells', async () => {
  await newRows(rowsPerBatch);
  await rowOf(rowsPerBatch + 2, 'new', await customerRow(database, organisationId));
  const order: string[] = [];
  const told = Promise.withResolvers<void>();
  const failing = within(database, organisationId, (tx) =>
    write(tx, async () => {
      // The next batch fails meanwhile.
      for (let trip = 0; trip < 60; trip += 1) await across(database, (own) => sql`SELECT 1`.execute(own));
      order.push('told');
      told.resolve();
    }),
  ).catch((error: { code?: string }) => order.push(error.code ?? 'failed'));
  await Promise.all([told.promise, failing]);
  expect(order).toEqual(['told', '23505']);
});

test('an import that cannot tell its progress ends before the file does', async () => {
  await newRows(3 * rowsPerBatch);
  const read: number[] = [];
  const failing = within(database, organisationId, (tx) =>
    write(tx.withPlugin(onRead((rows) => read.push(rows))), () => Promise.reject(new Error('not told'))),
  );
  await expect(failing).rejects.toThrow('not told');
  expect(read.length).toBeLessThan(4);
});
