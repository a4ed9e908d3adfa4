import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type StatementKind, statementKinds } from '#contracts/operations/statement.ts';
import type { Tx } from '#kernel/db/database.ts';
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
import { linesAfter, listLines, listMonths } from './statement.repo.ts';

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
