import { expect, test } from 'vitest';
import type { RegistrarDomain, RegistrarOrder } from '../../../ports/registrar.ts';
import type { Item } from '../item.ts';
import { redemptionAct } from './redemption.ts';

const createdAt = new Date('2026-11-22T12:00:00Z');
const item = { id: 'item-1', address: 'gone.com', createdAt } as Item;
const order = (change: Partial<RegistrarOrder> = {}): RegistrarOrder => ({
  ...{ orderId: '7', domain: 'gone.com', kind: 'redemption', state: 'completed', tag: 'item-1' },
  ...{ costCents: 90_26, years: 1, orderedAt: createdAt },
  ...change,
});
const expiresAt = new Date('2027-10-01T00:00:00Z');
const back = { domain: 'gone.com', expiresAt } as RegistrarDomain;

function find(orders: RegistrarOrder[], domain: RegistrarDomain | null) {
  return redemptionAct({
    redeem: () => Promise.reject(new Error('finding sends nothing')),
    ordersFor: async () => orders,
    domain: async () => domain,
  }).find(item);
}

test('the order under our tag tells, and the domain its expiry', async () => {
  expect(await find([order()], back)).toEqual({ kind: 'done', result: { registrarOrderId: '7', expiresAt } });
});

test('a redemption without any tag counts when it was ordered since ours was', async () => {
  expect((await find([order({ tag: null })], back)).kind).toBe('done');
  const before = new Date(createdAt.getTime() - 11 * 60_000);
  expect((await find([order({ tag: null, orderedAt: before })], null)).kind).toBe('absent');
});

test('orders of others, and of other kinds, are not ours', async () => {
  expect((await find([order({ tag: 'item-2' })], null)).kind).toBe('absent');
  expect((await find([order({ tag: null, kind: 'renewal' })], null)).kind).toBe('absent');
});

test('no trace is absent; a name that is back without an order of ours is for a person', async () => {
  expect((await find([], null)).kind).toBe('absent');
  expect((await find([], back)).kind).toBe('contradictory');
});

test('what waits is pending, what was refused is declined, twice is for a person', async () => {
  expect((await find([order({ state: 'pending' })], null)).kind).toBe('pending');
  expect((await find([order({ state: 'declined' })], null)).kind).toBe('declined');
  expect((await find([order(), order({ orderId: '8' })], back)).kind).toBe('contradictory');
});
