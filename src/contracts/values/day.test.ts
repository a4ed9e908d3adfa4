import { expect, test } from 'vitest';
import { day } from './day.ts';

test.each(['2026-11-21', '2024-02-29', '2000-01-01', '2099-12-31'])('%s is a day', (text) => {
  expect(day.parse(text)).toBe(text);
});

test.each([
  ...['2026-99-99', '2026-02-29', '2026-11-31', '2026-00-01', '2026-1-1', '', 'today'],
  ...['0000-01-01', '1999-12-31', '2100-01-01', '9999-12-31', '+02026-11-21', '2026-11-21T00:00:00Z'],
])('%j is refused', (text) => {
  expect(day.safeParse(text).success).toBe(false);
});
