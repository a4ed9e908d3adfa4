import { expect, test } from 'vitest';
import { isFresh } from './pricing.rules.ts';

test('a quote is good for half an hour, and not a moment longer', () => {
  const quoted = new Date('2026-03-01T12:00:00.000Z');
  expect(isFresh(quoted, new Date('2026-03-01T12:29:59.999Z'))).toBe(true);
  expect(isFresh(quoted, new Date('2026-03-01T12:30:00.000Z'))).toBe(false);
});
