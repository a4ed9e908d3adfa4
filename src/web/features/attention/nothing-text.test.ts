import { expect, test } from 'vitest';
import { nothingText } from './nothing-text.ts';

test('that no domain lapses is said to those who would see it, while nothing is put off', () => {
  expect(nothingText(true, 0)).toContain('No domain lapses');
  for (const text of [nothingText(true, 1), nothingText(true, undefined), nothingText(false, 0)]) {
    expect(text).toBe('Nothing needs your attention.');
  }
});
