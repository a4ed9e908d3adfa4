import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across } from '../../../../tests/support/rows.ts';
import { createCertificatePricing } from './pricing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('the price list names the families that the registrar sells, and what can be chosen needs no papers', async () => {
  const clock = { now: () => new Date() };
  const list = await createCertificatePricing({ db: database.db, clock, marginPercent: 0 }).list();
  const families = (entries: typeof list) =>
    [...new Set(entries.map(({ productType }) => productType.split('_')[0]))].sort();
  expect(families(list)).toEqual([
    ...['comodo', 'essentialssl', 'positivessl', 'rapidssl', 'securesite', 'ssl123', 'sslwebserver'],
    ...['truebizid', 'trustwave'],
  ]);
  expect(families(list.filter(({ businessValidated }) => !businessValidated))).toEqual([
    ...['comodo', 'essentialssl', 'positivessl', 'rapidssl', 'ssl123', 'trustwave'],
  ]);
});

describe('a product', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  const at = (ms: number) => new Date(now.getTime() + ms);
  const pricing = (when = now) =>
    createCertificatePricing({ db: database.db, clock: { now: () => when }, marginPercent: 15 });
  const set = (change: object) =>
    across(database, (tx) =>
      tx.updateTable('certificate_products').set(change).where('product_type', '=', 'rapidssl').execute(),
    );
  const listed = (name: string, version: number, price_cents: number | null, valid_from: Date, more = {}) =>
    across(database, (tx) =>
      tx
        .insertInto('price_entries')
        .values({ product: 'certificate', kind: 'new', name, version, price_cents, valid_from, ...more })
        .execute(),
    );

  test('costs its margin on top, for each year, to the cent; the list shows a year, and never what it costs us', async () => {
    // 14.95 and 15 % on top are 17.1925.
    const price = { costCents: 14_95 * 3, priceCents: 17_19 * 3 };
    expect(await pricing().price('rapidssl', 3)).toEqual(price);
    expect(await across(database, (tx) => pricing().known(tx, 'rapidssl', 3))).toEqual(price);
    const list = await pricing().list();
    expect(list.find(({ productType }) => productType === 'rapidssl_wildcard')).toEqual({
      ...{ productType: 'rapidssl_wildcard', provider: 'RapidSSL', certificate: 'RapidSSL Wildcard' },
      ...{ price: 113.85, pricePerYear: 113.85, businessValidated: false, wildcard: true },
    });
    expect(list.slice(0, 3).map(({ productType }) => productType)).toEqual([
      ...['rapidssl', 'rapidssl_wildcard', 'positivessl'],
    ]);
  });

  test('that is not on offer has no price, and is in no list', async () => {
    await set({ active: false });
    const productTypes = (await pricing().list()).map(({ productType }) => productType);
    expect(productTypes).not.toContain('rapidssl');
    for (const name of ['rapidssl', 'nothing']) {
      await expect(pricing().price(name, 1)).rejects.toMatchObject({
        ...{ code: 'unprocessable', message: 'This certificate is not for sale' },
      });
    }
    expect(await across(database, (tx) => pricing().known(tx, 'rapidssl', 1))).toBeNull();
    await set({ active: true, sort: 1_000 });
    expect((await pricing().list()).at(-1)?.productType).toBe('rapidssl');
  });

  test('costs what the operator’s newest list in force says of it, for a new certificate', async () => {
    const priceAt = async (when: Date) => (await pricing(when).price('positivessl', 2)).priceCents;
    await listed('positivessl', 1, 20_00, at(-2));
    await listed('positivessl', 2, 30_00, at(-1));
    await listed('positivessl', 3, 40_00, now);
    await listed('positivessl', 4, 50_00, at(1));
    await listed('positivessl', 5, 99_00, at(-1), { product: 'domain' });
    await listed('positivessl', 5, 98_00, at(-1), { kind: 'renewal' });
    await listed('essentialssl', 5, 97_00, at(-1));
    expect([await priceAt(at(-1)), await priceAt(now), await priceAt(at(1))]).toEqual([60_00, 80_00, 100_00]);
    // Of two of one moment the later list counts; one below our cost sells nothing.
    await listed('positivessl', 6, 9_00, at(1));
    expect(await priceAt(at(1))).toBe(9_95 * 2);
    expect(await priceAt(at(-3))).toBe(11_44 * 2);
    expect((await pricing(now).list()).find((one) => one.productType === 'positivessl')?.price).toBe(40);
  });
});
