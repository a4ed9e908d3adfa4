import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, organisationRow, topupRow } from '../../../../tests/support/rows.ts';
import { paymentAttention } from './attention.repo.ts';

/** Which payments are stated as in need of a person, each beside one that differs in a single condition. */

let database: TestDatabase;
let organisationId: string;
const now = new Date('2026-11-22T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
});

type Change = NonNullable<Parameters<typeof topupRow>[2]>;
const waiting = { state: 'requires_action', created_at: hoursAgo(2), updated_at: hoursAgo(2) } as const;
const declined = { ...waiting, kind: 'auto', state: 'failed' } as const;
const topup = (change: Change) => topupRow(database, organisationId, change);
const stated = () =>
  across(database, (tx) => paymentAttention.present(tx, { organisationIds: [organisationId], now }));

test('a payment that waits for its payer is stated for a day, and an automatic one that was declined for two months', async () => {
  const [mine, automatic] = [await topup(waiting), await topup(declined)];
  expect((await stated()).map(({ object, facts }) => [object, facts.waits]).sort()).toEqual(
    [
      [mine, 'person'],
      [automatic, 'declined'],
    ].sort(),
  );
  await topup({ ...waiting, updated_at: hoursAgo(24) });
  await topup({ ...declined, updated_at: hoursAgo(60 * 24) });
  expect(await stated()).toHaveLength(2);
});

test.each<[string, number, Change]>([
  ['that arrived', 0, { state: 'succeeded' }],
  ['that is being processed', 0, { state: 'processing' }],
  ['that auto balance made', 0, { kind: 'auto', state: 'requested' }],
  ['that was given up', 1, { state: 'cancelled' }],
])(
  'beside a later payment %s it is stated %d times, and one that is younger still once',
  async (_what, times, change) => {
    await topup(waiting);
    await topup({ created_at: hoursAgo(1), updated_at: hoursAgo(1), ...change });
    expect(await stated()).toHaveLength(times);
    await topup({ ...waiting, created_at: now });
    expect(await stated()).toHaveLength(times + 1);
  },
);

test('a payment is stated whatever another organization has paid since, and beside one of the same moment', async () => {
  const id = await topup(waiting);
  const other = await organisationRow(database);
  await topupRow(database, other, { state: 'succeeded', created_at: now });
  await topup({ state: 'succeeded', created_at: waiting.created_at });
  const whole = await across(database, (tx) => paymentAttention.present(tx, { organisationIds: null, now }));
  expect(whole.map(({ object }) => object)).toContain(id);
  expect((await stated()).map(({ object }) => object)).toEqual([id]);
});

test('a payment that a person could still make is no reason, nor is one of theirs that failed', async () => {
  for (const state of ['requested', 'failed', 'cancelled', 'processing', 'succeeded'] as const) {
    await topup({ ...waiting, state });
  }
  for (const state of ['cancelled', 'succeeded', 'reversed'] as const) {
    await topup({ ...declined, state });
  }
  expect(await stated()).toEqual([]);
});

test('what is stated of a payment: whose, how much, since when, and for whom it waits', async () => {
  const own = { organisationId, customerId: null, address: null, deadline: null };
  const id = await topup({ ...waiting, cents: 45_67 });
  const at = hoursAgo(2).toISOString();
  expect(await stated()).toEqual([
    { ...own, object: id, facts: { topUpId: id, cents: 45_67, at, waits: 'person' } },
  ]);
  const later = { created_at: hoursAgo(1), updated_at: hoursAgo(1) };
  const [automatic, confirms] = [
    await topup({ ...declined, cents: 12_34, created_at: hoursAgo(1), updated_at: hoursAgo(0.5) }),
    await topup({ ...declined, state: 'requires_action', ...later }),
  ];
  const byObject = new Map((await stated()).map((row) => [row.object, row]));
  expect(byObject.get(automatic)).toEqual({
    ...{ ...own, object: automatic },
    facts: { topUpId: automatic, cents: 12_34, at: hoursAgo(0.5).toISOString(), waits: 'declined' },
  });
  expect(byObject.get(confirms)?.facts.waits).toBe('person');
  const all = await across(database, (tx) => paymentAttention.present(tx, { organisationIds: null, now }));
  expect(all.filter((row) => row.object === automatic)).toEqual([byObject.get(automatic)]);
  const others = { organisationIds: [await organisationRow(database)], now };
  expect(await across(database, (tx) => paymentAttention.present(tx, others))).toEqual([]);
});
