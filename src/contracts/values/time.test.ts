import { expect, test } from 'vitest';
import { dayMs, isoText, ofEachDay } from './time.ts';

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

test('what depends on the day alone is worked out once a day, also when there are more days than are kept', () => {
  const asked: number[] = [];
  const text = ofEachDay((at) => {
    asked.push(at.getTime());
    return at.toISOString().slice(0, 10);
  });
  expect([text(new Date(0)), text(new Date(dayMs - 1)), text(new Date(dayMs)), text(new Date(-1))]).toEqual([
    ...['1970-01-01', '1970-01-01', '1970-01-02', '1969-12-31'],
  ]);
  expect(asked).toEqual([0, dayMs, -1]);
  for (let day = 0; day < 11_000; day += 1) {
    expect(text(new Date(day * dayMs))).toBe(new Date(day * dayMs).toISOString().slice(0, 10));
  }
});
