import { expect, test } from 'vitest';
import type { PriceRow } from '#contracts/operations/operator.ts';
import { changesOf, problemOf } from './price-drafts.ts';

const row = (change: Partial<PriceRow>): PriceRow => ({
  product: 'domain',
  name: 'com',
  label: '.com',
  kind: 'new',
  cost: 10,
  listed: null,
  price: 12,
  marginPercent: 20,
  next: null,
  ...change,
});

test('only what differs from the entry in force is changed; an emptied field takes the entry back', () => {
  const rows = [row({}), row({ kind: 'renewal', listed: 15 }), row({ kind: 'transfer', listed: 9.5 })];
  const drafts = { 'domain com new': ' 12.30 ', 'domain com renewal': '', 'domain com transfer': '9.5' };
  expect(changesOf(rows, drafts)).toEqual([
    { product: 'domain', name: 'com', kind: 'new', price: 12.3 },
    { product: 'domain', name: 'com', kind: 'renewal', price: null },
  ]);
});

test.each(['12,30', '-1', '1.234', 'free', '1e3'])('%s is no price and is not sent', (text) => {
  expect(problemOf(text)).toBe('An amount such as 12.50');
  expect(changesOf([row({})], { 'domain com new': text })).toEqual([]);
});
