import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import {
  capitalised,
  countText,
  dayText,
  decimalText,
  isoDay,
  isoMoment,
  isoMonth,
  isoText,
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
import { dayMs } from './time.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

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

test('commas are where the language has them', () => {
  const amount = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 });
  const count = new Intl.NumberFormat('en-US');
  fc.assert(
    fc.property(fc.nat(10 ** 15), fc.maxSafeInteger(), (cents, figure) => {
      expect(moneyText(cents)).toBe(`$${amount.format(cents / 100)}`);
      expect(countText(figure)).toBe(count.format(figure));
    }),
  );
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

test('a screen says where its reader is, and a mail says UTC', () => {
  vi.stubEnv('TZ', 'Pacific/Auckland');
  expect([momentText(at), utcMomentText(at)]).toEqual([
    'Nov 22, 2026, 10:41 PM',
    'Nov 22, 2026, 9:41 AM UTC',
  ]);
});

test.each(['America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'])(
  'days and times are in the words of the language, in %s',
  (timeZone) => {
    vi.stubEnv('TZ', timeZone);
    const words = (options: Intl.DateTimeFormatOptions) => {
      const format = new Intl.DateTimeFormat('en-US', { timeZone, ...options });
      // Some engines put a narrow space before AM and PM, which not every font and mail program has.
      return (moment: Date) => format.format(moment).replaceAll('\u202f', ' ');
    };
    const forms = [
      [dayText, words({ dateStyle: 'medium' })],
      [shortDayText, words({ month: 'short', day: 'numeric' })],
      [timeText, words({ timeStyle: 'short' })],
      [momentText, words({ dateStyle: 'medium', timeStyle: 'short' })],
    ] as const;
    // To the minute, over all years that a registrar knows: past the changes to summer time, midnight and noon.
    const minutes = fc.integer({ min: Date.UTC(1985, 0) / 60_000, max: Date.UTC(2200, 0) / 60_000 });
    fc.assert(
      fc.property(minutes, (minute) => {
        const moment = new Date(minute * 60_000);
        for (const [text, expected] of forms) expect(text(moment)).toBe(expected(moment));
      }),
      { numRuns: 2_000 },
    );
  },
);

test('each month has its name', () => {
  const names = ['long', 'short'].map((month) => {
    const format = new Intl.DateTimeFormat('en-US', { month: month as 'long', timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, index) => format.format(Date.UTC(2026, index)));
  });
  const all = Array.from({ length: 12 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`);
  expect(all.map(monthText)).toEqual(names[0]?.map((name) => `${name} 2026`));
  expect(all.map(shortMonthText)).toEqual(names[1]);
});

test('what is no moment has no text', () => {
  for (const text of [dayText, momentText, utcDayText, utcMomentText]) {
    expect(() => text(new Date(Number.NaN))).toThrow(RangeError);
  }
});

test('a title begins with a capital letter, and is else as it was', () => {
  expect(['owner of Acme', 'Ümlaut', 'österreich', ''].map(capitalised)).toEqual([
    ...['Owner of Acme', 'Ümlaut', 'Österreich', ''],
  ]);
});

test('a file has days and times that spreadsheets read, in UTC', () => {
  expect([isoDay(at), isoMonth(at), isoMoment(at)]).toEqual(['2026-11-22', '2026-11', '2026-11-22 09:41:07']);
});

test('a moment’s text is that of toISOString, to the millisecond, before and after 1970 and in distant years', () => {
  const moments = [
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '2026-11-23T09:05:07.080Z',
    '2024-02-29T23:59:59.999Z',
  ];
  const distant = [-8.64e15, -62_198_755_200_000, 253_402_300_799_999, 253_402_300_800_000, 8.64e15];
  const many = Array.from({ length: 2_000 }, (_, index) => Date.UTC(2026, 0, 1) + index * 12_345_679);
  for (const ms of [...moments.map((text) => Date.parse(text)), ...distant, ...many]) {
    expect(isoText(new Date(ms))).toBe(new Date(ms).toISOString());
  }
  expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError);
});

test('a day in words is that of its day of UTC, also when there are more days than are kept', () => {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
  for (let day = -3; day < 11_000; day += 1) {
    for (const ms of [day * dayMs, (day + 1) * dayMs - 1]) {
      expect(utcDayText(new Date(ms))).toBe(format.format(new Date(ms)));
    }
  }
});
