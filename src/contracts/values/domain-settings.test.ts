import { expect, test } from 'vitest';
import { type DomainSettings, isSameSetting, partsLike } from './domain-settings.ts';

const ann = {
  ...{ organization: 'Ann Ltd', firstName: 'Ann', lastName: 'Lee', email: 'ann@ann.example' },
  ...{ phone: '+1.2125550100', address1: '1 Main St', city: 'Rome', state: 'NY' },
  ...{ postalCode: '10001', country: 'US' },
};

test('nameservers are the same in any order and case, contacts without regard to case, blanks and empty lines', () => {
  const same: [DomainSettings, DomainSettings][] = [
    [
      { nameservers: ['ns1.a.example', 'ns2.a.example'] },
      { nameservers: ['NS2.a.example', 'ns1.a.example'] },
    ],
    [
      { contacts: { owner: ann } },
      { contacts: { owner: { ...ann, email: ' ANN@ann.example', address2: '' } } },
    ],
    [{ privacy: true }, { privacy: true }],
    [
      { locked: true, autoRenew: false },
      { autoRenew: false, locked: true },
    ],
    [{ locked: true }, { locked: true, privacy: undefined } as unknown as DomainSettings],
  ];
  for (const [one, other] of same) expect(isSameSetting(one, other)).toBe(true);
  const different: [DomainSettings, DomainSettings][] = [
    [{ nameservers: ['ns1.a.example'] }, { nameservers: ['ns1.a.example', 'ns2.a.example'] }],
    [{ nameservers: ['ns1.a.example'] }, { nameservers: ['ns2.a.example'] }],
    [{ contacts: { owner: ann } }, { contacts: { tech: ann } }],
    // Capitals of "ß" are "SS".
    [{ contacts: { owner: { ...ann, city: 'Straß' } } }, { contacts: { owner: { ...ann, city: 'Strass' } } }],
    [{ contacts: { owner: ann } }, { contacts: { owner: { ...ann, city: 'Oslo' } } }],
    [{ privacy: null }, { privacy: false }],
    [{ customerId: null }, { customerId: 'one' }],
    [{ locked: true }, { autoRenew: true }],
  ];
  for (const [one, other] of different) expect(isSameSetting(one, other)).toBe(false);
});

test('the parts of what is there are those that are asked for, of the contacts those roles', () => {
  const present = { locked: true, contacts: { owner: ann, admin: ann } };
  expect(partsLike(present, { locked: false })).toEqual({ locked: true });
  expect(partsLike(present, { contacts: { admin: { ...ann, city: 'Oslo' } } })).toEqual({
    contacts: { admin: ann },
  });
  expect(partsLike({ locked: true }, { contacts: { admin: ann } })).toEqual({
    contacts: { admin: undefined },
  });
});
