import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { RequestKey } from './request-key.ts';

const failure = (code: ApiError['code'], status: number) => new ApiError('x', { code, status });
const wish = { contacts: { owner: { city: 'Oslo' } } };

test.each([
  ['silence', failure('network', 0)],
  ['a time-out', failure('timeout', 0)],
  ['a fault of the server', failure('internal', 500)],
  ['a first try that is still under way', failure('in_progress', 409)],
])('after %s the next try of the same is the same request', (_what, error) => {
  const key = new RequestKey<typeof wish>();
  const first = key.of(wish);
  key.answered(error);
  expect(key.of(structuredClone(wish))).toBe(first);
});

test.each([
  ['success', null],
  ['a refusal', failure('unprocessable', 422)],
  ['a limit', failure('rate_limited', 429)],
])('after %s the next one is another request', (_what, error) => {
  const key = new RequestKey<typeof wish>();
  const first = key.of(wish);
  key.answered(error);
  expect(key.of(wish)).not.toBe(first);
});

test('what was changed is another request, whatever became of the one before', () => {
  const key = new RequestKey<typeof wish>();
  const first = key.of(wish);
  key.answered(failure('network', 0));
  expect(key.of({ contacts: { owner: { city: 'Rome' } } })).not.toBe(first);
});
