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

test('a phone in the specified form keeps the dial code that it says', () => {
  expect(read({ contacts_owner_phone: '+1234 5678901' }).row?.contacts.owner.phone).toBe('+1234.5678901');
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

test.each(['Congo', 'Atlantis'])(
  'a country that two have the name of is refused as one that nobody knows, and none is offered: %s',
  (name) => {
    const { faults } = read({ contacts_owner_country: name, contacts_owner_phone: '06 123 4567' });
    expect(faults.map(({ column, suggestion }) => [column, suggestion])).toEqual([
      ['contacts_owner_country', null],
      ['contacts_owner_phone', null],
    ]);
    expect(faults[0]?.reason).toBe('Please choose a country');
  },
);

test('true and false are understood in other languages, and a word that is neither is not guessed', () => {
  const wahr = read({ billing_billDirectly: 'WAHR', billing_allowChangeBilling: 'FAUX' });
  expect(wahr.row?.billing).toMatchObject({ billDirectly: true, allowChangeBilling: false });
  expect(read({ billing_billDirectly: 'perhaps' }).faults).toMatchObject([
    { column: 'billing_billDirectly', reason: 'Please write true or false', suggestion: null },
  ]);
  expect(read({ billing_billDirectly: 'perhaps' }).row).toBeNull();
  for (const column of ['billing_billDirectly', 'billing_allowChangeBilling']) {
    expect(read({ [column]: '' }).faults).toMatchObject([
      { column, reason: 'This field is required', suggestion: 'false' },
    ]);
  }
  const nein = read({ billing_billDirectly: 'nein', billing_allowChangeBilling: 'ja' });
  expect(nein.row?.billing).toMatchObject({ billDirectly: false, allowChangeBilling: true });
});

test('whether DNS may be changed is said by true or false; an empty cell is false, and no column says nothing', () => {
  const said = (change: Record<string, string>) => read(change).row?.allowDomainSettings;
  expect([said({ allowDomainSettings: 'yes' }), said({ allowDomainSettings: '' }), said({})]).toEqual([
    ...[true, false, null],
  ]);
});

test('a row has the number of its customer where it says one', () => {
  expect(
    [read({ customerId: 'c1' }), read({ customerId: '' }), read({})].map(({ row }) => row?.customerId),
  ).toEqual(['c1', null, null]);
});

test('markups are read by type and value; what a row does not say is 0 percent', () => {
  const cells = { markups_domain_renewal_type: 'Fixed', markups_domain_renewal_value: '2.5' };
  const { row } = read({ ...cells, markups_certificate_purchase_value: '10' });
  expect(row?.markups).toEqual({
    domain: { ...noMarkups.domain, renewal: { type: 'fixed', value: 2.5 } },
    certificate: { ...noMarkups.certificate, purchase: { type: 'percentage', value: 10 } },
  });
  expect(read({}).row?.markups).toEqual(noMarkups);
});

test.each([
  ['markups_domain_purchase_type', 'some', 'Please write percentage or fixed', 'percentage'],
  ['markups_domain_purchase_value', '12,5 %', 'Please write a number such as 12.5', '12.5'],
  ['markups_domain_purchase_value', 'much', 'Please write a number such as 12.5', null],
  ['markups_domain_purchase_value', '12.345', 'At most two decimals', null],
  ['billing_email', 'Ann <ann@x.example>', 'Please enter a valid email address', 'ann@x.example'],
  ['contacts_owner_email', 'Ann <ann@x.example>', 'Please enter a valid email address', 'ann@x.example'],
  ['contacts_owner_email', 'ann at x', 'Please enter a valid email address', null],
  ['contacts_owner_firstName', '', 'This field is required', null],
])(
  'one fault is told of one cell, with what could stand there: %s "%s"',
  (column, value, reason, suggestion) => {
    expect(read({ [column]: value })).toEqual({ row: null, faults: [{ column, value, reason, suggestion }] });
  },
);

test('a fault in a cell of the owner is told there alone, also where Admin is filled from it', () => {
  const { faults } = read({
    contacts_owner_email: 'ann',
    contacts_admin_email: '',
    contacts_admin_city: 'Rome',
  });
  expect(faults.map(({ column }) => column)).toEqual(['contacts_owner_email']);
});

test('the email of direct billing is read', () => {
  expect(read({ billing_email: 'pay@x.example' }).row?.billing.email).toBe('pay@x.example');
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
const customerOf = (change: Partial<Customer>): Customer => ({
  customerId: '0192f0c1-7a5b-7000-8000-000000000001',
  contacts: { owner: ann, admin: ann, billing: ann },
  ...{ markups: noMarkups, domainsCount: 0, paymentMethodSet: false, allowDomainSettings: false, version: 1 },
  chargesStopped: null,
  billing: { billDirectly: false, email: '', stripeId: null, allowChangeBilling: false },
  createdAt: '2026-11-21T12:00:00Z',
  ...change,
});
const cellsOf = (customer: Customer) => {
  const cells = customerCells(customer);
  return new Map(csvColumns.map((column, at) => [column, cells[at] ?? '']));
};

test('a customer is written with number, phone as specified, billing, markups and what they may change', () => {
  const { domain, certificate } = noMarkups;
  const cells = cellsOf(
    customerOf({
      billing: { billDirectly: true, email: 'pay@x.example', stripeId: null, allowChangeBilling: true },
      markups: { domain: { ...domain, renewal: { type: 'fixed', value: 2.5 } }, certificate },
      allowDomainSettings: true,
    }),
  );
  expect(Object.fromEntries(cells)).toMatchObject({
    ...{ customerId: '0192f0c1-7a5b-7000-8000-000000000001', contacts_owner_phone: '+1 2125550100' },
    ...{ billing_billDirectly: 'true', billing_allowChangeBilling: 'true', billing_email: 'pay@x.example' },
    ...{ markups_domain_renewal_type: 'fixed', markups_domain_renewal_value: '2.5' },
    ...{ markups_certificate_purchase_type: 'percentage', markups_certificate_purchase_value: '0' },
    allowDomainSettings: 'true',
  });
});

test('a stored field that is no text leaves its cell empty', () => {
  const odd = { ...ann, city: 42 } as unknown as Contact;
  const cells = customerCells(customerOf({ contacts: { owner: odd, admin: ann, billing: ann } }));
  expect(cells[csvColumns.indexOf('contacts_owner_city')]).toBe('');
});

const another: Required<Contact> = {
  ...{ organization: 'Red Fig Ltd', firstName: 'Zoe', lastName: 'Fox', phone: '+1.2125550199' },
  ...{ address1: '2 Side Street', address2: 'Floor 4', address3: 'Gate', city: 'Boston', state: 'MA' },
  ...{ postalCode: '02101', country: 'CA', email: 'zoe@bluefig.example' },
};

/** The cells of a customer with these contacts, and the contacts that they say when they are read again. */
function written(contacts: Customer['contacts']) {
  const byColumn = cellsOf(customerOf({ contacts }));
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
