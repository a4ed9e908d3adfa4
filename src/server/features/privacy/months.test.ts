import { expect, test } from 'vitest';
import { monthsAfter } from './months.ts';

test.each([
  ['2026-11-21T08:30:00.000Z', 15, '2028-02-21T08:30:00.000Z'],
  // A month without such a day ends on its last one, in a leap year too.
  ['2026-11-30T00:00:00.000Z', 15, '2028-02-29T00:00:00.000Z'],
  ['2025-11-30T00:00:00.000Z', 15, '2027-02-28T00:00:00.000Z'],
  ['2026-01-31T23:59:59.000Z', 15, '2027-04-30T23:59:59.000Z'],
  ['2026-03-31T00:00:00.000Z', -15, '2024-12-31T00:00:00.000Z'],
])('%s and %i months is %s', (from, months, to) => {
  expect(monthsAfter(new Date(from), months).toISOString()).toBe(to);
});
