import { expect, test } from 'vitest';
import { putOffProblem } from './put-off.ts';
import { dayMs } from './time.ts';

const now = new Date('2026-11-23T12:00:00Z');
const inMs = (ms: number) => putOffProblem(new Date(now.getTime() + ms), now);

test('what is put off comes back later than now, and within a year and a day', () => {
  expect([inMs(1), inMs(dayMs), inMs(366 * dayMs)]).toEqual([null, null, null]);
  const text = 'Please choose a date within the next year';
  expect([inMs(0), inMs(-1), inMs(366 * dayMs + 1)]).toEqual([text, text, text]);
});
