import { expect, test } from 'vitest';
import { contactsOf } from '../../../../tests/support/people.ts';
import { signsOf, tellingSigns, wordsOf } from './erasure.rules.ts';

const { owner } = contactsOf();
const ann = { ...owner, organization: 'Blue Fig Ltd', firstName: 'Ann', lastName: 'Smith' };
const desk = { ...owner, organization: 'Northwind', firstName: 'Help', lastName: 'Desk' };
const customer = { owner: ann, admin: desk, billing_contact: { ...desk, firstName: '' } };
const signs = signsOf(customer, ['Ann@bluefig.example', 'desk@northwind.example', 'ann@bluefig.example', '']);

test('a customer is known by addresses, organizations and full names, each once and in lower case', () => {
  expect(signs).toEqual({
    emails: ['ann@bluefig.example', 'desk@northwind.example'],
    organizations: ['blue fig ltd', 'northwind'],
    names: [
      ['ann', 'smith'],
      ['help', 'desk'],
    ],
  });
  expect(wordsOf(signs)).toEqual([
    ...['ann@bluefig.example', 'desk@northwind.example', 'blue fig ltd', 'northwind'],
    ...['ann smith', 'help desk'],
  ]);
});

test('an address that others have too tells only beside what is the customer’s alone', () => {
  expect(tellingSigns(signs, new Set(['desk@northwind.example', 'northwind', 'help desk']))).toEqual({
    alone: ['ann@bluefig.example'],
    together: ['desk@northwind.example'],
    organizations: ['blue fig ltd'],
    names: [['ann', 'smith']],
  });
  const { alone, together } = tellingSigns(signs, new Set());
  expect([alone, together]).toEqual([signs.emails, []]);
});
