import { expect, test } from 'vitest';
import { earnedCents, kindName, toEarningsRow } from './earnings.rules.ts';

const row = {
  ...{ month: '2026-11', customerId: null, customer: '', kind: 'domain' },
  ...{ items: 2, cost: 1_001, otherCost: 500, received: 1_000 },
};

test('earned is what customers paid less what their items cost; other items do not count', () => {
  expect(earnedCents(row)).toBe(-1);
  expect(earnedCents({ received: 0, cost: 0 })).toBe(0);
  expect(earnedCents({ received: 1_320, cost: 1_200 })).toBe(120);
});

test.each([
  ['month', '2026-11', '2026-11'],
  ['kind', 'domain', 'Registration'],
  ['customer', '', 'No customer'],
] as const)('a row by %s has its key and its name', (by, key, label) => {
  expect(toEarningsRow(by, row)).toEqual({
    ...{ key, label, items: 2, cost: 1_001, otherCost: 500, received: 1_000, earned: -1 },
  });
});

test('a customer has their own number and name', () => {
  const of = { ...row, customerId: 'c1', customer: 'Acme' };
  expect(toEarningsRow('customer', of)).toMatchObject({ key: 'c1', label: 'Acme' });
});

test('each kind of item is in words, and one that a later version has made keeps its name', () => {
  const kinds = ['domain', 'renewal', 'transfer', 'certificate', 'redemption', 'hosting', ''];
  expect(kinds.map(kindName)).toEqual([
    ...['Registration', 'Renewal', 'Transfer', 'Certificate', 'Restoration', 'hosting', ''],
  ]);
});
