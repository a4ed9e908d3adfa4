import { expect, test } from 'vitest';
import { todayShare } from './life-line.ts';

const stations = [
  { at: '2026-01-01T00:00:00Z' },
  { at: '2026-01-11T00:00:00Z' },
  { at: '2027-01-11T00:00:00Z' },
];
const shareOn = (at: string) => todayShare(stations, new Date(at));

test('today is between its two stations, in the share of the time that has passed between them', () => {
  expect(shareOn('2026-01-01T00:00:00Z')).toBeCloseTo(0.5 / 3);
  expect(shareOn('2026-01-06T00:00:00Z')).toBeCloseTo(1 / 3);
  expect(shareOn('2026-01-11T00:00:00Z')).toBeCloseTo(0.5);
});

test('before the first station today is at the left end, after the last at the right end', () => {
  expect(shareOn('2025-12-31T00:00:00Z')).toBe(0);
  expect(shareOn('2027-01-11T00:00:00Z')).toBe(1);
  expect(todayShare([], new Date())).toBe(1);
});
