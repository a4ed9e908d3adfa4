import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople } from '../../../../tests/support/people.ts';
import { AppError } from '../../../contracts/errors.ts';
import { inTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { createLookup } from './lookup.ts';
import type { DomainPricing } from './pricing.ts';

let database: TestDatabase;
let scope: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  scope = (await createPeople(database).organisation()).scope;
});
afterAll(() => database.close());

const never = new Promise<never>(() => undefined);
const pricing: DomainPricing = {
  price: async () => ({ priceCents: 99_900, costCents: 90_000, premium: true }),
  standardPriceCents: async () => 1_231,
  premiumPriceCents: (cents) => cents * 2,
};
const registrar: Parameters<typeof createLookup>[0]['registrar'] = {
  lookup: async () => ({ status: 'available', reason: null }),
  suggest: async () => [
    { domain: 'my-fig.com', status: 'available', premiumCents: null },
    { domain: 'fig-gold.com', status: 'available', premiumCents: 5_000 },
  ],
};
const lookup = (change: Partial<typeof registrar> = {}, prices: Partial<DomainPricing> = {}) =>
  createLookup({
    db: database.db,
    registrar: { ...registrar, ...change },
    pricing: { ...pricing, ...prices },
  });

test('a name whose own price is not known shows none: it might be a premium one', async () => {
  const price = () => Promise.reject(new AppError('upstream_unavailable'));
  const found = await lookup({}, { price }).lookup(scope, 'fig', false);
  expect(found).toMatchObject({ domain: 'fig.com', status: 'available', price: null, premium: false });
  expect(await lookup().lookup(scope, 'fig', false)).toMatchObject({ price: 999, premium: true });
});

test('of a list each name is told by itself: one that fails leaves the others', async () => {
  const some = lookup({
    lookup: async (domain) => {
      if (domain === 'quiet.com') throw new UpstreamUnavailable('nobody answers');
      return domain === 'taken.com'
        ? { status: 'taken', reason: 'Reserved Name' }
        : { status: 'available', reason: null };
    },
  });
  const found = await some.lookupList(scope, ['fig', 'taken.com', 'quiet.com', 'fig.org']);
  expect(found.map(({ domain, status, price, problem }) => [domain, status, price, problem])).toEqual([
    ['fig.com', 'available', 999, null],
    ['taken.com', 'taken', 12.31, 'Reserved Name'],
    ['quiet.com', null, null, expect.stringMatching(/./)],
    ['fig.org', null, null, 'Only .com domains are supported at the moment.'],
  ]);
});

test('suggestions say which of them are premium, at their own price', async () => {
  expect(await lookup().suggestions(scope, 'fig')).toEqual([
    { domain: 'my-fig.com', status: 'available', price: 12.31, premium: false, own: false },
    { domain: 'fig-gold.com', status: 'available', price: 100, premium: true, own: false },
  ]);
});

test('suggestions and prices that do not come leave the name as it is known', async () => {
  const silent = lookup({ suggest: () => never }, { price: () => never });
  const found = await silent.lookup(scope, 'fig', true);
  expect(found).toMatchObject({ domain: 'fig.com', status: 'available', price: null, suggestions: [] });
});

test('a name of the organisation’s own is told from one that somebody else has', async () => {
  await inTransaction(database.db, scope, (tx) =>
    tx
      .insertInto('domains')
      .values({
        ...{ id: newId(), organisation_id: scope.organisationId, customer_id: null, address: 'mine.com' },
        ...{ status: 'active', registered_at: null, expires_at: null, locked: null, privacy: null },
        ...{ synced_at: null, ended_at: null, end_reason: null },
      })
      .execute(),
  );
  const taken = lookup({ lookup: async () => ({ status: 'taken', reason: null }) });
  expect(await taken.lookup(scope, 'mine', false)).toMatchObject({ status: 'taken', own: true });
  expect(await taken.lookup(scope, 'theirs', false)).toMatchObject({ status: 'taken', own: false });
});
