import { expect, test } from 'vitest';
import { goodRow } from '../../../tests/support/customer-file.ts';
import { readCustomerRow } from './customer-csv.ts';

const read = (change: Record<string, string>) =>
  readCustomerRow(new Map(Object.entries({ ...goodRow, ...change })));

test.each([
  ['+1 2125550100'],
  ['+12125550100'],
  ['+1.2125550100'],
  ['+1 (212) 555-0100'],
  ['001 212 555 0100'],
])('a phone that names its country is taken in any form: %s', (phone) => {
  expect(read({ contacts_owner_phone: phone, contacts_owner_country: 'DE' }).row?.contacts.owner.phone).toBe(
    '+1.2125550100',
  );
});

test('a phone without its country is refused in the specified words, and offered with that of its contact', () => {
  expect(read({ contacts_owner_phone: '(212) 555-0100' }).faults).toEqual([
    {
      column: 'contacts_owner_phone',
      value: '(212) 555-0100',
      reason: 'Phone number must have between 4 and 14 numbers',
      suggestion: '+1 2125550100',
    },
  ]);
  const { faults } = read({ contacts_owner_country: 'Germany', contacts_owner_phone: '030 123456' });
  expect(faults.map(({ suggestion }) => suggestion)).toEqual(['DE', '+49 30123456']);
});

test('true and false are understood in other languages, and a word that is neither is not guessed', () => {
  const wahr = read({ billing_billDirectly: 'WAHR', billing_allowChangeBilling: 'FAUX' });
  expect(wahr.row?.billing).toMatchObject({ billDirectly: true, allowChangeBilling: false });
  expect(read({ billing_billDirectly: 'perhaps' }).faults).toMatchObject([
    { column: 'billing_billDirectly', reason: 'Please write true or false', suggestion: null },
  ]);
  expect(read({ billing_billDirectly: '' }).faults).toMatchObject([
    { reason: 'This field is required', suggestion: 'false' },
  ]);
});

test('the name of a fixed state is stored as its code', () => {
  expect(read({ contacts_owner_state: 'new york' }).row?.contacts.owner.state).toBe('NY');
  expect(
    read({ contacts_owner_country: 'DE', contacts_owner_state: 'Bayern' }).row?.contacts.owner.state,
  ).toBe('Bayern');
});

test('a value of an Admin contact that is refused is offered with the country of the owner where it has none', () => {
  const { faults } = read({ contacts_admin_phone: '212 555 0199', contacts_admin_country: '' });
  expect(faults).toMatchObject([{ column: 'contacts_admin_phone', suggestion: '+1 2125550199' }]);
});

test('of Admin it is known which cells were filled from the owner: the required ones that are empty, or all of them', () => {
  const some = read({ contacts_admin_email: 'zoe@bluefig.example', contacts_admin_address2: '' }).row;
  expect(some?.contacts.admin).toMatchObject({ email: 'zoe@bluefig.example', city: 'New York' });
  expect([...(some?.asOwner ?? [])].sort()).toEqual(
    [
      ...[
        'address1',
        'city',
        'country',
        'firstName',
        'lastName',
        'organization',
        'phone',
        'postalCode',
        'state',
      ],
    ].map((field) => `contacts_admin_${field}`),
  );
  const none = read({ contacts_admin_email: '', contacts_owner_address2: 'Floor 3' }).row;
  expect(none?.contacts.admin).toEqual(none?.contacts.owner);
  expect(none?.asOwner.has('contacts_admin_address2')).toBe(true);
  expect(read({}).row).toMatchObject({ contacts: { admin: null, billing: null }, asOwner: new Set() });
});
