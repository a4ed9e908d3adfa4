import { expect, test } from 'vitest';
import { goodRow } from '../../../tests/support/customer-file.ts';
import type { Customer } from '../operations/customers.ts';
import type { Contact } from './contact.ts';
import { csvColumns, csvContactFields, customerCells, readCustomerRow } from './customer-csv.ts';
import { noMarkups } from './money.ts';

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

const ann: Contact = {
  ...{ organization: 'Blue Fig Ltd', firstName: 'Ann', lastName: 'Smith', phone: '+1.2125550100' },
  ...{ address1: '1 Main Street', address2: 'Floor 3', address3: 'Back door', city: 'New York', state: 'NY' },
  ...{ postalCode: '10001', country: 'US', email: 'ann@bluefig.example' },
};
const another: Required<Contact> = {
  ...{ organization: 'Red Fig Ltd', firstName: 'Zoe', lastName: 'Fox', phone: '+1.2125550199' },
  ...{ address1: '2 Side Street', address2: 'Floor 4', address3: 'Gate', city: 'Boston', state: 'MA' },
  ...{ postalCode: '02101', country: 'CA', email: 'zoe@bluefig.example' },
};

/** The cells of a customer with these contacts, and the contacts that they say when they are read again. */
function written(contacts: Customer['contacts']) {
  const cells = customerCells({
    ...{ customerId: '0192f0c1-7a5b-7000-8000-000000000001', contacts, markups: noMarkups },
    ...{ billing: { billDirectly: false, email: '', stripeId: null, allowChangeBilling: false } },
    ...{ domainsCount: 0, paymentMethodSet: false, allowDomainSettings: false, version: 1 },
    createdAt: '2026-11-21T12:00:00Z',
  });
  const byColumn = new Map(csvColumns.map((column, at) => [column, cells[at] ?? '']));
  return {
    cellsOf: (kind: string) => csvContactFields.map((field) => byColumn.get(`contacts_${kind}_${field}`)),
    again: readCustomerRow(byColumn).row?.contacts,
  };
}

test.each(
  csvContactFields.flatMap((field) => (['admin', 'billing'] as const).map((kind) => [field, kind] as const)),
)(
  'a contact that differs from the owner in one field alone is written whole, and read again as it was: %s of %s',
  (field, kind) => {
    const contacts = { owner: ann, admin: ann, billing: ann, [kind]: { ...ann, [field]: another[field] } };
    const { cellsOf, again } = written(contacts);
    expect(cellsOf(kind).filter((cell) => cell === '')).toEqual([]);
    expect(cellsOf(kind === 'admin' ? 'billing' : 'admin').join('')).toBe('');
    expect(again).toEqual(contacts);
  },
);

test.each([['address2'], ['address3']] as const)(
  'a contact without an address line that the owner has, or with one that the owner has not, keeps it so: %s',
  (field) => {
    const { [field]: _line, ...without } = ann;
    for (const contacts of [
      { owner: ann, admin: without, billing: ann },
      { owner: without, admin: without, billing: ann },
    ]) {
      expect(written(contacts).again).toEqual(contacts);
    }
  },
);
