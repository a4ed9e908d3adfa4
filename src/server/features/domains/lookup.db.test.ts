import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople } from '../../../../tests/support/people.ts';
import { domainRow } from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { inTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
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

describe('a look-up', () => {
  test('asks the registry itself about the name that was meant, and for a year of that very name', async () => {
    const asked: unknown[][] = [];
    const noting = lookup(
      {
        lookup: async (...told) => {
          asked.push(['registry', ...told]);
          return { status: 'available', reason: null };
        },
        suggest: async (...told) => {
          asked.push(['suggestions', ...told]);
          return [];
        },
      },
      {
        price: async (...told) => {
          asked.push(['price', ...told]);
          return { priceCents: 1_231, costCents: 1_000, premium: false };
        },
        standardPriceCents: async (...told) => {
          asked.push(['standard', ...told]);
          return 1_231;
        },
      },
    );
    await noting.lookup(scope, ' WWW.Fig.com ', false);
    expect(asked).toEqual([
      ['registry', 'fig.com', { fresh: true }],
      ['price', 'fig.com', 'new', 1],
    ]);
    asked.length = 0;
    await noting.suggestions(scope, 'fig.com');
    expect(asked).toEqual([
      ['suggestions', 'fig', { suffixes: ['com'], maximum: 10 }],
      ['standard', 'com', 'new'],
    ]);
  });

  test('of a taken name shows what its suffix costs, and why it is taken; its own price is nobody’s', async () => {
    const price = () => Promise.reject(new Error('asked for its price'));
    const taken = lookup({ lookup: async () => ({ status: 'taken', reason: 'Reserved Name' }) }, { price });
    expect(await taken.lookup(scope, 'fig', false)).toEqual({
      ...{ domain: 'fig.com', status: 'taken', price: 12.31, premium: false, own: false },
      ...{ reason: 'Reserved Name', suggestions: [] },
    });
  });

  test('of what is no name, or that the registry refuses, says so at the field; silence is none', async () => {
    await expect(lookup().lookup(scope, '-fig', true)).rejects.toMatchObject({
      ...{ code: 'validation_failed', details: [{ path: 'address', message: expect.stringMatching(/./) }] },
    });
    const refused = lookup({
      lookup: () => Promise.reject(new UpstreamRefused('invalid', '465', 'Not so.')),
    });
    await expect(refused.lookup(scope, 'fig', true)).rejects.toMatchObject({
      ...{ code: 'validation_failed', details: [{ path: 'address', message: 'Not so.' }] },
    });
    const silent = lookup({ lookup: () => Promise.reject(new UpstreamUnavailable('no answer')) });
    await expect(silent.lookup(scope, 'fig', true)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  test('of a list hides no fault of ours behind a name', async () => {
    const broken = lookup({ lookup: () => Promise.reject(new TypeError('a bug')) });
    await expect(broken.lookupList(scope, ['fig'])).rejects.toThrow('a bug');
  });
});

describe('names like it', () => {
  test.each([
    ['refuses', () => new UpstreamRefused('other', '400', 'No.')],
    ['does not answer', () => new UpstreamUnavailable('no answer')],
  ])('are a help: where the registrar %s there are none', async (_what, error) => {
    expect(await lookup({ suggest: () => Promise.reject(error()) }).suggestions(scope, 'fig')).toEqual([]);
  });

  test('are others than the name itself, say which are the organization’s own, and have no made-up price', async () => {
    const { address } = await domainRow(database, scope.organisationId, { address: 'own-fig.com' });
    const suggest = async () => [
      ...['fig.com', address, 'free-fig.com'].map((domain) => ({
        ...({ domain, status: 'available', premiumCents: null } as const),
      })),
    ];
    const found = await lookup({ suggest }, { standardPriceCents: async () => null }).suggestions(
      scope,
      'fig',
    );
    expect(found).toEqual([
      { domain: address, status: 'available', price: null, premium: false, own: true },
      { domain: 'free-fig.com', status: 'available', price: null, premium: false, own: false },
    ]);
  });
});
