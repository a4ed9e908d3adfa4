import { expect, test } from 'vitest';
import { contact, startsRegistrantLock } from './contact.ts';

const valid = {
  organization: 'Example & Söhne',
  firstName: 'José María',
  lastName: "O'Neil-Smith",
  address1: '1 Main Street',
  city: 'Toronto',
  state: 'ON',
  postalCode: 'M5V 1A1',
  country: 'ca',
  email: 'ada@example.com',
  phone: '+1.4165550123x12',
};

/** The one message about one field; empty when the value stands. */
function complaint(field: keyof typeof valid, value: string): string[] {
  const result = contact.safeParse({ ...valid, [field]: value });
  return result.success ? [] : result.error.issues.map((issue) => issue.message);
}

test('a contact is stored trimmed, with the country in capitals', () => {
  expect(contact.parse({ ...valid, city: '  Toronto ' })).toEqual({ ...valid, country: 'CA' });
});

test.each([
  ['firstName', 'Ada2', 'Only letters and spaces are allowed'],
  ['address1', '1 Main St.', 'Only numbers & letters are allowed'],
  ['postalCode', 'M5V-1A1', 'Only numbers & letters are allowed'],
  ['phone', '+1.416', 'Phone number must have between 4 and 14 numbers'],
  ['phone', '+1.123456789012345', 'Phone number must have between 4 and 14 numbers'],
  ['country', 'XX', 'Please choose a country'],
  ['email', 'ada', 'Please enter a valid email address'],
] as const)('%s "%s" is refused with the specified message', (field, value, message) => {
  expect(complaint(field, value)).toEqual([message]);
});

test('each required field says so in the specified words when it is empty', () => {
  for (const field of Object.keys(valid) as (keyof typeof valid)[]) {
    const message = field === 'phone' ? 'Please fill out the field' : 'This field is required';
    expect(complaint(field, '  ')[0], field).toBe(message);
  }
});

test.each([
  ['NUL', '\0'],
  ['half a character', '\ud800'],
  ['a line break', '\n'],
  ['a mark that turns the direction of text', '\u202e'],
  ['what stands for a lost character', '\ufffd'],
])('%s is refused in every field: no database, registry or reader could take it', (_what, bad) => {
  for (const field of [...Object.keys(valid), 'address2', 'address3'] as (keyof typeof valid)[]) {
    expect(complaint(field, `a${bad}b`), field).not.toEqual([]);
  }
});

test('name, organization or email of the owner that differ start the lock; blanks and other fields do not', () => {
  for (const field of ['organization', 'firstName', 'lastName', 'email'] as const) {
    expect(startsRegistrantLock(valid, { ...valid, [field]: 'other' }), field).toBe(true);
    const padded = { ...valid, [field]: ` ${valid[field]} ` };
    expect([startsRegistrantLock(valid, padded), startsRegistrantLock(padded, valid)]).toEqual([
      false,
      false,
    ]);
  }
  expect(startsRegistrantLock(valid, { ...valid, city: 'Ottawa', phone: '+1.6135550123' })).toBe(false);
});
