import { expect, test } from 'vitest';
import { contactsOf, emptyForm, formOf, validateForm } from './form-values.ts';

const ann = {
  organization: 'Blue Fig Ltd',
  firstName: 'Ann',
  lastName: 'Smith',
  address1: '1 Main Street',
  city: 'New York',
  state: 'NY',
  postalCode: '10001',
  country: 'US',
  email: 'ann@bluefig.example',
  phone: '+1.2125550100',
};

test('a new customer has the owner in all three places, until a box is cleared', () => {
  const form = emptyForm();
  expect([form.adminSame, form.billingSame]).toEqual([true, true]);
  const typed = { ...form, contacts: { ...form.contacts, owner: ann } };
  expect(contactsOf(typed)).toEqual({ owner: ann, admin: ann, billing: ann });
  expect(contactsOf({ ...typed, billingSame: false }).billing).toEqual(form.contacts.billing);
});

test('a contact that differs, even in a line the form does not show, is not taken for the owner’s', () => {
  const contacts = { owner: ann, admin: { ...ann, address2: 'Floor 3' }, billing: { ...ann, address2: '' } };
  const form = formOf({ contacts });
  expect([form.adminSame, form.billingSame]).toEqual([false, true]);
  expect(contactsOf(form).admin.address2).toBe('Floor 3');
  const third = formOf({ contacts: { owner: ann, admin: ann, billing: { ...ann, address3: 'Door 4' } } });
  expect([third.adminSame, third.billingSame]).toEqual([true, false]);
  expect(contactsOf(third).billing.address3).toBe('Door 4');
});

test('a hidden section complains of nothing, a shown one of each field', () => {
  const form = { ...emptyForm(), contacts: { ...emptyForm().contacts, owner: ann } };
  expect(validateForm(form)).toEqual({});
  const complaints = Object.keys(validateForm({ ...form, adminSame: false }));
  expect(complaints).toHaveLength(9);
  expect(complaints.every((path) => path.startsWith('contacts.admin.'))).toBe(true);
  // What is wrong with the owner is said there, and not again of the hidden copies.
  const ofOwner = Object.keys(validateForm(emptyForm()));
  expect(ofOwner.length).toBeGreaterThan(0);
  expect(ofOwner.every((path) => path.startsWith('contacts.owner.'))).toBe(true);
});
