import { buffer } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { utcDayText } from '#contracts/values/format.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { pdfText } from '../../../../tests/support/pdf-text.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { createDatabase, inTransaction, sql, systemTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import * as ledger from '../../ledger/ledger.ts';
import { createStatement } from './index.ts';

let database: TestDatabase;
let people: People;
let statement: ReturnType<typeof createStatement>;
/** Of the order whose receipt is asked for. */
let itemStates: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  statement = createStatement({
    db: database.db,
    clock: people.clock,
    productName: 'Nameward',
    linesAtOnce: 2,
    issuer: { name: 'Nameward Ltd', address: ['9 Main Street', 'Dublin'], taxId: 'IE 1' },
    brandOf: people.brandOf,
    orders: {
      get: async (_scope, orderId) => ({
        orderId,
        state: 'settled',
        total: 12,
        charged: 12,
        createdAt: '2026-11-21T12:00:00.000Z',
        by: 'ann@example.com',
        items: itemStates.map((state) => ({ state })) as never,
      }),
    },
  });
});
afterAll(() => database.close());

/** Buys one thing for so much: hold and capture, as the engine does. */
async function buy(scope: Scope, cents: number, address: string, state: 'succeeded' | 'held' = 'succeeded') {
  const { organisationId } = scope;
  const [orderId, itemId] = [newId(), newId()];
  await inTransaction(database.db, scope, async (tx) => {
    await tx
      .insertInto('orders')
      .values({
        id: orderId,
        organisation_id: organisationId,
        user_id: scope.userId,
        source: 'cart',
        state: 'settled',
        total_cents: cents,
        ended_at: null,
      })
      .execute();
    await tx
      .insertInto('order_items')
      .values({
        id: itemId,
        organisation_id: organisationId,
        order_id: orderId,
        position: 0,
        kind: 'domain',
        address,
        customer_id: null,
        years: 1,
        price_cents: cents,
        cost_cents: cents - 100,
        details: '{}',
        secrets_sealed: null,
        state: state === 'held' ? 'pending' : 'succeeded',
        intent_hash: null,
        sent_at: null,
        unknown_since: null,
        next_check_at: null,
        registrar_order_id: '4711',
        expiry_year: null,
        public_error: null,
        outcome_note: null,
      })
      .execute();
    await ledger.hold(tx, { organisationId, items: [{ itemId, cents }], pendingLimitCents: 0 });
    if (state === 'held') return;
    await ledger.capture(tx, {
      organisationId,
      itemId,
      costCents: cents - 100,
      actor: 'orders',
      text: `Registration of ${address}`,
    });
  });
  return { orderId, itemId };
}

const credit = (scope: Scope, cents: number, text = 'correction') =>
  systemTransaction(database.systemDb, (tx) =>
    ledger.adjust(tx, { organisationId: scope.organisationId, cents, ref: newId(), actor: 'test', text }),
  );

/** As if it had happened then: the owner of the tables may do what the application may not. */
async function backdate(text: string, at: string) {
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  await sql`UPDATE journal SET at = ${at}::timestamptz WHERE text = ${text}`.execute(owner);
  await owner.destroy();
}

test('a line carries amount, balance after it, order and registrar order; a filter hides lines and changes no balance', async () => {
  const { scope } = await people.organisation();
  await credit(scope, 10_000, 'opening');
  const bought = await buy(scope, 1_200, 'one.com');
  await credit(scope, -300, 'taken back');
  await buy(scope, 2_000, 'held.com', 'held');
  const all = await statement.list(scope, { page: 1, pageSize: 50, sort: 'at' });
  expect(all.total).toBe(3);
  expect(all.rows.map((line) => [line.kind, line.amount, line.balance])).toEqual([
    ['adjustment', 10_000, 10_000],
    ['purchase', -1_200, 8_800],
    ['adjustment', -300, 8_500],
  ]);
  expect(all.rows[1]).toMatchObject({ ...bought, registrarOrderId: '4711', text: 'Registration of one.com' });
  const purchases = await statement.list(scope, { page: 1, pageSize: 50, kind: 'purchase' });
  expect(purchases.rows.map((line) => line.balance)).toEqual([8_800]);
  const found = await statement.list(scope, { page: 1, pageSize: 50, search: 'ONE.com' });
  expect(found.total).toBe(1);
  // What is reserved is no movement: the last line is the balance shown plus what is held.
  const figures = await inTransaction(database.db, scope, (tx) => ledger.balances(tx, scope.organisationId));
  expect(all.rows.at(-1)?.balance).toBe(figures.balanceCents + figures.heldCents);
});

test('months begin and end in UTC, follow each other without a gap, and page by page give the same lines', async () => {
  const { scope } = await people.organisation();
  await credit(scope, 5_000, 'last second of October');
  await credit(scope, -700, 'first second of November');
  await credit(scope, 50, 'in December');
  await backdate('last second of October', '2025-10-31T23:59:59Z');
  await backdate('first second of November', '2025-11-01T00:00:00Z');
  await backdate('in December', '2025-12-24T12:00:00Z');
  expect(await statement.months(scope)).toEqual([
    { month: '2025-12', opening: 4_300, in: 50, out: 0, closing: 4_350, lines: 1 },
    { month: '2025-11', opening: 5_000, in: 0, out: -700, closing: 4_300, lines: 1 },
    { month: '2025-10', opening: 0, in: 5_000, out: 0, closing: 5_000, lines: 1 },
  ]);
  const november = await statement.list(scope, {
    from: '2025-11-01',
    to: '2025-11-30',
    page: 1,
    pageSize: 10,
  });
  expect(november.rows.map((line) => line.text)).toEqual(['first second of November']);
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => statement.list(scope, { page, pageSize: 1, sort: '-at' })),
  );
  expect(pages.flatMap(({ rows }) => rows.map((line) => line.balance))).toEqual([4_350, 4_300, 5_000]);
  expect(pages.map(({ total }) => total)).toEqual([3, 3, 3, 3]);
});

test('the PDF of a month that is over has its own lines and sums alone, under the number of its place', async () => {
  const { scope } = await people.organisation();
  const entries = [
    ['before the leap day', 5_000, '2024-01-31T23:59:59Z'],
    ['first of February', -700, '2024-02-01T00:00:00Z'],
    ['on the leap day', 250, '2024-02-29T23:59:59Z'],
    ['after the leap day', 10, '2024-03-01T00:00:00Z'],
    ['in this month', 1, '2026-11-01T00:00:00Z'],
  ] as const;
  for (const [text, cents, at] of entries) {
    await credit(scope, cents, text);
    await backdate(text, at);
  }
  const paper = async (month: string) =>
    pdfText(await statement.monthPdf(scope, month)).replaceAll(/\s+/g, ' ');
  const february = await paper('2024-02');
  for (const part of [
    ...['Statement February 2024', 'S-000002', 'Period: Feb 1, 2024 to Feb 29, 2024 (UTC)'],
    ...['Opening balance: $50.00', 'Money in: $2.50', 'Money out: −$7.00', 'Closing balance: $45.50'],
    ...['first of February', 'on the leap day', 'Made: Nov 21, 2026'],
  ]) {
    expect(february).toContain(part);
  }
  for (const part of ['before the leap day', 'after the leap day', 'not ended yet']) {
    expect(february).not.toContain(part);
  }
  // The clock stands in November 2026.
  expect(await paper('2026-11')).toContain('Nov 1, 2026 to Nov 30, 2026 (UTC), not ended yet');
});

test('another organisation has another statement', async () => {
  const [mine, theirs] = [await people.organisation(), await people.organisation()];
  await credit(mine.scope, 900, 'mine');
  expect((await statement.list(theirs.scope, { page: 1, pageSize: 50 })).rows).toEqual([]);
  expect(await statement.months(theirs.scope)).toEqual([]);
});

const csvRows = async (scope: Scope, filter: Parameters<typeof statement.csv>[1] = {}) =>
  parse(await buffer(statement.csv(scope, filter)), { bom: true, columns: true }) as Record<string, string>[];

test('the CSV goes on until every line is in it, however many there are, with the balances of all entries', async () => {
  const { scope } = await people.organisation();
  for (const cents of [1_000, 200, -300, 40, -5]) await credit(scope, cents, `entry ${cents}`);
  // Two of the same moment, at the end of a page.
  await backdate('entry 1000', '2025-10-31T12:00:00Z');
  await backdate('entry 200', '2025-11-01T12:00:00Z');
  await backdate('entry -300', '2025-11-01T12:00:00Z');
  const balances = async (filter = {}) => (await csvRows(scope, filter)).map((row) => row['Balance USD']);
  expect(await balances()).toEqual(['10.00', '12.00', '9.00', '9.40', '9.35']);
  expect(await balances({ from: '2025-11-01' })).toEqual(['12.00', '9.00', '9.40', '9.35']);
  expect(await balances({ search: 'nothing of the kind' })).toEqual([]);
  expect(await balances({ search: '-300' })).toEqual(['9.00']);
  expect(await balances({ kind: 'purchase' })).toEqual([]);
});

test('the CSV has every line once, and no cell that a spreadsheet would calculate', async () => {
  const { scope } = await people.organisation();
  await credit(scope, 1_000, '=HYPERLINK("https://evil.example")');
  await credit(scope, -5, '+1');
  const rows = await csvRows(scope);
  expect(rows.map((row) => [row.Text, row['Amount USD'], row['Balance USD']])).toEqual([
    [`'=HYPERLINK("https://evil.example")`, '10.00', '10.00'],
    [`'+1`, '-0.05', '9.95'],
  ]);
});

test('what the fonts of the PDF cannot show is a question mark, and the rest stays readable', async () => {
  const { scope } = await people.organisation('星火 Müller 7 한');
  await credit(scope, 5_000, 'Top-up 充值');
  const text = pdfText(await statement.monthPdf(scope, new Date().toISOString().slice(0, 7)));
  expect(text).toContain('?? Müller 7 ?');
  expect(text).toContain('Top-up ??');
  expect(text).toContain('$50.00');
});

test('receipts are numbered for each organization without a gap, despite concurrent charges and rollbacks', async () => {
  const [mine, theirs] = [await people.organisation(), await people.organisation()];
  for (const { scope } of [mine, theirs]) await credit(scope, 100_000);
  const broken = inTransaction(database.db, mine.scope, async (tx) => {
    await sql`INSERT INTO orders (id, organisation_id, user_id, source, state, total_cents)
      VALUES (${newId()}, ${mine.scope.organisationId}, ${mine.scope.userId}, 'cart', 'settled', 0)`.execute(
      tx,
    );
    throw new Error('rolled back');
  });
  await expect(broken).rejects.toThrow('rolled back');
  await Promise.all(
    Array.from({ length: 12 }, (_, at) => buy((at % 3 === 0 ? theirs : mine).scope, 100, `many${at}.com`)),
  );
  const numbersOf = ({ scope }: { scope: Scope }) =>
    inTransaction(database.db, scope, async (tx) =>
      (await tx.selectFrom('receipts').select('number').orderBy('number').execute()).map((row) => row.number),
    );
  expect(await numbersOf(mine)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await numbersOf(theirs)).toEqual([1, 2, 3, 4]);
});

test('a receipt and a statement have number, date, both parties, tax and currency', async () => {
  const { scope } = await people.organisation('Acme IT');
  await statement.earnings.setAddress(scope, {
    ...{ name: 'Acme IT Services Ltd', address: ['1 Main Street', 'Toronto ON M5V 1A1'], taxId: 'CA 8472' },
  });
  await credit(scope, 5_000);
  const { orderId } = await buy(scope, 1_234, 'paper.com');
  const papers = [
    await statement.receipt(scope, orderId),
    await statement.monthPdf(scope, new Date().toISOString().slice(0, 7)),
  ].map(pdfText);
  for (const text of papers) {
    for (const part of [
      ...['Nameward Ltd', '9 Main Street', 'Dublin', 'Tax ID: IE 1'],
      ...['Acme IT Services Ltd', 'Toronto ON M5V 1A1', 'Tax ID: CA 8472'],
      ...['US dollars (USD)', 'no tax was charged', utcDayText(new Date())],
    ]) {
      expect(text).toContain(part);
    }
  }
  expect(papers[0]).toContain('R-000001');
  expect(papers[1]).toContain('S-000001');
  expect(papers[1]).toContain('not ended yet');
});

test('a receipt says when and by whom it was ordered, and that something is still open while an item is', async () => {
  const { scope } = await people.organisation();
  await credit(scope, 5_000);
  const { orderId } = await buy(scope, 1_234, 'open.com');
  itemStates = ['succeeded', 'review'];
  const text = pdfText(await statement.receipt(scope, orderId)).replaceAll(/\s+/g, ' ');
  itemStates = [];
  for (const part of [
    ...['Ordered: Nov 21, 2026', 'Ordered by: ann@example.com'],
    'Items that are still being processed are not on this receipt.',
  ]) {
    expect(text).toContain(part);
  }
});

test('who the papers are made out to is in the log, as it was and as it is', async () => {
  const { scope } = await people.organisation();
  const before = { name: '', address: [], taxId: '' };
  const after = { name: 'Acme Ltd', address: ['1 Main Street'], taxId: 'CA 1' };
  await statement.earnings.setAddress(scope, after);
  expect(await statement.earnings.address(scope)).toEqual(after);
  expect(await logged(database.db, scope, 'statement.setAddress')).toEqual([
    { by: scope.userId, kind: 'organisation', object: scope.organisationId, before, after },
  ]);
});

test('the PDF of a month and the receipt of an order carry their figures, in any European script', async () => {
  const { scope } = await people.organisation('Müller Яблоко');
  await credit(scope, 123_456, 'Überweisung');
  const { orderId } = await buy(scope, 1_234, 'receipt.com');
  const month = new Date().toISOString().slice(0, 7);
  const text = pdfText(await statement.monthPdf(scope, month));
  for (const part of ['Müller Яблоко', 'Überweisung', '$1,234.56', '−$12.34', '$1,222.22', 'receipt.com']) {
    expect(text).toContain(part);
  }
  const receipt = pdfText(await statement.receipt(scope, orderId));
  for (const part of ['Receipt', orderId, 'Registration of receipt.com', '4711', '$12.34']) {
    expect(receipt).toContain(part);
  }
  await expect(statement.monthPdf(scope, '2020-01')).rejects.toMatchObject({ code: 'not_found' });
  await expect(statement.receipt(scope, newId())).rejects.toMatchObject({ code: 'unprocessable' });
});
