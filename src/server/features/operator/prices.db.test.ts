import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { createCertificatePricing } from '../certificates/index.ts';
import { createDomainPricing } from '../domains/index.ts';
import { createPrices } from './prices.ts';

let database: TestDatabase;
let people: People;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => {
  people = createPeople(database);
});
afterAll(() => database.close());

const priceList = () =>
  createPrices({
    systemDb: database.systemDb,
    clock: people.clock,
    pricing: { price: () => Promise.reject(new Error('no answer')) },
    marginPercent: { domain: 20, certificate: 20 },
  });

test('a price is in force from its moment on, shows its margin, and null returns to cost plus margin', async () => {
  const prices = priceList();
  const pricing = createDomainPricing({
    db: database.db,
    registrar: { quote: async () => ({ costCents: 1_000, premium: false }) },
    clock: people.clock,
    marginPercent: 20,
  });
  const charged = async () => (await pricing.price('any.com', 'new', 1)).priceCents;
  const com = async () => (await prices.read()).rows.find((row) => row.name === 'com' && row.kind === 'new');
  const entry = { product: 'domain', name: 'com', kind: 'new' } as const;
  expect(await charged()).toBe(1_200);
  expect(await com()).toMatchObject({ cost: 10, listed: null, price: 12, marginPercent: 20 });
  const tomorrow = new Date(people.clock.now().getTime() + 86_400_000).toISOString();
  await prices.set({ entries: [{ ...entry, price: 15 }], note: 'autumn', validFrom: tomorrow });
  expect(await charged()).toBe(1_200);
  expect((await com())?.next).toEqual({ price: 15, validFrom: tomorrow });
  people.clock.forward(86_400_001);
  expect(await charged()).toBe(1_500);
  expect(await com()).toMatchObject({ listed: 15, price: 15, marginPercent: 50, next: null });
  await prices.set({ entries: [{ ...entry, price: null }], note: '' });
  expect(await charged()).toBe(1_200);
  // Below cost nothing is sold, whatever the list says.
  people.clock.forward(1);
  await prices.set({ entries: [{ ...entry, price: 1 }], note: '' });
  expect(await charged()).toBe(1_000);
  expect((await prices.read()).versions.map((version) => version.version)).toEqual([3, 2, 1]);
  const past = new Date(people.clock.now().getTime() - 3_600_000).toISOString();
  await expect(
    prices.set({ entries: [{ ...entry, price: 9 }], note: '', validFrom: past }),
  ).rejects.toMatchObject({
    code: 'validation_failed',
  });
  await expect(
    prices.set({ entries: [{ product: 'certificate', name: 'nothing', kind: 'new', price: 9 }], note: '' }),
  ).rejects.toMatchObject({ code: 'validation_failed' });
});

test('a certificate is sold at the price in force, per year of the order, and never below its cost', async () => {
  const prices = priceList();
  const pricing = createCertificatePricing({ db: database.db, clock: people.clock, marginPercent: 20 });
  const charged = async (years = 1) => (await pricing.price('rapidssl', years)).priceCents;
  const before = await charged();
  const { costCents } = await pricing.price('rapidssl', 1);
  expect(before).toBe(Math.round(costCents * 1.2));
  const tomorrow = new Date(people.clock.now().getTime() + 86_400_000).toISOString();
  const entry = { product: 'certificate', name: 'rapidssl', kind: 'new' } as const;
  await prices.set({ entries: [{ ...entry, price: 49.99 }], note: 'autumn', validFrom: tomorrow });
  expect(await charged()).toBe(before);
  people.clock.forward(86_400_001);
  expect([await charged(), await charged(2)]).toEqual([49_99, 99_98]);
  expect((await pricing.list()).find(({ productType }) => productType === 'rapidssl')).toMatchObject({
    pricePerYear: 49.99,
  });
  await prices.set({ entries: [{ ...entry, price: 0.01 }], note: '' });
  expect(await charged()).toBe(costCents);
});

test('what was in force once cannot be changed afterwards, not even by the operator', async () => {
  await expect(
    database.systemDb.updateTable('price_entries').set({ price_cents: 1 }).execute(),
  ).rejects.toMatchObject({ code: '42501' });
});
