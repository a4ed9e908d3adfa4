import { expect, test } from 'vitest';
import { suggestedContactValue } from './contact-suggestions.ts';

const ann = {
  ...{
    organization: 'Blue Fig',
    firstName: 'Ann',
    lastName: 'Smith',
    address1: '1 Main Street',
    city: 'Aarhus',
  },
  ...{
    state: 'Jylland',
    postalCode: '8000',
    country: 'DK',
    email: 'ann@bluefig.example',
    phone: '+45.32123456',
  },
};

test.each([
  ['address1', '12 High St.', '12 High St'],
  ['address1', '350 5th Ave, Suite 100', '350 5th Ave Suite 100'],
  ['address1', 'P.O. Box 12', 'PO Box 12'],
  ['address1', "3 St John's Road", '3 St Johns Road'],
  ['address1', 'Königstraße 12/4', 'Königstraße 12 4'],
  ['address1', '4, rue de l’Église', '4 rue de l Église'],
  ['address1', 'Smith & Sons Yard', 'Smith and Sons Yard'],
  ['firstName', 'Jean-Pierre', 'Jean Pierre'],
  ['firstName', 'J.P.', 'JP'],
  ['firstName', 'Dr. Ann', 'Dr Ann'],
  ['postalCode', '10001-1234', '100011234'],
  ['postalCode', '〒100-0001', '1000001'],
  ['email', 'Ann Smith <ann@x.example>', 'ann@x.example'],
  ['email', 'mailto:ann@x.example', 'ann@x.example'],
  ['email', 'ann@x.example; bob@x.example', 'ann@x.example'],
  ['country', 'Denmark', 'DK'],
  ['phone', '32 12 34 56', '+45.32123456'],
  ['city', 'Aar\thus', 'Aar hus'],
  ['lastName', 'M\ufffdller', 'Mller'],
  ['organization', `${'Long '.repeat(13)}name`, 'Long '.repeat(13).trim()],
  ['organization', 'Longer '.repeat(10), 'Longer '.repeat(9).trim()],
  ['organization', `${'Long\t'.repeat(12)}name`, `${'Long '.repeat(12)}name`],
  ['organization', 'x'.repeat(70), 'x'.repeat(64)],
  ['organization', 'Smith\t&\tSons', 'Smith & Sons'],
] as const)('%s "%s" is offered as "%s"', (field, value, offered) => {
  expect(suggestedContactValue(field, { ...ann, [field]: value })).toBe(offered);
});

test('an empty field has an offer only where there is a usual answer', () => {
  const offers = (change: Partial<typeof ann>) => {
    const [field = 'city'] = Object.keys(change) as (keyof typeof ann)[];
    return suggestedContactValue(field, { ...ann, ...change });
  };
  expect(offers({ state: '' })).toBe('Aarhus');
  expect(offers({ state: '', country: 'US' })).toBeNull();
  expect(offers({ state: '', country: 'Atlantis' })).toBeNull();
  expect(offers({ state: '', city: 'x'.repeat(40) })).toBe('x'.repeat(32));
  expect(offers({ organization: ' ' })).toBe('Ann Smith');
  expect(offers({ postalCode: '' })).toBeNull();
  expect(offers({ postalCode: '', country: 'AE' })).toBe('00000');
  expect(offers({ city: '', country: 'AE' })).toBeNull();
  expect([
    offers({ phone: '' }),
    offers({ email: '' }),
    offers({ city: '' }),
    offers({ firstName: '' }),
  ]).toEqual([...[null, null, null, null]]);
});

test('what is fine already, and what no cleaning makes fine, has no offer', () => {
  for (const field of Object.keys(ann) as (keyof typeof ann)[])
    expect(suggestedContactValue(field, ann)).toBeNull();
  expect(suggestedContactValue('firstName', { ...ann, firstName: '42' })).toBeNull();
  expect(suggestedContactValue('email', { ...ann, email: 'ann at x' })).toBeNull();
  expect(suggestedContactValue('country', { ...ann, country: 'Atlantis' })).toBeNull();
  expect(suggestedContactValue('address2', { ...ann, address2: '\ufffd' })).toBeNull();
});
