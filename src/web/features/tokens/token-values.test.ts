import { expect, test } from 'vitest';
import { bodyOf, emptyToken, problemsOf } from './token-values.ts';

const customerId = '00000000-0000-4000-8000-000000000001';
const filled = { ...emptyToken, name: ' Billing ', permissions: ['customers.read'] };

test('a token is sent with its name, rights, customer and end; an emptied end is none', () => {
  expect(bodyOf({ ...filled, customerId, validDays: '30' })).toEqual({
    ...{ name: 'Billing', permissions: ['customers.read'], customerId, validDays: 30 },
  });
  expect(bodyOf({ ...filled, validDays: '' }).validDays).toBeNull();
  expect(bodyOf(filled)).toMatchObject({ customerId: null, validDays: 365 });
});

test('what the contract refuses is told at its field', () => {
  expect(problemsOf(filled)).toEqual({});
  expect(problemsOf(emptyToken)).toEqual({
    name: 'Please enter a name',
    permissions: 'Please choose at least one permission',
  });
  expect(Object.keys(problemsOf({ ...filled, validDays: 0 }))).toEqual(['validDays']);
});
