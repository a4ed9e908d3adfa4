import { expect, test } from 'vitest';
import {
  countText,
  dayText,
  decimalText,
  isoDay,
  isoMoment,
  isoMonth,
  momentText,
  moneyText,
  monthText,
  shortDayText,
  shortMonthText,
  signedMoneyText,
  timeText,
  usdText,
  utcDayText,
  utcMomentText,
  wholeDollarsText,
} from './format.ts';

test.each([
  [0, '$0.00', '$0.00', '0.00'],
  [5, '$0.05', '+$0.05', '0.05'],
  [1_231, '$12.31', '+$12.31', '12.31'],
  [-1_231, '−$12.31', '−$12.31', '-12.31'],
  [123_456_789, '$1,234,567.89', '+$1,234,567.89', '1234567.89'],
  [-7, '−$0.07', '−$0.07', '-0.07'],
])(
  '%i cents: in one form for people, with a sign where they come and go, and plain for files',
  (cents, ...texts) => {
    expect([moneyText(cents), signedMoneyText(cents), decimalText(cents)]).toEqual(texts);
  },
);

test('dollars of the API are shown to the cent, whatever a float makes of them', () => {
  expect([12.31, 0.1 + 0.2, 1e6, 1.005].map(usdText)).toEqual(['$12.31', '$0.30', '$1,000,000.00', '$1.00']);
  expect([20, 9_999].map(wholeDollarsText)).toEqual(['$20', '$9,999']);
  expect([7, 10_000].map(countText)).toEqual(['7', '10,000']);
});

const at = new Date('2026-11-22T09:41:07.250Z');

test('a mail and a paper say the same day and time, wherever the server is', () => {
  expect([utcDayText(at), utcMomentText(at)]).toEqual(['Nov 22, 2026', 'Nov 22, 2026, 9:41 AM UTC']);
  expect(utcDayText(new Date('2026-12-31T23:59:59Z'))).toBe('Dec 31, 2026');
  expect([monthText('2026-11'), shortMonthText('2026-11')]).toEqual(['November 2026', 'Nov']);
});

test('a screen says day and time as its reader has them, in the same form', () => {
  const here = new Date(2026, 10, 22, 9, 41);
  expect([dayText(here), shortDayText(here), timeText(here), momentText(here)]).toEqual([
    'Nov 22, 2026',
    'Nov 22',
    '9:41 AM',
    'Nov 22, 2026, 9:41 AM',
  ]);
});

test('a file has days and times that spreadsheets read, in UTC', () => {
  expect([isoDay(at), isoMonth(at), isoMoment(at)]).toEqual(['2026-11-22', '2026-11', '2026-11-22 09:41:07']);
});
