import { expect, test } from 'vitest';
import { openFence } from '#kernel/testing/fences.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type { Contact, RegistrarDomain, RegistrarOrder, RegistrarOrders } from '../../../ports/registrar.ts';
import type { Item, ItemDetails, ItemSecrets } from '../item.ts';
import { transferAct } from './transfer.ts';

type Answer = Outcome<{ orderId: string }>;

const contactOf = (firstName: string) => ({ firstName }) as Contact;
const contacts = { owner: contactOf('Olga'), admin: contactOf('Adam'), billing: contactOf('Bill') };
const createdAt = new Date('2026-11-22T12:00:00Z');
const itemOf = (details: ItemDetails = { contacts }, registrarOrderId: string | null = null) =>
  ({
    ...{ id: 'item-1', organisationId: 'msp-1', customerId: 'customer-1', address: 'moved.com', years: 1 },
    ...{ priceCents: 15_00, costCents: 11_00, details, createdAt, registrarOrderId },
  }) as Item;
const secrets = { username: 'user-1', password: 'secret-1', authCode: 'code-1' };

/** What came of sending the item whose order the registrar has not, and every order that it got. */
async function send(item: Item, given: ItemSecrets = secrets, answer?: Answer) {
  const sent: unknown[][] = [];
  const transferIn: RegistrarOrders['transferIn'] = async (...input) => {
    sent.push(input);
    return answer ?? { kind: 'done', value: { orderId: '7' } };
  };
  const act = transferAct({ transferIn, seekOrder: async () => ({ kind: 'absent' }) } as never);
  return { outcome: await act.send(item, given, openFence), sent };
}

test('all of the order goes to the registrar; what it accepts is pending for days', async () => {
  const input = {
    ...{ domain: 'moved.com', authCode: 'code-1', contacts, tag: 'item-1' },
    credentials: { username: 'user-1', password: 'secret-1' },
    origin: { organisationId: 'msp-1', customerId: 'customer-1', priceCents: 15_00, autoRenew: true },
  };
  expect(await send(itemOf({ contacts, autoRenew: true }))).toEqual({
    outcome: {
      ...{ kind: 'pending', orderId: '7' },
      text: 'The transfer was requested from the current registrar.',
    },
    sent: [[input, openFence]],
  });
});

test.each<[string, ItemDetails, ItemSecrets]>([
  ['contacts', {}, secrets],
  ['user name', { contacts }, { ...secrets, username: '' }],
  ['password', { contacts }, { ...secrets, password: '' }],
  ['auth code', { contacts }, { ...secrets, authCode: '' }],
])('nothing is sent without its %s', async (_what, details, given) => {
  expect(await send(itemOf(details), given)).toEqual({
    outcome: { kind: 'refused', reason: 'invalid', code: 'incomplete', text: 'The order is incomplete.' },
    sent: [],
  });
});

test('every other answer stays as it is', async () => {
  const answers: Answer[] = [
    { kind: 'refused', reason: 'not-transferable', code: '487', text: 'Locked' },
    { kind: 'pending', orderId: '7', text: 'Later' },
    { kind: 'busy', code: '400', text: 'Later' },
    { kind: 'unknown', text: 'Timed out' },
  ];
  for (const answer of answers) expect((await send(itemOf(), secrets, answer)).outcome).toEqual(answer);
});

/** What is found, and what the registrar was asked for. `known`: the order by its number. */
async function find(
  item: Item,
  { known = null, sought = null }: { known?: RegistrarOrder | null; sought?: RegistrarOrder | null },
  domain: RegistrarDomain | null = null,
) {
  const asked: unknown[] = [];
  const note = <T>(what: unknown, answer: T) => {
    asked.push(what);
    return Promise.resolve(answer);
  };
  const finding = await transferAct({
    transferIn: () => Promise.reject(new Error('finding sends nothing')),
    checkTransfer: () => Promise.reject(new Error('not asked')),
    order: (id) => note(`order ${id}`, known),
    seekOrder: (wanted) => note(wanted, sought ? { kind: 'found', orders: [sought] } : { kind: 'absent' }),
    domain: (name) => note(`domain ${name}`, domain),
  }).find(item);
  return { finding, asked };
}

const orderOf = (state: RegistrarOrder['state'], tag: string | null = 'item-1') =>
  ({ orderId: '7', domain: 'moved.com', kind: 'transfer', state, tag }) as RegistrarOrder;
const wanted = {
  ...{ domain: 'moved.com', tag: 'item-1', kind: 'transfer' },
  since: new Date('2026-11-21T12:00:00Z'),
};
const registeredAt = new Date('2020-05-01T00:00:00Z');
const expiresAt = new Date('2028-05-01T00:00:00Z');
const here = { registeredAt, expiresAt } as RegistrarDomain;
const done = { kind: 'done', result: { registrarOrderId: '7', registeredAt, expiresAt } };

test('a completed transfer is found with the dates of its name, once the name is here', async () => {
  expect(await find(itemOf(), { sought: orderOf('completed') }, here)).toEqual({
    finding: done,
    asked: [wanted, 'domain moved.com'],
  });
  expect((await find(itemOf(), { sought: orderOf('completed') })).finding).toEqual({
    ...{ kind: 'pending', registrarOrderId: '7', text: 'Almost there.' },
  });
});

test('the order whose number is known is asked for by it; when it is gone, or carries no tag, the tag still finds ours', async () => {
  const item = itemOf({ contacts }, '7');
  const byNumber = { finding: done, asked: ['order 7', 'domain moved.com'] };
  expect(await find(item, { known: orderOf('completed') }, here)).toEqual(byNumber);
  // Its number names it, though the registrar has forgotten its tag.
  expect(await find(item, { known: orderOf('completed', null) }, here)).toEqual(byNumber);
  expect(await find(item, { sought: orderOf('completed') }, here)).toEqual({
    finding: done,
    asked: ['order 7', wanted, 'domain moved.com'],
  });
  expect((await find(item, { known: orderOf('completed', 'item-2') }, here)).finding).toEqual({
    ...{ kind: 'contradictory', text: 'Order 7 carries the tag item-2.' },
  });
});

test.each([
  ['pending', { kind: 'pending', registrarOrderId: '7', text: 'The registry has not finished yet.' }],
  ['declined', { kind: 'declined', text: 'The transfer was refused or cancelled.' }],
  ['cancelled', { kind: 'declined', text: 'The transfer was refused or cancelled.' }],
] as const)('a transfer that is %s is found as such, and asks for no dates', async (state, finding) => {
  expect(await find(itemOf(), { sought: orderOf(state) }, here)).toEqual({ finding, asked: [wanted] });
});

test('a transfer of which there is no trace is absent', async () => {
  expect(await find(itemOf(), {}, here)).toEqual({ finding: { kind: 'absent' }, asked: [wanted] });
});
