import { expect, test } from 'vitest';
import { openFence } from '#kernel/testing/fences.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type {
  Contact,
  RegisterResult,
  RegistrarDomain,
  RegistrarOrder,
  RegistrarOrders,
} from '../../../ports/registrar.ts';
import type { WantedOrder } from '../../../ports/sought.ts';
import type { Item, ItemDetails, ItemSecrets } from '../item.ts';
import { registrationAct } from './registration.ts';

const contactOf = (firstName: string) => ({ firstName }) as Contact;
const contacts = { owner: contactOf('Olga'), admin: contactOf('Adam'), billing: contactOf('Bill') };
const createdAt = new Date('2026-11-22T12:00:00Z');
const itemOf = (details: ItemDetails = { contacts }) =>
  ({
    ...{ id: 'item-1', organisationId: 'msp-1', customerId: 'customer-1', address: 'new.com', years: 3 },
    ...{ priceCents: 45_00, costCents: 33_00, details, createdAt },
  }) as Item;
const secrets = { username: 'user-1', password: 'secret-1' };
const done: Outcome<RegisterResult> = { kind: 'done', value: { orderId: '7', notes: ['No privacy.'] } };
const taken = 'new.com is taken. Someone else has registered it.';

/** What came of sending the item, and every order that the registrar got. */
async function send(item: Item, given: ItemSecrets = secrets, answer: Outcome<RegisterResult> = done) {
  const sent: unknown[][] = [];
  const register: RegistrarOrders['register'] = async (...input) => {
    sent.push(input);
    return answer;
  };
  const outcome = await registrationAct({ register } as never).send(item, given, openFence);
  return { outcome, sent };
}

test('all of the order goes to the registrar, whose own renewals stay off', async () => {
  const input = {
    ...{ domain: 'new.com', years: 3, privacy: false, autoRenew: false, contacts, credentials: secrets },
    tag: 'item-1',
    origin: { organisationId: 'msp-1', customerId: 'customer-1', priceCents: 45_00, autoRenew: false },
  };
  const outcome = { kind: 'done', value: { registrarOrderId: '7', notes: ['No privacy.'] } };
  expect(await send(itemOf())).toEqual({ outcome, sent: [[input, openFence]] });
  const chosen = itemOf({ contacts, privacy: true, autoRenew: true, premium: true });
  expect((await send(chosen)).sent).toEqual([
    [
      {
        ...{ ...input, privacy: true, premiumCostCents: 33_00 },
        origin: { ...input.origin, autoRenew: true },
      },
      openFence,
    ],
  ]);
});

test.each<[string, ItemDetails, ItemSecrets]>([
  ['contacts', {}, secrets],
  ['user name', { contacts }, { password: 'secret-1' }],
  ['password', { contacts }, { username: 'user-1' }],
  ['secrets', { contacts }, {}],
])('nothing is sent without its %s', async (_what, details, given) => {
  expect(await send(itemOf(details), given)).toEqual({
    outcome: { kind: 'refused', reason: 'invalid', code: 'incomplete', text: 'The order has no contacts.' },
    sent: [],
  });
});

test('of a name that somebody else has it says so; every other answer stays as it is', async () => {
  const refusal = { kind: 'refused', reason: 'taken', code: '485', text: 'Domain taken' } as const;
  expect((await send(itemOf(), secrets, refusal)).outcome).toEqual({ ...refusal, text: taken });
  const answers: Outcome<RegisterResult>[] = [
    { kind: 'refused', reason: 'invalid', code: '465', text: 'Bad phone' },
    { kind: 'pending', orderId: '7', text: 'Asynchronous registry' },
    { kind: 'busy', code: '400', text: 'Later' },
    { kind: 'unknown', text: 'Timed out' },
  ];
  for (const answer of answers) expect((await send(itemOf(), secrets, answer)).outcome).toEqual(answer);
});

const orderOf = (state: RegistrarOrder['state']): RegistrarOrder => ({
  ...{ orderId: '7', domain: 'new.com', kind: 'new', state, tag: 'item-1' },
  ...{ costCents: 33_00, years: 3, orderedAt: createdAt },
});

/** What is found, and what the registrar was asked for. */
async function find(orders: RegistrarOrder[], domain: RegistrarDomain | null, status = 'available') {
  const asked: unknown[] = [];
  const finding = await registrationAct({
    register: () => Promise.reject(new Error('finding sends nothing')),
    seekOrder: async (wanted: WantedOrder) => {
      asked.push(wanted);
      return orders.length === 0 ? { kind: 'absent' } : { kind: 'found', orders };
    },
    domain: async (name) => {
      asked.push(`domain ${name}`);
      return domain;
    },
    lookup: async (name: string) => {
      asked.push(`lookup ${name}`);
      return { status, reason: null } as never;
    },
  }).find(itemOf());
  return { finding, asked };
}

const wanted = {
  ...{ domain: 'new.com', tag: 'item-1', kind: 'new' },
  since: new Date('2026-11-21T12:00:00Z'),
};

test('a completed registration is found with the dates of its name, as far as they are known', async () => {
  const dates = {
    registeredAt: new Date('2026-11-22T12:01:00Z'),
    expiresAt: new Date('2029-11-22T12:01:00Z'),
  };
  expect(await find([orderOf('completed')], dates as RegistrarDomain)).toEqual({
    finding: { kind: 'done', result: { registrarOrderId: '7', ...dates } },
    asked: [wanted, 'domain new.com'],
  });
  for (const domain of [null, { registeredAt: null, expiresAt: null } as RegistrarDomain]) {
    expect((await find([orderOf('completed')], domain)).finding).toEqual({
      kind: 'done',
      result: { registrarOrderId: '7', expiresAt: null, registeredAt: null },
    });
  }
});

test('what waits and what is absent asks for no dates', async () => {
  expect(await find([orderOf('pending')], null)).toEqual({
    finding: { kind: 'pending', registrarOrderId: '7', text: 'The registry has not finished yet.' },
    asked: [wanted],
  });
  expect(await find([], null)).toEqual({ finding: { kind: 'absent' }, asked: [wanted] });
});

test('a declined registration says that the name is taken only where it is', async () => {
  const asked = [wanted, 'lookup new.com'];
  expect(await find([orderOf('declined')], null, 'taken')).toEqual({
    finding: { kind: 'declined', text: taken },
    asked,
  });
  expect(await find([orderOf('declined')], null)).toEqual({
    finding: { kind: 'declined', text: 'The registrar declined the order.' },
    asked,
  });
});

test('whether it would be refused is asked of the registry itself, not of what the registrar remembers', async () => {
  const asked: unknown[] = [];
  const lookup = async (...input: unknown[]) => {
    asked.push(input);
    return { status: 'taken', reason: null };
  };
  expect(await registrationAct({ lookup } as never).refuses?.(itemOf())).toBe(true);
  expect(asked).toEqual([['new.com', { fresh: true }]]);
});
