import { expect, test } from 'vitest';
import { sidesWithMore } from './use-in-sight.ts';

test.each([
  ['holds all', 0, 300, ''],
  ['is a pixel too narrow, by rounding', 0, 301, ''],
  ['is at its beginning', 0, 420, 'end'],
  ['is in its middle', 60, 420, 'start end'],
  ['is at its end', 120, 420, 'start'],
])('a row that %s shows where there is more', (_what, scrollLeft, scrollWidth, sides) =>
  expect(sidesWithMore({ scrollLeft, scrollWidth, clientWidth: 300 })).toBe(sides),
);
