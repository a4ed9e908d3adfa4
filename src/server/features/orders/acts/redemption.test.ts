import { expect, test } from 'vitest';
import { openFence } from '#kernel/testing/fences.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type { RegistrarDomain, RegistrarOrder, RegistrarOrders } from '../../../ports/registrar.ts';
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
  // The clocks of the two sides may differ by ten minutes.
  const slack = new Date(createdAt.getTime() - 10 * 60_000);
  expect((await find([order({ tag: null, orderedAt: slack })], back)).kind).toBe('done');
  const beyond = new Date(slack.getTime() - 1);
  expect((await find([order({ tag: null, orderedAt: beyond })], null)).kind).toBe('absent');
  // Nobody knows of what time it is.
  expect((await find([order({ tag: null, orderedAt: null })], null)).kind).toBe('absent');
});

test('the order under our tag is ours whenever it was placed; of what is back nobody may know the expiry yet', async () => {
  const old = order({ orderedAt: new Date(createdAt.getTime() - 86_400_000) });
  for (const domain of [null, { domain: 'gone.com', expiresAt: null } as RegistrarDomain]) {
    expect(await find([old], domain)).toEqual({
      ...{ kind: 'done', result: { registrarOrderId: '7', expiresAt: null } },
    });
  }
});

test('a completed one counts beside one that was refused or that waits', async () => {
  for (const state of ['declined', 'pending'] as const) {
    const found = await find([order({ orderId: '6', state }), order()], back);
    expect(found).toMatchObject({ kind: 'done', result: { registrarOrderId: '7' } });
  }
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
  // Of a state that nobody knows, nobody can say that it was refused.
  expect((await find([order({ state: 'unknown' })], null)).kind).toBe('pending');
  expect((await find([order({ state: 'declined' })], null)).kind).toBe('declined');
  expect((await find([order(), order({ orderId: '8' })], back)).kind).toBe('contradictory');
});

type Answer = Outcome<{ orderId: string | null }>;

/** What came of sending the item, and every order that the registrar got. */
async function send(answer: Answer) {
  const sent: unknown[][] = [];
  const redeem: RegistrarOrders['redeem'] = async (...input) => {
    sent.push(input);
    return answer;
  };
  const ordered = {
    ...item,
    organisationId: 'msp-1',
    customerId: 'customer-1',
    priceCents: 120_00,
    details: {},
  };
  return { outcome: await redemptionAct({ redeem } as never).send(ordered, {}, openFence), sent };
}

test('all of the order goes to the registrar, which may not say its number', async () => {
  const input = {
    ...{ domain: 'gone.com', tag: 'item-1' },
    origin: { organisationId: 'msp-1', customerId: 'customer-1', priceCents: 120_00, autoRenew: false },
  };
  for (const [orderId, registrarOrderId] of [
    ['7', '7'],
    [null, 'redeem gone.com'],
  ] as const) {
    expect(await send({ kind: 'done', value: { orderId } })).toEqual({
      outcome: { kind: 'done', value: { registrarOrderId, expiresAt: null } },
      sent: [[input, openFence]],
    });
  }
});

test('every other answer stays as it is', async () => {
  const answers: Answer[] = [
    { kind: 'refused', reason: 'not-found', code: '415', text: 'Not in redemption' },
    { kind: 'pending', orderId: '7', text: 'Later' },
    { kind: 'busy', code: '400', text: 'Later' },
    { kind: 'unknown', text: 'Timed out' },
  ];
  for (const answer of answers) expect((await send(answer)).outcome).toEqual(answer);
});
