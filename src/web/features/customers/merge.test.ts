import { expect, test } from 'vitest';
import { merged } from '../../lib/merge.ts';
import { contactEntries, formOf } from './form-values.ts';

const ann = {
  ...{ organization: 'Blue Fig Ltd', firstName: 'Ann', lastName: 'Smith', address1: '1 Main Street' },
  ...{ city: 'New York', state: 'NY', postalCode: '10001', country: 'US' },
  ...{ email: 'ann@bluefig.example', phone: '+1.2125550100' },
};
const all = (owner: object) => {
  const contact = { ...ann, ...owner };
  return formOf({ contacts: { owner: contact, admin: contact, billing: contact } });
};
const base = all({});
const after = (mine: object, theirs: object) => {
  const { values, clashes } = merged(contactEntries, { base, mine: all(mine), theirs: all(theirs) });
  return { values, clashes: clashes.map(({ label }) => label) };
};

test('what one person changed is theirs, everything else is as the other saved it', () => {
  expect(after({ city: 'Rome' }, { lastName: 'Brown', address2: 'Floor 3' })).toEqual({
    values: all({ city: 'Rome', lastName: 'Brown', address2: 'Floor 3' }),
    clashes: [],
  });
});

test('what both changed to the same is no question, to something else is one', () => {
  expect(after({ city: 'Rome', state: 'RM' }, { city: 'Rome', state: 'LZ' })).toEqual({
    values: all({ city: 'Rome', state: 'RM' }),
    clashes: ['Owner: State', 'Admin: State', 'Billing: State'],
  });
});

test('what one person emptied stays empty', () => {
  expect(after({ lastName: '' }, { city: 'Rome' }).values).toEqual(all({ lastName: '', city: 'Rome' }));
});
