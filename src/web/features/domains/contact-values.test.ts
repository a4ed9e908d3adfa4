import { expect, test } from 'vitest';
import { startsRegistrantLock } from '#contracts/values/contact.ts';
import { toContact } from './contact-values.ts';

const shown = {
  ...{
    org_name: 'Ann Ltd',
    first_name: 'Ann',
    last_name: 'Lee',
    email: 'ann@ann.example',
    phone: '+1.2125550100',
  },
  ...{ address1: '1 Main St', address2: 'Suite 2', address3: 'Door 3', city: 'Rome', state: 'NY' },
  ...{ postal_code: '10001', country: 'US' },
};

test('a contact of the registry is edited with every part it has', () => {
  expect(toContact(shown as never)).toEqual({
    ...{ organization: 'Ann Ltd', firstName: 'Ann', lastName: 'Lee', email: 'ann@ann.example' },
    ...{ phone: '+1.2125550100', address1: '1 Main St', address2: 'Suite 2', address3: 'Door 3' },
    ...{ city: 'Rome', state: 'NY', postalCode: '10001', country: 'US' },
  });
});

test('another name, organization or email of the owner starts a lock; anything else, and blanks, do not', () => {
  const before = toContact(shown as never);
  for (const field of ['organization', 'firstName', 'lastName', 'email'] as const) {
    expect(startsRegistrantLock(before, { ...before, [field]: 'other' }), field).toBe(true);
    expect(startsRegistrantLock(before, { ...before, [field]: ` ${before[field]} ` }), field).toBe(false);
  }
  expect(startsRegistrantLock(before, { ...before, phone: '+1.2125550199', city: 'Oslo' })).toBe(false);
});
