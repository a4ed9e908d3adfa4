import fc from 'fast-check';
import { expect, test } from 'vitest';
import { centsFromText, centsToText, dateFromText } from './fields.ts';

test.each([
  ['9.85', 985],
  ['20.2', 2020],
  ['5000', 500_000],
  ['0.00', 0],
  ['2395.00', 239_500],
  ['0.07', 7],
  ['1.', 100],
  ['-12.34', -1234],
  ['8.990', 899],
  ['8.991', 900],
  ['1.005', 101],
])('money %s is %i cents', (text, expected) => {
  expect(centsFromText(text)).toBe(expected);
});

test.each(['', 'undef', '1,000.00', '1.2.3', '$5', '1e3', 'NaN', '0x10', '٣'])('%j is no money', (text) => {
  expect(centsFromText(text)).toBeNull();
});

test('no amount is off by a cent', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999 }), (cents) => {
      const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
      expect(centsFromText(text)).toBe(cents);
      expect(centsToText(cents)).toBe(text);
    }),
  );
});

test.each([
  ['2027-05-01 10:00:00', '2027-05-01T10:00:00.000Z'],
  ['2027-05-01', '2027-05-01T00:00:00.000Z'],
  ['2012-04-12T10:05:08.000-05:00', '2012-04-12T15:05:08.000Z'],
  ['2010-09-14-04:00', '2010-09-14T04:00:00.000Z'],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['1199145600', '2008-01-01T00:00:00.000Z'],
  ['27-OCT-2007 11:15:03', '2007-10-27T11:15:03.000Z'],
  ['2028-02-29 00:00:00', '2028-02-29T00:00:00.000Z'],
])('the date %s', (text, expected) => {
  expect(dateFromText(text)?.toISOString()).toBe(expected);
});

test.each(['', '0000-00-00 00:00:00', '2027-02-30 00:00:00', 'soon', '2027-13-01'])(
  '%j is no date',
  (text) => {
    expect(dateFromText(text)).toBeNull();
  },
);
