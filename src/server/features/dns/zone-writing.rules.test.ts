import { expect, test } from 'vitest';
import { mayHaveStruck } from './zone-writing.rules.ts';

test('a write may have struck unless it was refused or never sent', () => {
  expect(mayHaveStruck('done')).toBe(true);
  expect(mayHaveStruck('pending')).toBe(true);
  expect(mayHaveStruck('unknown')).toBe(true);
  expect(mayHaveStruck('refused')).toBe(false);
  expect(mayHaveStruck('busy')).toBe(false);
});
