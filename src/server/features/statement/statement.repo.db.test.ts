import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type StatementKind, statementKinds } from '#contracts/operations/statement.ts';
import { createDatabase, sql, type Tx } from '#kernel/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  customerRow,
  itemRow,
  orderRow,
  organisationRow,
  topupRow,
  within,
} from '../../../../tests/support/rows.ts';
import * as ledger from '../../ledger/ledger.ts';
import { sumEarnings } from './earnings.repo.ts';
import { chargesOf, linesAfter, listLines, listMonths } from './statement.repo.ts';

/** What a line of the statement calls each kind of entry, and in which sums it counts. */

let database: TestDatabase;
let organisationId: string;
let customerId: string;
let orderId: string;
let itemId: string;
let topupId: string;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);

beforeEach(async () => {
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  orderId = await orderRow(database, organisationId);
  const bought = { customer_id: customerId, state: 'succeeded', registrar_order_id: '4711' } as const;
  itemId = await itemRow(database, { organisationId, orderId }, bought);
  topupId = await topupRow(database, organisationId, {
    state: 'succeeded',
    payment_intent: `pi_${organisationId}`,
  });
  const of = (text: string) => ({ organisationId, actor: 'test', text });
  const topup = (text: string, sequence: string) => ({ ...of(text), topupId, sequence });
  const entries: ((tx: Tx) => Promise<unknown>)[] = [
    (tx) =>
      ledger.creditTopUp(tx, { ...of('Top-up'), topupId, cents: 100_00, pendingCents: 0, feeCents: 3_20 }),
    // The operator bears it: it moves nothing here.
    (tx) => ledger.bookTopUpFee(tx, { ...topup('Later fee', 'f'), cents: 50 }),
    (tx) => ledger.hold(tx, { organisationId, items: [{ itemId, cents: 12_00 }], pendingLimitCents: 0 }),
    (tx) => ledger.capture(tx, { ...of('Purchase'), itemId, costCents: 9_00 }),
    (tx) => ledger.refundItem(tx, { ...of('Refund'), itemId, cents: 12_00 }),
    (tx) => ledger.reverseTopUp(tx, { ...topup('Dispute', 'a'), cents: 40_00 }),
    (tx) => ledger.reverseTopUp(tx, { ...topup('Dispute won', 'b'), cents: -40_00 }),
    (tx) => ledger.adjust(tx, { ...of('Correction'), ref: 'c', cents: -7_00 }),
  ];
  for (const entry of entries) await tenant(entry);
});

const ofItem = () => ({
  ...{ orderId, itemId, registrarOrderId: '4711', customerId, customer: 'Example Ltd' },
  ...{ topupId: null, payment: null },
});
const ofNobody = { orderId: null, itemId: null, registrarOrderId: null, customerId: null, customer: '' };
const ofTopup = () => ({ ...ofNobody, topupId, payment: `pi_${organisationId}` });
const lines = () => [
  { ...ofTopup(), kind: 'topup', text: 'Top-up', amount: 100_00, balance: 100_00 },
  { ...ofItem(), kind: 'purchase', text: 'Purchase', amount: -12_00, balance: 88_00 },
  { ...ofItem(), kind: 'refund', text: 'Refund', amount: 12_00, balance: 100_00 },
  { ...ofTopup(), kind: 'reversal', text: 'Dispute', amount: -40_00, balance: 60_00 },
  { ...ofTopup(), kind: 'reversal', text: 'Dispute won', amount: 40_00, balance: 100_00 },
  {
    ...{ ...ofNobody, topupId: null, payment: null },
    ...{ kind: 'adjustment', text: 'Correction', amount: -7_00, balance: 93_00 },
  },
];
const entry = { entryId: expect.any(String), at: expect.any(String) };
const read = (query: object = {}) =>
  tenant((tx) => listLines(tx, organisationId, { pageSize: 50, sort: 'at', ...query }));

test('each kind of entry is listed under its own name, with what it is about, and what moves nothing is not listed', async () => {
  const all = await read();
  expect(all).toEqual({ total: 6, rows: lines().map((line) => ({ ...entry, ...line })) });
  const file = (after: string | null, limit: number) =>
    tenant((tx) => linesAfter(tx, organisationId, {}, { after, limit }));
  expect(await file(null, 4)).toEqual(all.rows.slice(0, 4));
  expect(await file(all.rows[3]?.entryId ?? '', 4)).toEqual(all.rows.slice(4));
});

test('a filter for a kind finds those of that name alone: a dispute that was won is a reversal and no correction', async () => {
  const found = async (kind: StatementKind) => (await read({ kind })).rows.map(({ text }) => text);
  expect(
    Object.fromEntries(await Promise.all(statementKinds.map(async (kind) => [kind, await found(kind)]))),
  ).toEqual({
    ...{ topup: ['Top-up'], purchase: ['Purchase'], refund: ['Refund'] },
    ...{ reversal: ['Dispute', 'Dispute won'], adjustment: ['Correction'] },
  });
});

test('each entry counts in its own sum: what came and what went, with what is left', async () => {
  const [month] = await tenant((tx) => listMonths(tx, organisationId));
  expect(month).toEqual({
    ...{ month: expect.any(String), opening: 0, closing: 93_00, lines: 6 },
    // Top-up, refund and what came back of the dispute; purchase, dispute and correction.
    ...{ in: 100_00 + 12_00 + 40_00, out: -12_00 - 40_00 - 7_00 },
  });
});

test('a customer’s lines are those of what was bought for them', async () => {
  const texts = async (query: object) => (await read(query)).rows.map(({ text }) => text);
  expect(await texts({ customer: customerId })).toEqual(['Purchase', 'Refund']);
  expect(await texts({ customer: await customerRow(database, organisationId) })).toEqual([]);
  expect(await texts({ search: 'DISPUTE' })).toEqual(['Dispute', 'Dispute won']);
});

test('lines are sorted by time, newest first unless the oldest are asked for, or by what they moved', async () => {
  const texts = async (sort?: string) => (await read({ sort })).rows.map(({ text }) => text);
  const oldest = lines().map(({ text }) => text);
  expect(await texts('at')).toEqual(oldest);
  expect(await texts('-at')).toEqual(oldest.toReversed());
  expect(await texts()).toEqual(oldest.toReversed());
  const smallest = ['Dispute', 'Purchase', 'Correction', 'Refund', 'Dispute won', 'Top-up'];
  expect(await texts('amount')).toEqual(smallest);
  expect(await texts('-amount')).toEqual(smallest.toReversed());
});

test('behind the last page there are no lines, and still as many in all', async () => {
  expect(await read({ page: 2, pageSize: 4 })).toMatchObject({
    total: 6,
    rows: [{ text: 'Dispute won' }, {}],
  });
  expect(await read({ page: 3, pageSize: 4 })).toEqual({ total: 6, rows: [] });
  expect(await read({ page: 1, search: 'nothing of the kind' })).toEqual({ total: 0, rows: [] });
});

/** As if it had happened then: the owner of the tables may do what the application may not. */
async function backdate(times: Readonly<Record<string, string>>): Promise<void> {
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  for (const [text, at] of Object.entries(times)) {
    await sql`UPDATE journal SET at = ${at}::timestamptz
      WHERE text = ${text} AND organisation_id = ${organisationId}`.execute(owner);
  }
  await owner.destroy();
}

test('a span of days begins with the first moment of the first and ends with the last of the last, in UTC, in list and file', async () => {
  await backdate({
    ...{ 'Top-up': '2025-10-31T23:59:59.999Z', Purchase: '2025-11-01T00:00:00.000Z' },
    ...{ Refund: '2025-11-30T23:59:59.999Z', Dispute: '2025-12-01T00:00:00.000Z' },
    ...{ 'Dispute won': '2025-12-02T00:00:00.000Z', Correction: '2025-12-03T00:00:00.000Z' },
  });
  const texts = async (filter: { from?: string; to?: string }) => {
    const rows = (await read(filter)).rows;
    const file = await tenant((tx) => linesAfter(tx, organisationId, filter, { after: null, limit: 50 }));
    expect(file).toEqual(rows);
    return rows.map(({ text }) => text);
  };
  expect(await texts({ from: '2025-11-01', to: '2025-11-30' })).toEqual(['Purchase', 'Refund']);
  expect(await texts({ to: '2025-10-31' })).toEqual(['Top-up']);
  expect(await texts({ from: '2025-12-02' })).toEqual(['Dispute won', 'Correction']);
});

test('lines of one moment keep one order, in the list both ways, in the file, and in the balances', async () => {
  const moment = '2025-11-01T12:00:00Z';
  await backdate(Object.fromEntries(lines().map(({ text }) => [text, moment])));
  const all = (await read()).rows;
  const oldest = all.map(({ text }) => text);
  expect(oldest).toEqual(lines().map(({ text }) => text));
  expect(all.map(({ balance }) => balance)).toEqual(lines().map(({ balance }) => balance));
  expect((await read({ sort: '-at' })).rows).toEqual(all.toReversed());
  const after = all[2]?.entryId ?? '';
  const file = tenant((tx) => linesAfter(tx, organisationId, {}, { after, limit: 2 }));
  expect(await file).toEqual(all.slice(3, 5));
});

describe('the charges of an order', () => {
  const bought = async (of: string, position: number, change: object = {}) => {
    const row = { position, state: 'succeeded', address: `p${position}.com`, ...change } as const;
    const id = await itemRow(database, { organisationId, orderId: of }, row);
    await tenant(async (tx) => {
      const hold = { organisationId, items: [{ itemId: id, cents: 5_00 }], pendingLimitCents: 0 };
      await ledger.hold(tx, hold);
      await ledger.capture(tx, {
        ...{ organisationId, itemId: id, costCents: 4_00, actor: 'test', text: `Item ${position}` },
      });
    });
    return id;
  };

  test('are those of its own items in the order of the cart, each with what was given back behind it', async () => {
    const cart = await orderRow(database, organisationId);
    await bought(cart, 2, { years: 3, customer_id: customerId, registrar_order_id: '815' });
    const first = await bought(cart, 1);
    await bought(await orderRow(database, organisationId), 1);
    // Held and given back: nothing was charged.
    const declined = { position: 3, state: 'declined' } as const;
    const released = await itemRow(database, { organisationId, orderId: cart }, declined);
    await tenant(async (tx) => {
      const hold = { organisationId, items: [{ itemId: released, cents: 1 }], pendingLimitCents: 0 };
      await ledger.hold(tx, hold);
      await ledger.release(tx, { organisationId, itemId: released, actor: 'test', text: 'Released' });
    });
    const back = { organisationId, itemId: first, cents: 5_00, actor: 'test', text: 'Given back' };
    await tenant((tx) => ledger.refundItem(tx, back));
    const row = { at: expect.any(Date), years: 1, customer: '', registrarOrderId: null };
    expect(await tenant((tx) => chargesOf(tx, organisationId, cart))).toEqual([
      { ...row, text: 'Item 1', cents: -5_00, address: 'p1.com' },
      { ...row, text: 'Given back', cents: 5_00, address: 'p1.com' },
      {
        ...{ ...row, text: 'Item 2', cents: -5_00, address: 'p2.com' },
        ...{ years: 3, customer: 'Example Ltd', registrarOrderId: '815' },
      },
    ]);
    expect(await tenant((tx) => chargesOf(tx, organisationId, itemId))).toEqual([]);
  });
});

describe('earnings', () => {
  beforeEach(async () => {
    const state = 'succeeded' as const;
    const other = await itemRow(database, { organisationId, orderId }, { kind: 'renewal', state });
    await tenant(async (tx) => {
      const hold = { organisationId, items: [{ itemId: other, cents: 5_00 }], pendingLimitCents: 0 };
      await ledger.hold(tx, hold);
      const entry = { organisationId, itemId: other, actor: 'test', text: 'Renewal' };
      await ledger.capture(tx, { ...entry, costCents: 4_00 });
    });
    await backdate({
      ...{ Purchase: '2025-11-30T23:59:59.999Z', Refund: '2025-12-01T00:00:00.000Z' },
      ...{ Renewal: '2025-12-31T23:59:59.999Z' },
    });
  });
  const sums = async (by: Parameters<typeof sumEarnings>[2], span = {}) => {
    const rows = await tenant((tx) => sumEarnings(tx, organisationId, by, span));
    return rows.map((row) => [row.month, row.customer, row.kind, row.items, row.otherCost]);
  };

  test('are of the month in UTC in which each entry was booked; a refund is no item', async () => {
    expect(await sums('month')).toEqual([
      ['2025-12', '', '', 1, 5_00 - 12_00],
      ['2025-11', '', '', 1, 12_00],
    ]);
    expect(await sums('customer')).toEqual([
      ['', '', '', 1, 5_00],
      ['', 'Example Ltd', '', 1, 0],
    ]);
    expect(await sums('kind')).toEqual([
      ['', '', 'domain', 1, 0],
      ['', '', 'renewal', 1, 5_00],
    ]);
    expect(await sums('all')).toEqual([
      ['2025-12', '', 'renewal', 1, 5_00],
      ['2025-12', 'Example Ltd', 'domain', 0, -12_00],
      ['2025-11', 'Example Ltd', 'domain', 1, 12_00],
    ]);
  });

  test('are asked for by days, both included, and for one customer', async () => {
    const november = [['2025-11', '', '', 1, 12_00]];
    expect(await sums('month', { from: '2025-11-30', to: '2025-11-30' })).toEqual(november);
    expect(await sums('month', { to: '2025-11-29' })).toEqual([]);
    expect(await sums('month', { from: '2025-12-01', to: '2025-12-30' })).toEqual([
      ['2025-12', '', '', 0, -12_00],
    ]);
    expect(await sums('month', { from: '2025-12-02' })).toEqual([['2025-12', '', '', 1, 5_00]]);
    expect(await sums('month', { customerId })).toEqual([['2025-12', '', '', 0, -12_00], ...november]);
    expect(await sums('month', { customerId: orderId })).toEqual([]);
  });
});
