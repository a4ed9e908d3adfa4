import { expect, test } from 'vitest';
import { contactsOf } from '../../../../tests/support/people.ts';
import { signsOf, tellingSigns, wordsOf } from './erasure.rules.ts';

const { owner } = contactsOf();
const ann = {
  ...owner,
  organization: 'Blue Fig Ltd',
  firstName: 'Ann',
  lastName: 'Smith',
  email: 'Ann@bluefig.example',
};
const desk = {
  ...owner,
  organization: 'Northwind',
  firstName: 'Help',
  lastName: 'Desk',
  email: 'desk@northwind.example',
};
const customer = {
  ...{ owner: ann, admin: desk, billing_contact: { ...desk, firstName: '' } },
  billing_email: 'Ann@bluefig.example',
};
const known = () => signsOf(customer, ['bob@bluefig.example', 'ann@bluefig.example', '', ' ']);

test('a customer is known by addresses, organizations and full names, each once and in lower case', () => {
  const signs = known();
  expect(signs).toEqual({
    own: ['ann@bluefig.example', 'bob@bluefig.example'],
    desks: ['desk@northwind.example'],
    organizations: ['blue fig ltd', 'northwind'],
    names: [
      ['ann', 'smith'],
      ['help', 'desk'],
    ],
  });
  expect(wordsOf(signs)).toEqual([
    ...['ann@bluefig.example', 'bob@bluefig.example', 'blue fig ltd', 'northwind'],
    ...['ann smith', 'help desk'],
  ]);
});

test('capitals of any language, composed or not, and spaces around them make no difference', () => {
  const émile = { ...ann, organization: ' Österreich AG ', firstName: 'E\u0301mile', lastName: 'Ångström ' };
  const found = signsOf({ ...customer, owner: émile, admin: émile, billing_contact: émile }, []);
  expect(found.organizations).toEqual(['österreich ag']);
  expect(found.names).toEqual([['\u00e9mile', 'ångström']]);
});

test('an address that others have too tells only beside what is the customer’s alone, and so does a desk’s that none other has yet', () => {
  const signs = known();
  expect(tellingSigns(signs, new Set(['bob@bluefig.example', 'northwind', 'help desk']))).toEqual({
    alone: ['ann@bluefig.example'],
    together: ['bob@bluefig.example', 'desk@northwind.example'],
    organizations: ['blue fig ltd'],
    names: [['ann', 'smith']],
  });
  const { alone, together } = tellingSigns(signs, new Set());
  expect([alone, together]).toEqual([signs.own, signs.desks]);
});
