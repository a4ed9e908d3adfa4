import { expect, test } from 'vitest';
import { isInternational, movedPhone, readPhone, typedPhone } from './phone.ts';

/** Written forms of one number each: how people of the country write it, and how they write it for others. */
const written: readonly (readonly [country: string, stored: string, ...forms: string[]])[] = [
  [
    'US',
    '+1.2125550100',
    '(212) 555-0100',
    '212.555.0100',
    '1-212-555-0100',
    '+1 (212) 555-0100',
    '001 212 555 0100',
  ],
  ['CA', '+1.4165550123', '416-555-0123', '(416) 555 0123', '+1 416 555-0123', 'tel:+1-416-555-0123'],
  ['GB', '+44.2079460018', '020 7946 0018', '(020) 7946 0018', '+44 (0)20 7946 0018', '0044 20 7946 0018'],
  ['IE', '+353.12345678', '(01) 234 5678', '01 2345678', '+353 1 234 5678', '00353 1 2345678'],
  ['DE', '+49.30123456', '030 123456', '030/123456', '(030) 12 34 56', '+49 (0)30 123456', '0049 30 123456'],
  ['AT', '+43.15123456', '01 5123456', '01/512 34 56', '+43 1 512 34 56', '0043-1-5123456'],
  ['CH', '+41.443642525', '044 364 25 25', '+41 44 364 25 25', '0041 44 3642525', '+41 (0)44 364 25 25'],
  ['FR', '+33.123456789', '01 23 45 67 89', '01.23.45.67.89', '+33 1 23 45 67 89', '+33 (0)1 23 45 67 89'],
  ['BE', '+32.25551212', '02 555 12 12', '02/555.12.12', '+32 2 555 12 12', '0032 2 555 12 12'],
  ['NL', '+31.201234567', '020 123 4567', '020-1234567', '+31 20 123 4567', '+31 (0)20-1234567'],
  ['LU', '+352.27123456', '27 12 34 56', '27123456', '+352 27 12 34 56'],
  ['ES', '+34.912345678', '912 345 678', '91 234 56 78', '+34 912 34 56 78', '0034 912345678'],
  ['PT', '+351.212345678', '212 345 678', '21 234 5678', '+351 212 345 678'],
  ['IT', '+39.0669812345', '06 698 12345', '06-69812345', '+39 06 6981 2345', '0039 06 69812345'],
  ['DK', '+45.32123456', '32 12 34 56', '32123456', '+45 32 12 34 56'],
  ['SE', '+46.8123456', '08-12 34 56', '08 123 456', '+46 8 123 456', '+46 (0)8 123 456'],
  ['NO', '+47.21234567', '21 23 45 67', '+47 21 23 45 67', '0047 21234567'],
  ['FI', '+358.912345678', '09 1234 5678', '(09) 12345678', '+358 9 1234 5678'],
  ['PL', '+48.221234567', '22 123 45 67', '(22) 123-45-67', '+48 22 123 45 67'],
  ['CZ', '+420.212345678', '212 345 678', '+420 212 345 678', '00420212345678'],
  ['SK', '+421.212345678', '02/1234 5678', '02 1234 5678', '+421 2 1234 5678'],
  ['HU', '+36.12345678', '06 1 234 5678', '(06 1) 234-5678', '+36 1 234 5678'],
  ['RO', '+40.211234567', '021 123 4567', '0211234567', '+40 21 123 4567'],
  ['GR', '+30.2101234567', '210 123 4567', '21 0123 4567', '+30 210 123 4567'],
  ['TR', '+90.2123456789', '0212 345 67 89', '(0212) 345 67 89', '+90 212 345 67 89'],
  ['UA', '+380.441234567', '044 123-45-67', '(044) 123 45 67', '+380 44 123 45 67'],
  ['IL', '+972.21234567', '02-123-4567', '02 1234567', '+972 2-123-4567'],
  ['IN', '+91.2212345678', '022 1234 5678', '(022) 12345678', '+91 22 1234 5678'],
  [
    'JP',
    '+81.312345678',
    '03-1234-5678',
    '０３-１２３４-５６７８',
    '+81 3-1234-5678',
    '＋８１ ３ １２３４ ５６７８',
  ],
  ['AU', '+61.291234567', '(02) 9123 4567', '02 9123 4567', '+61 2 9123 4567', '0011 61 2 9123 4567'],
  ['NZ', '+64.93456789', '09 345 6789', '(09) 345-6789', '+64 9 345 6789'],
  ['SG', '+65.61234567', '6123 4567', '+65 6123 4567'],
  ['BR', '+55.1123456789', '(11) 2345-6789', '011 2345-6789', '+55 11 2345-6789', '+55 (11) 2345 6789'],
  ['MX', '+52.5512345678', '55 1234 5678', '(55) 1234-5678', '+52 55 1234 5678'],
  ['ZA', '+27.211234567', '021 123 4567', '(021) 123-4567', '+27 21 123 4567'],
];

test.each(written)('numbers of %s in each written form become %s', (country, stored, ...forms) => {
  expect(forms.map((form) => readPhone(form, { country }))).toEqual(forms.map(() => stored));
});

test('a number with an international prefix is read alike whatever the country of the field', () => {
  for (const [, stored, ...forms] of written) {
    for (const form of forms.filter((one) => /^[+＋]/.test(one))) {
      for (const country of ['US', 'DE', 'JP', '']) {
        expect([form, country, readPhone(form, { country })]).toEqual([form, country, stored]);
      }
    }
  }
});

test.each([
  '212 555 0100 ext. 12',
  '(212) 555-0100 x12',
  '212-555-0100 extension 12',
  '+1 212 555 0100 #12',
  '+1 212 555 0100 poste 12',
  '+1 212 555 0100, DW 12',
  '+1 212 555 0100 доб. 12',
  '+1.2125550100x12',
])('the extension of "%s" is kept', (text) => {
  expect(readPhone(text, { country: 'US' })).toBe('+1.2125550100x12');
});

test('labels, odd spaces and dashes, and a second number are no obstacle', () => {
  for (const text of ['Tel.: 212\u00a0555\u20110100', 'T: (212) 555–0100', '212 555 0100 / 917 555 0199']) {
    expect(readPhone(text, { country: 'US' })).toBe('+1.2125550100');
  }
});

test.each([
  '',
  'n/a',
  '12',
  'call me',
  '+',
  '+1 212',
  `+1 ${'2'.repeat(15)}`,
  '9'.repeat(100_000),
  '+999 123 4567',
])('what is no number is none: case %#', (text) => {
  expect(readPhone(text, { country: 'US' })).toBeNull();
});

test('a number in the stored form stays, also one of a dial code that nobody has; blanks around it go', () => {
  expect(readPhone('+999.1234567')).toBe('+999.1234567');
  expect(readPhone(' +999.1234567 ')).toBe('+999.1234567');
});

test('a text of up to eighty characters is searched for a number', () => {
  const spaced = (length: number) => readPhone(`+1${'2125550100'.padStart(length - 2)}`);
  expect([spaced(80), spaced(81)]).toEqual(['+1.2125550100', null]);
});

test('what can only be read as a number that nobody has yet is kept; one that is in use goes first', () => {
  expect(readPhone('+1 111 111 1111')).toBe('+1.1111111111');
  expect(readPhone('001 212 555 0100', { country: 'AU' })).toBe('+1.2125550100');
});

test('a number without its area code is read as its country does, also with the dial code of several', () => {
  expect(readPhone('856 5834', { country: 'BS', dialCode: '+1' })).toBe('+1.2428565834');
});

test.each(['+44 20', ' 0044 20', 'tel:+44 20', ' tel:+44 20'])('"%s" says its country itself', (text) => {
  expect(isInternational(text)).toBe(true);
});

test('in the field, a pasted prefix brings its own dial code; digits belong to the one that is shown', () => {
  expect(typedPhone('+1 (212) 555-0100', { country: 'US' })).toBe('+1.2125550100');
  expect(typedPhone('+44 20 7946 0018', { country: 'US', dialCode: '+1' })).toBe('+44.2079460018');
  expect(typedPhone('020 7946 0018', { country: 'US', dialCode: '+44' })).toBe('+44.2079460018');
  expect(typedPhone('(416) 555-0123', { country: 'CA' })).toBe('+1.4165550123');
  // What is no number yet reaches the rule as it is.
  expect(typedPhone('416', { country: 'CA' })).toBe('+1.416');
  expect(typedPhone(' +44 2 ', { country: 'CA' })).toBe('+44 2');
  expect(typedPhone(' 416 ', {})).toBe('416');
  expect(typedPhone(' - ', { country: 'CA' })).toBe('');
});

test('behind a dial code that nobody has, digits are kept as they are typed, and a number that says its own country is read', () => {
  const nobody = { country: 'US', dialCode: '+999' };
  expect(typedPhone('12345678', nobody)).toBe('+999.12345678');
  expect(typedPhone('+44 20 7946 0018', nobody)).toBe('+44.2079460018');
});

test('another country moves its own dial code along, and leaves one that the number brought', () => {
  expect(movedPhone('+1.4165550123', 'CA', 'GB')).toBe('+44.4165550123');
  expect(movedPhone('+44.2079460018', 'CA', 'DE')).toBe('+44.2079460018');
  expect(movedPhone('', 'CA', 'DE')).toBe('');
  expect(movedPhone('+44.2079460018', '', 'DE')).toBe('+44.2079460018');
  expect(movedPhone('+1.4165550123', 'CA', '')).toBe('4165550123');
});

test('a number that is typed before the country is chosen becomes one of that country', () => {
  const chosenAfter = (text: string, country: string) => movedPhone(typedPhone(text, {}), '', country);
  // With a plus in front, 20 would be Egypt.
  expect(chosenAfter('20 7946 0018', 'GB')).toBe('+44.2079460018');
  expect(chosenAfter('020 7946 0018 ext. 12', 'GB')).toBe('+44.2079460018x12');
  expect(chosenAfter('(416) 555-0123', 'CA')).toBe('+1.4165550123');
  expect(chosenAfter('416', 'CA')).toBe('+1.416');
  expect(movedPhone(movedPhone('+1.4165550123', 'CA', ''), '', 'GB')).toBe('+44.4165550123');
});
