import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { across } from '../../../../tests/support/rows.ts';
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

const rowsOf = async (prices: ReturnType<typeof createPrices>, name: string) =>
  (await prices.read()).rows.filter((row) => row.name === name);
const quote = (address: string, cost_cents: number, change: object = {}) =>
  across(database, (tx) =>
    tx
      .insertInto('cost_quotes')
      .values({
        ...{ address, kind: 'new', years: 1, cost_cents, premium: false },
        ...{ quoted_at: people.clock.now(), ...change },
      })
      .execute(),
  );
const listed = (name: string, price: number | null = 50, kind: 'new' | 'renewal' | 'transfer' = 'new') => ({
  ...{ product: 'domain' as const, name, kind, price },
});

test('what a suffix costs is what the registrar asked last for a plain name of it and one year', async () => {
  const prices = priceList();
  const [suffix, longer] = ['dev', 'co.dev'];
  await prices.set({ entries: [listed(suffix), listed(longer)], note: '' });
  const before = { quoted_at: new Date(people.clock.now().getTime() - 1) };
  await quote('older.dev', 7_00, before);
  await quote('last.dev', 8_00);
  // Each differs in one thing.
  const after = { quoted_at: new Date(people.clock.now().getTime() + 1) };
  await quote('premium.dev', 9_01, { premium: true, ...after });
  await quote('two.dev', 9_02, { years: 2, ...after });
  await quote('renewed.dev', 9_03, { kind: 'renewal', ...after });
  await quote('other.xdev', 9_04, after);
  await quote('third.co.dev', 9_05, after);
  const costs = async (name: string) =>
    Object.fromEntries((await rowsOf(prices, name)).map(({ kind, cost }) => [kind, cost]));
  expect(await costs(suffix)).toEqual({ new: 8, renewal: 9.03, transfer: null });
  expect(await costs(longer)).toEqual({ new: 9.05, renewal: null, transfer: null });
  expect((await rowsOf(prices, suffix)).map(({ label, product }) => [label, product])).toEqual(
    Array(3).fill(['.dev', 'domain']),
  );
});

test('the registrar is asked for costs that are unknown, of those alone; what it does not tell stays unknown', async () => {
  const asked: [string, string, number][] = [];
  const prices = createPrices({
    ...{ systemDb: database.systemDb, clock: people.clock, marginPercent: { domain: 20, certificate: 20 } },
    pricing: {
      price: async (name, kind, years) => {
        asked.push([name, kind, years]);
        if (kind === 'transfer') throw new Error('no answer');
        await quote(name, 10_00, { kind });
        return {} as never;
      },
    },
  });
  await prices.set({ entries: [listed('page', null)], note: '' });
  await quote('known.page', 11_00);
  const rows = await rowsOf(prices, 'page');
  expect(rows.map(({ kind, cost, price }) => [kind, cost, price])).toEqual([
    ['new', 11, 13.2],
    ['renewal', 10, 12],
    ['transfer', null, null],
  ]);
  const ofPage = () => asked.filter(([name]) => name.endsWith('.page'));
  expect(ofPage()).toEqual([
    ['nameward-standard-price.page', 'renewal', 1],
    ['nameward-standard-price.page', 'transfer', 1],
  ]);
  await prices.read();
  expect(ofPage().slice(2)).toEqual([['nameward-standard-price.page', 'transfer', 1]]);
});

test('of two prices of one moment the later version holds; of those to come the next is shown', async () => {
  const prices = priceList();
  const at = (ms: number) => new Date(people.clock.now().getTime() + ms).toISOString();
  const first = await prices.set({ entries: [listed('app', 11), listed('app', 21, 'renewal')], note: 'one' });
  const second = await prices.set({ entries: [listed('app', 12)], note: 'two' });
  expect(second.version).toBe(first.version + 1);
  await prices.set({ entries: [listed('app', 14)], note: '', validFrom: at(2_000) });
  await prices.set({ entries: [listed('app', 13)], note: '', validFrom: at(1_000) });
  const validFrom = at(1_000);
  const shown = async () =>
    (await rowsOf(prices, 'app')).map(({ kind, listed, next }) => [kind, listed, next]);
  expect(await shown()).toEqual([
    ['new', 12, { price: 13, validFrom }],
    ['renewal', 21, null],
    ['transfer', null, null],
  ]);
  const { versions } = await prices.read();
  const told = { validFrom: at(0), createdAt: at(0) };
  expect(versions.slice(2, 4)).toEqual([
    { version: second.version, note: 'two', entries: 1, ...told },
    { version: first.version, note: 'one', entries: 2, ...told },
  ]);
  // In force from its moment on.
  people.clock.forward(1_000);
  expect((await shown())[0]).toEqual(['new', 13, { price: 14, validFrom: at(1_000) }]);
});

test('certificates are listed while they are sold, under their maker’s name once', async () => {
  const prices = priceList();
  const make = (product_type: string, change: object) =>
    across(database, (tx) =>
      tx
        .insertInto('certificate_products')
        .values({
          ...{ product_type, provider: 'Maker', name: product_type, cost_cents: 20_00 },
          ...{ business_validated: false, wildcard: false, sort: 900, ...change },
        } as never)
        .execute(),
    );
  await make('plain', { name: 'Plain SSL' });
  await make('named', { name: 'Maker Pro' });
  await make('gone', { active: false });
  const rows = (await prices.read()).rows.filter(({ product }) => product === 'certificate');
  expect(
    rows.filter(({ label }) => label.startsWith('Maker')).map(({ name, label }) => [name, label]),
  ).toEqual([
    ['named', 'Maker Pro'],
    ['plain', 'Maker Plain SSL'],
  ]);
  expect(rows.find(({ name }) => name === 'plain')).toMatchObject({ kind: 'new', cost: 20, price: 24 });
  expect(rows.map(({ name }) => name)).not.toContain('gone');
});

test('what was in force once cannot be changed afterwards, not even by the operator', async () => {
  await expect(
    database.systemDb.updateTable('price_entries').set({ price_cents: 1 }).execute(),
  ).rejects.toMatchObject({ code: '42501' });
});
