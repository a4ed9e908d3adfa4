import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { adjust } from '../../ledger/ledger.ts';
import { renewalAttention } from './attention.repo.ts';
import { insertIntent, lockedIntent, moveIntent } from './renewals.repo.ts';

/** Which names are stated to lapse, by what became of their own renewal. */

let database: TestDatabase;
let organisationId: string;
const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
});

const source = renewalAttention({
  pricing: { knownPriceCents: async () => null, premiumPriceCents: (cents) => cents },
  ...{ graceDays: 40, renewDays: 30, pendingLimitCents: 0 },
});
const stated = async () =>
  (await across(database, (tx) => source.present(tx, { organisationIds: [organisationId], now }))).map(
    ({ object, facts }) => [object, facts.state],
  );
const own = async (expiresAt: Date, autoRenew = true) =>
  (await domainRow(database, organisationId, { expires_at: expiresAt, auto_renew: autoRenew })).address;
const failed = (address: string, expiresAt: Date) =>
  within(database, organisationId, async (tx) => {
    const place = { organisationId, address };
    await insertIntent(tx, place, { expiresAt, priceCents: 12_00, now });
    const intent = await lockedIntent(tx, place, expiresAt.getUTCFullYear());
    if (intent) await moveIntent(tx, intent, ['intended'], { state: 'unable', reason: 'Refused' });
  });

test('a name lapses when nothing renews it, or could not; what is renewed by itself does not', async () => {
  const [manual, unable] = [await own(inDays(10), false), await own(inDays(20))];
  await own(inDays(15));
  await failed(unable, inDays(20));
  expect(await stated()).toEqual([
    [manual, 'manual'],
    [unable, 'unable'],
  ]);
});

test('a name that has left the account is not stated: nobody can renew it', async () => {
  const [left, here] = [await own(inDays(10), false), await own(inDays(20), false)];
  const miss = (missing_since: Date | null) =>
    within(database, organisationId, (tx) =>
      tx.updateTable('domains').set({ missing_since }).where('address', '=', left).execute(),
    );
  await miss(now);
  expect(await stated()).toEqual([[here, 'manual']]);
  await miss(null);
  expect(await stated()).toEqual([
    [left, 'manual'],
    [here, 'manual'],
  ]);
});

test('what became of the renewal of another year says nothing of this one', async () => {
  const address = await own(inDays(20));
  await failed(address, inDays(20 - 365));
  expect(await stated()).toEqual([]);
});

test('what is stated of a name: whose it is, when it lapses, what a renewal costs, and why none is made', async () => {
  const customerId = await customerRow(database, organisationId);
  const priced = renewalAttention({
    pricing: {
      knownPriceCents: async (suffix) => (suffix === 'com' ? 14_99 : null),
      premiumPriceCents: (cents) => cents,
    },
    ...{ graceDays: 40, renewDays: 30, pendingLimitCents: 0 },
  });
  const expiresAt = inDays(10);
  const known = (
    await domainRow(database, organisationId, {
      expires_at: expiresAt,
      auto_renew: false,
      customer_id: customerId,
    })
  ).address;
  const address = `unknown-${known.replace('.com', '.example')}`;
  await domainRow(database, organisationId, {
    address,
    expires_at: inDays(-3),
    auto_renew: true,
    status: 'expired',
  });
  await failed(address, inDays(-3));
  const stand = (present: typeof priced) =>
    across(database, (tx) => present.present(tx, { organisationIds: [organisationId], now }));
  expect(await stand(priced)).toEqual([
    {
      ...{ organisationId, object: address, customerId: null, address, deadline: inDays(-3) },
      facts: {
        ...{ state: 'unable', reason: 'Refused', autoRenew: true, priceCents: null },
        expiresAt: inDays(-3).toISOString(),
      },
    },
    {
      ...{ organisationId, object: known, customerId, address: known, deadline: expiresAt },
      facts: {
        ...{ state: 'manual', reason: null, autoRenew: false, priceCents: 14_99 },
        expiresAt: expiresAt.toISOString(),
      },
    },
  ]);
});

test('names within thirty days are stated, and those that can still be renewed; of both the edge is not', async () => {
  const [soon, late] = [await own(inDays(29.9), false), await own(inDays(-39.9), false)];
  for (const days of [30, -40]) await own(inDays(days), false);
  await domainRow(database, organisationId, { expires_at: inDays(5), status: 'ended' });
  await domainRow(database, organisationId, { expires_at: inDays(5), status: 'transferring' });
  expect(await stated()).toEqual([
    [late, 'manual'],
    [soon, 'manual'],
  ]);
});

test('what renews by itself is stated where its own organization’s balance does not cover it', async () => {
  const priced = renewalAttention({
    pricing: { knownPriceCents: async () => 12_00, premiumPriceCents: (cents) => cents + 9_00 },
    ...{ graceDays: 40, renewDays: 30, pendingLimitCents: 0 },
  });
  const rich = await organisationRow(database);
  const fund = (id: string, cents: number) =>
    within(database, id, (tx) =>
      adjust(tx, { organisationId: id, cents, ref: `start ${id}`, actor: 'test', text: '' }),
    );
  await fund(organisationId, 12_00);
  await fund(rich, 1_000_00);
  const names = async (id: string) => [
    (await domainRow(database, id, { expires_at: inDays(5), auto_renew: true })).address,
    (await domainRow(database, id, { expires_at: inDays(6), auto_renew: true })).address,
  ];
  const [, bare] = await names(organisationId);
  const [, premium] = await names(rich);
  const ordered = await own(inDays(7));
  await within(database, organisationId, async (tx) => {
    const place = { organisationId, address: ordered };
    await insertIntent(tx, place, { expiresAt: inDays(7), priceCents: 12_00, now });
    const intent = await lockedIntent(tx, place, inDays(7).getUTCFullYear());
    if (intent) await moveIntent(tx, intent, ['intended'], { state: 'ordered' });
  });
  await across(database, (tx) =>
    tx
      .insertInto('cost_quotes')
      .values({
        ...{ address: premium ?? '', kind: 'renewal', years: 1, premium: true, cost_cents: 2_000_00 },
        quoted_at: now,
      } as never)
      .execute(),
  );
  const rows = await across(database, (tx) =>
    priced.present(tx, { organisationIds: [organisationId, rich], now }),
  );
  const told = rows.map(({ organisationId: of, object, facts }) => [
    of,
    object,
    facts.state,
    facts.priceCents,
  ]);
  expect(told.toSorted()).toEqual(
    [
      [organisationId, bare, 'planned', 12_00],
      [rich, premium, 'planned', 2_009_00],
    ].toSorted(),
  );
  // Those of the question, and of no others.
  const [one] = await across(database, (tx) => priced.present(tx, { organisationIds: [rich], now }));
  expect(one?.object).toBe(premium);
});
