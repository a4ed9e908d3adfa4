import { expect, test } from 'vitest';
import { endDomain, giveDomain, retryEntry, setPrices } from './operator.ts';

const entry = { product: 'domain', name: 'com', kind: 'new', price: 12.5 };
const set = (change: object) => setPrices.body.safeParse({ entries: [{ ...entry, ...change }] });

test('a price is in dollars and whole cents, or nothing at all, of a product and kind that there are', () => {
  const prices = [0, 0.01, 12.5, null, -0.01, 1.005, '12'];
  expect(prices.filter((price) => set({ price }).success)).toEqual([0, 0.01, 12.5, null]);
  expect(set({ product: 'hosting' }).success).toBe(false);
  expect(set({ kind: 'restore' }).success).toBe(false);
  expect(['c', 'cc', 'x'.repeat(64), 'x'.repeat(65)].map((name) => set({ name }).success)).toEqual([
    ...[false, true, true, false],
  ]);
});

test('a suffix is written small, the note may be missing, and at least one price changes', () => {
  expect(set({ name: 'COM' }).data).toEqual({ note: '', entries: [entry] });
  expect(setPrices.body.safeParse({ entries: [] }).success).toBe(false);
  const many = (count: number) => setPrices.body.safeParse({ entries: Array(count).fill(entry) }).success;
  expect([many(2_000), many(2_001)]).toEqual([true, false]);
});

test('an operator who ends a domain says why, and retries only what the queue can hold', () => {
  expect(['Gone', 'Moved'].map((reason) => endDomain.body.safeParse({ reason }).success)).toEqual([
    ...[false, true],
  ]);
  const kinds = ['review', 'waiting', 'charge', 'renewal', 'event', 'missing', 'order'];
  expect(kinds.filter((kind) => retryEntry.params.safeParse({ kind, id: 'x' }).success)).toEqual(
    kinds.slice(0, -1),
  );
  expect(retryEntry.params.safeParse({ kind: 'event', id: '' }).success).toBe(false);
});

test('an operator who gives a domain says to whom by ids and name, and why', () => {
  const body = {
    ...{ domain: 'Lost.COM', organizationId: crypto.randomUUID(), organization: 'Acme IT' },
    ...{ customerId: crypto.randomUUID(), reason: 'Lost in the restore' },
  };
  const set = (change: object) => giveDomain.body.safeParse({ ...body, ...change });
  expect(set({}).data).toEqual({ ...body, domain: 'lost.com' });
  for (const change of [
    ...[{ domain: 'lost' }, { organizationId: 'acme' }, { organization: ' ' }, { customerId: '7' }],
    { reason: 'Lost' },
  ])
    expect(set(change).success, JSON.stringify(change)).toBe(false);
});
