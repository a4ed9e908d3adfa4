import { expect, test } from 'vitest';
import { type ListedProduct, requireEntries, toPriceRow, validFromOf } from './prices.rules.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const ofCom: ListedProduct = {
  ...{ product: 'domain', name: 'com', label: '.com', kind: 'new' },
  ...{ cost_cents: 1_000, listed_cents: null, next_cents: null, next_from: null },
};

test('new prices come into force now or later; a clock a minute ahead is forgiven', () => {
  expect(validFromOf(undefined, now)).toEqual(now);
  expect(validFromOf('2026-03-01T11:59:00.000Z', now)).toEqual(new Date('2026-03-01T11:59:00.000Z'));
  expect(() => validFromOf('2026-03-01T11:58:59.999Z', now)).toThrow(
    expect.objectContaining({
      details: [{ path: 'validFrom', message: 'Please choose a time that is not in the past' }],
    }),
  );
  expect(validFromOf('2027-01-01T00:00:00.000Z', now)).toEqual(new Date('2027-01-01T00:00:00.000Z'));
});

test('a price that is named twice is refused; two kinds of one suffix are two prices', () => {
  const com = { product: 'domain', name: 'com', kind: 'new' } as const;
  expect(() => requireEntries([com, { ...com, kind: 'renewal' }], new Set())).not.toThrow();
  expect(() => requireEntries([com, com], new Set())).toThrow('One price appears twice.');
});

test('any suffix may have a price; a certificate only when it is in the catalogue, and only one for new ones', () => {
  const check = (product: 'domain' | 'certificate', name: string, kind: string) => () =>
    requireEntries([{ product, name, kind }], new Set(['rapid']));
  expect(check('domain', 'co.uk', 'transfer')).not.toThrow();
  expect(check('domain', 'CO.UK', 'transfer')).toThrow();
  expect(check('domain', '', 'new')).toThrow();
  expect(check('certificate', 'rapid', 'new')).not.toThrow();
  expect(check('certificate', 'rapid', 'renewal')).toThrow();
  expect(check('certificate', 'slow', 'new')).toThrow(
    expect.objectContaining({
      details: [{ path: 'entries.0.name', message: 'There is no such product: slow' }],
    }),
  );
});

test('the list shows what is charged: never below cost, and the margin that is left', () => {
  expect(toPriceRow(ofCom, 25)).toMatchObject({ cost: 10, listed: null, price: 12.5, marginPercent: 25 });
  expect(toPriceRow({ ...ofCom, listed_cents: 900 }, 25)).toMatchObject({
    listed: 9,
    price: 10,
    marginPercent: 0,
  });
  expect(toPriceRow({ ...ofCom, listed_cents: 1_234 }, 25)).toMatchObject({
    price: 12.34,
    marginPercent: 23.4,
  });
});

test('without a known cost the list decides alone, and nothing is said of a margin', () => {
  expect(toPriceRow({ ...ofCom, cost_cents: null }, 25)).toMatchObject({ price: null, marginPercent: null });
  const listed = { ...ofCom, cost_cents: null, listed_cents: 700 };
  expect(toPriceRow(listed, 25)).toMatchObject({ price: 7, marginPercent: null });
  expect(toPriceRow({ ...ofCom, cost_cents: 0 }, 25)).toMatchObject({ price: 0, marginPercent: null });
});

test('a change to come is named with its day, also when it takes an entry away', () => {
  expect(toPriceRow(ofCom, 25).next).toBeNull();
  expect(toPriceRow({ ...ofCom, next_from: now }, 25).next).toEqual({
    price: null,
    validFrom: now.toISOString(),
  });
});
