import { expect, test } from 'vitest';
import type { PriceRow } from '#contracts/operations/operator.ts';
import { changesOf, changeText, problemOf } from './price-drafts.ts';

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
  expect(changesOf(rows, drafts, null).map(({ entry }) => entry)).toEqual([
    { product: 'domain', name: 'com', kind: 'new', price: 12.3 },
    { product: 'domain', name: 'com', kind: 'renewal', price: null },
  ]);
});

test.each(['12,30', '-1', '1.234', 'free', '1e3'])('%s is no price and is not sent', (text) => {
  expect(problemOf(text)).toBe('An amount such as 12.50');
  expect(changesOf([row({})], { 'domain com new': text }, null)).toEqual([]);
});

test('a later price is taken back by the price of today, from its own moment on and not before', () => {
  const next = { price: 1250, validFrom: '2027-01-01T00:00:00Z' };
  const planned = [row({ listed: 12.5, next })];
  const at = (moment: string | null, text = '12.50') =>
    changesOf(planned, { 'domain com new': text }, moment === null ? null : new Date(moment)).map(
      ({ entry, before }) => [before, entry.price],
    );
  expect(at(null)).toEqual([]);
  expect(at('2026-12-31T23:59:00Z')).toEqual([]);
  expect(at('2027-01-01T00:00:00Z')).toEqual([[1250, 12.5]]);
  expect(at('2027-02-01T00:00:00Z', '')).toEqual([[1250, null]]);
  expect(at('2027-02-01T00:00:00Z', '1250')).toEqual([]);
  const toMargin = [row({ next: { ...next, price: null } })];
  expect(changesOf(toMargin, { 'domain com new': '' }, new Date('2027-02-01T00:00:00Z'))).toEqual([]);
});

test('each change tells what is charged before and after, and that nothing is sold below its cost', () => {
  const told = (text: string, change: Partial<PriceRow> = {}) =>
    changesOf([row(change)], { 'domain com new': text }, null).map(changeText);
  expect(told('1250')).toEqual(['$12.00 → $1,250.00']);
  expect(told('', { listed: 15, price: 15 })).toEqual(['$15.00 → cost + margin']);
  expect(told('1.25')).toEqual(['$12.00 → $1.25, sold at its cost of $10.00']);
  expect(told('1.25', { cost: null, price: null })).toEqual(['cost + margin → $1.25']);
});
