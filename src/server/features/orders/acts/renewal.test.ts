import { expect, test } from 'vitest';
import { openFence } from '#kernel/testing/fences.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type {
  RegistrarDomain,
  RegistrarOrder,
  RegistrarOrders,
  RenewResult,
} from '../../../ports/registrar.ts';
import type { Item } from '../item.ts';
import { renewalAct } from './renewal.ts';

const createdAt = new Date('2026-11-22T12:00:00Z');
const itemOf = (change: Partial<Item> = {}) =>
  ({
    ...{ id: 'item-1', organisationId: 'msp-1', customerId: 'customer-1', address: 'old.com', years: 2 },
    ...{ priceCents: 30_00, costCents: 22_00, details: { autoRenew: true }, createdAt, expiryYear: 2027 },
    ...change,
  }) as Item;
const expiresAt = new Date('2029-03-01T00:00:00Z');
const done: Outcome<RenewResult> = { kind: 'done', value: { orderId: '7', expiresAt } };

/** What came of sending the item, and every order that the registrar got. */
async function send(item: Item, answer: Outcome<RenewResult> = done) {
  const sent: unknown[][] = [];
  const renew: RegistrarOrders['renew'] = async (...input) => {
    sent.push(input);
    return answer;
  };
  return { outcome: await renewalAct({ renew } as never).send(item, {}, openFence), sent };
}

test('all of the order goes to the registrar, with the year of when it was quoted', async () => {
  const input = {
    ...{ domain: 'old.com', years: 2, currentExpiryYear: 2027, autoRenew: false, tag: 'item-1' },
    origin: { organisationId: 'msp-1', customerId: 'customer-1', priceCents: 30_00, autoRenew: true },
  };
  expect(await send(itemOf())).toEqual({
    outcome: { kind: 'done', value: { registrarOrderId: '7', expiresAt } },
    sent: [[input, openFence]],
  });
});

test('nothing is sent without that year: the registry could not refuse a repeat', async () => {
  expect(await send(itemOf({ expiryYear: null }))).toEqual({
    outcome: {
      ...{ kind: 'refused', reason: 'invalid', code: 'incomplete' },
      text: 'The expiry date is not known yet.',
    },
    sent: [],
  });
});

test('every other answer stays as it is', async () => {
  const answers: Outcome<RenewResult>[] = [
    { kind: 'refused', reason: 'year-mismatch', code: '555', text: 'Renewed already' },
    { kind: 'pending', orderId: '7', text: 'Asynchronous registry' },
    { kind: 'busy', code: '400', text: 'Later' },
    { kind: 'unknown', text: 'Timed out' },
  ];
  for (const answer of answers) expect((await send(itemOf(), answer)).outcome).toEqual(answer);
});

/** What is found, and what the registrar was asked for. */
async function find(state: RegistrarOrder['state'] | null, domain: RegistrarDomain | null) {
  const asked: unknown[] = [];
  const order = { orderId: '7', domain: 'old.com', kind: 'renewal', state, tag: 'item-1' } as RegistrarOrder;
  const finding = await renewalAct({
    renew: () => Promise.reject(new Error('finding sends nothing')),
    seekOrder: async (wanted) => {
      asked.push(wanted);
      return state ? { kind: 'found', orders: [order] } : { kind: 'absent' };
    },
    domain: async (name) => {
      asked.push(`domain ${name}`);
      return domain;
    },
  }).find(itemOf());
  return { finding, asked };
}

const wanted = {
  ...{ domain: 'old.com', tag: 'item-1', kind: 'renewal' },
  since: new Date('2026-11-21T12:00:00Z'),
};

test('a completed renewal is found with the new expiry, and is for a person without one', async () => {
  expect(await find('completed', { expiresAt } as RegistrarDomain)).toEqual({
    finding: { kind: 'done', result: { registrarOrderId: '7', expiresAt } },
    asked: [wanted, 'domain old.com'],
  });
  for (const domain of [null, { expiresAt: null } as RegistrarDomain]) {
    expect((await find('completed', domain)).finding).toEqual({
      kind: 'contradictory',
      text: 'The renewal is completed, but the domain has no expiry date.',
    });
  }
});

test.each([
  ['pending', { kind: 'pending', registrarOrderId: '7', text: 'The registry has not finished yet.' }],
  ['cancelled', { kind: 'declined', text: 'The registrar cancelled the order.' }],
  [null, { kind: 'absent' }],
] as const)('a renewal that is %s is found as such, whatever the name shows', async (state, finding) => {
  expect(await find(state, { expiresAt } as RegistrarDomain)).toEqual({ finding, asked: [wanted] });
});
