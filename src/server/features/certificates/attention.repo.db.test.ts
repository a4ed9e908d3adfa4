import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  certificateRow,
  customerRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { certificateAttention } from './attention.repo.ts';
import { insertReissue } from './reissues.repo.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

test('certificates are stated by their worst flag, with when they end; not those without an order to open', async () => {
  const organisationId = await organisationRow(database);
  const customerId = await customerRow(database, organisationId);
  const issued = {
    ...{ customer_id: customerId, ordered_at: inDays(-360), valid_from: inDays(-360) },
    ...{ valid_to: inDays(5), term_ends_at: inDays(5), validation_method: 'File' },
  } as const;
  const certificate = async (address: string, change: Parameters<typeof certificateRow>[2]) => ({
    id: await certificateRow(database, organisationId, { address, ...change }),
    address,
  });
  const expired = await certificate('expired.com', {
    ...{ ...issued, registrar_order_id: '1', valid_to: inDays(-1), term_ends_at: inDays(-1) },
  });
  const ending = await certificate('ending.com', { ...issued, registrar_order_id: '2' });
  // Nobody has issued it yet: its end is not known.
  const waiting = await certificate('waiting.com', {
    ...{ state: 'awaiting-approval', ordered_at: inDays(-30), registrar_order_id: '3' },
    ...{ valid_to: null, term_ends_at: inDays(300) },
  });
  await certificate('no-order.com', { ...issued, registrar_order_id: null });
  await certificate('fine.com', {
    ...{ ...issued, registrar_order_id: '5', valid_to: inDays(300), term_ends_at: inDays(300) },
    ...{ ordered_at: inDays(-1), valid_from: inDays(-1), auto_reissue: false },
  });
  const rows = await across(database, (tx) =>
    certificateAttention.present(tx, { organisationIds: [organisationId], now }),
  );
  const row = (of: typeof expired, deadline: Date, facts: object) => ({
    ...{ organisationId, object: of.id, customerId, address: of.address, deadline },
    facts: { text: expect.any(String), underWay: false, validTo: deadline.toISOString(), ...facts },
  });
  expect(rows.sort((a, b) => (a.facts.orderId ?? '').localeCompare(b.facts.orderId ?? ''))).toEqual([
    row(expired, inDays(-1), { kind: 'expired', level: 'danger', orderId: '1' }),
    row(ending, inDays(5), { kind: 'term', level: 'danger', orderId: '2' }),
    {
      ...row(waiting, inDays(300), { kind: 'waiting', level: 'warning', orderId: '3', validTo: null }),
      customerId: null,
    },
  ]);
  expect(rows[0]?.facts.text).toContain('has expired');
});

test('a certificate is stated of its own organization, and says whether what it asks for is under way', async () => {
  const [mine, other] = [await organisationRow(database), await organisationRow(database)];
  const over = { state: 'expired', valid_to: inDays(-1), term_ends_at: inDays(9), ordered_at: inDays(-300) };
  const ids = [
    await certificateRow(database, mine, { ...over, registrar_order_id: '1' }),
    await certificateRow(database, mine, { ...over, registrar_order_id: '2' }),
  ];
  await certificateRow(database, other, { ...over, registrar_order_id: '3' });
  await within(database, mine, (tx) =>
    insertReissue(
      tx,
      { now: () => now },
      { organisationId: mine, certificateId: ids[1] ?? '' },
      {
        ...{ id: newId(), csr: 'csr', automatic: false },
      },
    ),
  );
  const stated = async (organisationIds: string[] | null) =>
    (await across(database, (tx) => certificateAttention.present(tx, { organisationIds, now })))
      .map(({ object, facts }) => [object, facts.underWay] as const)
      .filter(([object]) => ids.includes(object));
  expect(new Map(await stated([mine]))).toEqual(
    new Map([
      [ids[0], false],
      [ids[1], true],
    ]),
  );
  expect(await stated([other])).toEqual([]);
  expect(await stated(null)).toHaveLength(2);
});
