import { expect, test } from 'vitest';
import { openFence } from '#kernel/testing/fences.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type { CertificateOrder, Contact, RegistrarCertificates } from '../../../ports/registrar.ts';
import type { Item, ItemDetails } from '../item.ts';
import { certificateAct } from './certificate.ts';

type Answer = Outcome<{ orderId: string; state: string }>;

const contactOf = (firstName: string) => ({ firstName }) as Contact;
const contacts = { owner: contactOf('Olga'), admin: contactOf('Adam'), billing: contactOf('Bill') };
const certificate: NonNullable<ItemDetails['certificate']> = {
  ...{ provider: 'digicert', productType: 'rapidssl', csr: 'csr-1', validation: 'Email' },
  ...{ approverEmail: 'admin@safe.com', renewsOrderId: null },
};
const itemOf = (details: ItemDetails = { contacts, certificate }) =>
  ({
    ...{ id: 'item-1', organisationId: 'msp-1', customerId: 'customer-1', address: 'www.safe.com', years: 2 },
    ...{ priceCents: 40_00, costCents: 30_00, details },
    createdAt: new Date('2026-11-22T12:00:00Z'),
  }) as Item;

/** What came of sending the item whose order the registrar has not, and every order that it got. */
async function send(item: Item, answer?: Answer) {
  const sent: unknown[][] = [];
  const orderCertificate: RegistrarCertificates['orderCertificate'] = async (...input) => {
    sent.push(input);
    return answer ?? { kind: 'done', value: { orderId: '7', state: 'in-progress' } };
  };
  const seekCertificateOrder = async () => ({ kind: 'absent' }) as const;
  const act = certificateAct({ orderCertificate, seekCertificateOrder });
  return { outcome: await act.send(item, {}, openFence), sent };
}

const input = {
  ...{ domain: 'www.safe.com', productType: 'rapidssl', csr: 'csr-1', years: 2 },
  ...{ validation: 'Email', approverEmail: 'admin@safe.com', tag: 'item-1' },
  contacts: { admin: contacts.admin, billing: contacts.billing, tech: contacts.admin },
  origin: { organisationId: 'msp-1', customerId: 'customer-1', priceCents: 40_00, autoRenew: false },
};

test('all of the order goes to the registrar, and a renewal names the order that it renews', async () => {
  expect(await send(itemOf())).toEqual({
    outcome: { kind: 'done', value: { registrarOrderId: '7', state: 'in-progress' } },
    sent: [[input, openFence]],
  });
  const renewal = itemOf({ contacts, certificate: { ...certificate, renewsOrderId: '5' } });
  expect((await send(renewal)).sent).toEqual([[{ ...input, renews: '5' }, openFence]]);
});

test.each<[string, ItemDetails]>([
  ['contacts', { certificate }],
  ['certificate', { contacts }],
])('nothing is sent without its %s', async (_what, details) => {
  expect(await send(itemOf(details))).toEqual({
    outcome: { kind: 'refused', reason: 'invalid', code: 'incomplete', text: 'The order is incomplete.' },
    sent: [],
  });
});

test('every other answer stays as it is', async () => {
  const answers: Answer[] = [
    { kind: 'refused', reason: 'invalid', code: '465', text: 'Bad request' },
    { kind: 'pending', orderId: '7', text: 'Later' },
    { kind: 'busy', code: '400', text: 'Later' },
    { kind: 'unknown', text: 'Timed out' },
  ];
  for (const answer of answers) expect((await send(itemOf(), answer)).outcome).toEqual(answer);
});

/** What is found where these orders carry its tag, and what was looked for. */
async function find(...states: string[]) {
  const asked: unknown[] = [];
  const orders = states.map((state, index) => ({ orderId: `${7 + index}`, state }) as CertificateOrder);
  const finding = await certificateAct({
    orderCertificate: () => Promise.reject(new Error('finding sends nothing')),
    seekCertificateOrder: async (wanted) => {
      asked.push(wanted);
      return { kind: 'found', orders };
    },
  }).find(itemOf());
  return { finding, asked };
}

test.each([
  [['completed'], { kind: 'done', result: { registrarOrderId: '7', state: 'completed' } }],
  [['awaiting-approval'], { kind: 'done', result: { registrarOrderId: '7', state: 'awaiting-approval' } }],
  [['declined'], { kind: 'declined', text: 'The certificate order was declined.' }],
  [['cancelled'], { kind: 'declined', text: 'The certificate order was cancelled.' }],
  [['declined', 'completed'], { kind: 'contradictory', text: '2 certificate orders carry the tag item-1' }],
  [[], { kind: 'contradictory', text: 'The registrar found an order but did not name it.' }],
])('the orders %j under the tag say what became of it', async (states, finding) => {
  const wanted = { domain: 'www.safe.com', tag: 'item-1', since: new Date('2026-11-21T12:00:00Z') };
  expect(await find(...states)).toEqual({ finding, asked: [wanted] });
});
