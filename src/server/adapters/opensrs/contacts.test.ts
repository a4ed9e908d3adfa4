import { describe, expect, test } from 'vitest';
import type { Contact } from '../../ports/registrar.ts';
import { credentials, fromWire, phone, toWire, UnfitInput } from './contacts.ts';

const ann: Contact = {
  firstName: 'Ann',
  lastName: 'Müller',
  organization: 'A Ltd',
  address1: '1 High Street',
  city: 'Leeds',
  state: 'West Yorkshire',
  postalCode: 'LS1 1AA',
  country: 'GB',
  email: 'ann@example.com',
  phone: '+44.1134960000',
};

test('a contact goes out and comes back the same', () => {
  expect(fromWire(toWire(ann) as Record<string, string>)).toEqual({
    ...ann,
    address2: undefined,
    address3: undefined,
  });
});

test('UK, which the registrar refuses, goes out as GB', () => {
  expect(toWire({ ...ann, country: 'UK' }).country).toBe('GB');
  expect(toWire({ ...ann, country: 'gb' }).country).toBe('GB');
});

test('a person without a company is their own organization', () => {
  expect(toWire({ ...ann, organization: ' ' }).org_name).toBe('Ann Müller');
});

test('names and lines are cut to what the registrar takes, by characters', () => {
  const wire = toWire({ ...ann, firstName: '𝒜'.repeat(70), lastName: 'b'.repeat(70), state: 's'.repeat(40) });
  expect([...(wire.first_name as string)]).toHaveLength(64);
  expect(wire.last_name).toHaveLength(63);
  expect(wire.state).toHaveLength(32);
});

describe('what cutting would falsify is refused before it is sent', () => {
  test.each([
    ['a postal code of 17 characters', { postalCode: '1'.repeat(17) }],
    ['an email address without a host', { email: 'ann' }],
    ['an email address with a line end', { email: 'ann\n@example.com' }],
    ['a host of 64 characters', { email: `a@${'b'.repeat(60)}.com` }],
    ['a country that is none', { country: 'Germany' }],
    ['no city', { city: ' ' }],
    ['a phone number of three digits', { phone: '+1.123' }],
  ])('%s', (_name, change) => {
    expect(() => toWire({ ...ann, ...change })).toThrow(UnfitInput);
  });
});

test.each([
  ['+1.4165550123', 'US', '+1.4165550123'],
  ['+1.4165550123x1902', 'US', '+1.4165550123x1902'],
  ['+14165550123', 'US', '+1.4165550123'],
  ['+44 113 496 0000', 'UK', '+44.1134960000'],
  ['(416) 555-0123', 'CA', '+1.4165550123'],
])('the phone number %s in %s goes out as %s', (typed, country, wire) => {
  expect(phone(typed, country)).toBe(wire);
});

test('a number beyond 20 characters is refused', () => {
  expect(() => phone('+1234.12345678901234x12', 'US')).toThrow(UnfitInput);
});

test.each([
  [{ username: 'ab', password: 'Ab12cd34Ef' }],
  [{ username: 'with space', password: 'Ab12cd34Ef' }],
  [{ username: 'fine', password: 'short' }],
  [{ username: 'fine', password: 'Ab12cd34Ef&&' }],
])('a profile the registrar would refuse is not sent: %j', (profile) => {
  expect(() => credentials(profile)).toThrow(UnfitInput);
});
