import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
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
