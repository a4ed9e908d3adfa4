import { expect, test } from 'vitest';
import { ApiError } from '../../lib/api-error.ts';
import { isTakenOver, theirsOf } from './use-edit.ts';

test('only a conflict brings the present state along', () => {
  const refused = (code: string) => new ApiError('Refused', { code, status: 409, data: {} } as never);
  expect(theirsOf(refused('validation_failed'))).toBeNull();
  expect(theirsOf(refused('conflict'))).toBeNull();
  expect(theirsOf(new Error('no answer'))).toBeNull();
});

test('a refresh reaches a form in which nothing was typed, and none that was begun: saving that one tells of the change', () => {
  const form = { base: { version: 3 }, dirty: false };
  expect(isTakenOver({ version: 4 }, form)).toBe(true);
  expect(isTakenOver({ version: 4 }, { ...form, dirty: true })).toBe(false);
  expect(isTakenOver({ version: 3 }, form)).toBe(false);
});
