import { expect, test } from 'vitest';
import { asked, id, type Reading, refused, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { requestsSent } from '../../../../tests/support/request-keys.tsx';
import {
  customerKeys,
  useCreateCustomer,
  useDeleteCustomer,
  useSendSetupLink,
  useUpdateCustomer,
} from './api.ts';

const shown = [customerKeys.one('id'), customerKeys.lists];
const save = (update: ReturnType<typeof useUpdateCustomer>) => update.mutateAsync({ version: 1 });
const useSave = () => useUpdateCustomer('id');

test('after a change the customer and the lists are read again', async () => {
  expect(await readAgainAfter(useSave, shown, save)).toEqual(shown);
});

test.each<[string, string, number, typeof shown]>([
  ['because somebody else has changed the customer they are read again, too', 'conflict', 409, shown],
  ['for another reason they are not: nothing has changed', 'validation_failed', 400, []],
])('after a change that was refused %s', async (_why, code, status, read) => {
  const refused = async (update: ReturnType<typeof useUpdateCustomer>) =>
    expect(save(update)).rejects.toMatchObject({ code });
  const answer = () => Response.json({ code, message: 'No' }, { status });
  expect(await readAgainAfter(useSave, shown, refused, answer)).toEqual(read);
});

test('what ends with a customer who is deleted is read again: its users, their invitations, its tokens and ACME accesses', async () => {
  const ended = [['people', 'users'], ['people', 'invites'], ['tokens'], ['acme', 'list']];
  const remove = (act: ReturnType<typeof useDeleteCustomer>) => act.mutateAsync('id');
  expect(await readAgainAfter(useDeleteCustomer, ended, remove)).toEqual(ended);
});

const inCity = (city: string) => ({ contacts: { owner: { city } } }) as never;

test.each(['done', 'refused'] as const)(
  'a second customer like one whose making was answered is another request: %s',
  async (first) => {
    const tries = [[inCity('Oslo'), first] as const, [inCity('Oslo'), 'done'] as const];
    expect(await requestsSent(useCreateCustomer, tries)).toEqual([1, 2]);
  },
);

test('while nobody knows whether a customer was made the next try of the same makes no second one', async () => {
  const unknown = ['silence', 'broken'] as const;
  const tries = ['Oslo', 'Rome'].flatMap((city) => unknown.map((answer) => [inCity(city), answer] as const));
  expect(await requestsSent(useCreateCustomer, tries)).toEqual([1, 1, 2, 2]);
});

const useWrites = () => ({
  ...{ create: useCreateCustomer(), update: useUpdateCustomer(id) },
  ...{ remove: useDeleteCustomer(), link: useSendSetupLink() },
});

const contact = (organization: string) => ({ organization, firstName: 'Ann', address2: 'Floor 2' }) as never;
const contacts = { owner: contact('A'), admin: contact('B'), billing: contact('C') };
const billing = { billDirectly: true, email: 'a@acme.com', allowChangeBilling: true };
const price = (value: number) => ({ type: 'percentage' as const, value });
const markups = {
  domain: { purchase: price(1), renewal: price(2) },
  certificate: { purchase: price(3), renewal: price(4) },
};
const changed = { contacts, billing, markups, allowDomainSettings: true, version: 7 };

const ofCustomers: Reading[] = [
  ...(['customers', 'choices', 'customer', 'customerDomains', 'otherCustomer', 'overview'] as const),
];
/** What shows the names of customers, and is not read each time that it is opened. */
const named: Reading[] = [
  ...(['account', 'balance', 'statement', 'months', 'earnings', 'recipient', 'renewals'] as const),
  ...(['billingAddress', 'accesses', 'certificates', 'customerCertificates', 'charges'] as const),
  ...(['domains', 'details', 'orders', 'ordersFound', 'tokens'] as const),
];
const ended = ['users', 'invites', 'tokens', 'accesses', 'attention', 'attentionCounts'] as const;

testWrites(useWrites, [
  [
    'a new customer',
    ({ create }) => create.mutateAsync({ contacts, billing, markups }),
    ['key POST /customer', { contacts, billing, markups }],
    ofCustomers,
    [],
    // It may be there.
    ofCustomers,
  ],
  [
    'a change of a customer',
    ({ update }) => update.mutateAsync(changed),
    [`PATCH /customer/${id}`, changed],
    [...ofCustomers, ...named],
    [...ofCustomers, ...named],
  ],
  [
    'a customer who is deleted',
    ({ remove }) => remove.mutateAsync(id),
    [`DELETE /customer/${id}`],
    [...ofCustomers, ...ended],
    ofCustomers,
  ],
  [
    'a link to set up payment',
    ({ link }) => link.mutateAsync({ stripeId: 'cus_1', to: 'a@acme.com' }),
    ['GET /customer/resend-payment-link/cus_1'],
    [],
    [],
  ],
]);

test('what was typed wrong changes nothing: nothing is read again', async () => {
  const update = ({ update }: ReturnType<typeof useWrites>) => update.mutateAsync(changed);
  expect((await asked(useWrites, update, refused(400, 'validation_failed'))).again).toEqual([]);
});
