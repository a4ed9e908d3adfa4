import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { connection } from './connection.ts';
import { queryClient } from './query-client.ts';

afterEach(() => void vi.restoreAllMocks());

const queries = queryClient.getDefaultOptions().queries ?? {};

test('data is stale after 5 minutes, kept for 10, and not read again when the window regains focus', () => {
  expect(queries.staleTime).toBe(5 * 60_000);
  expect(queries.gcTime).toBe(10 * 60_000);
  expect(queries.refetchOnWindowFocus).toBe(false);
});

test('a read is tried twice more when there was no answer, and never offline or after a refusal', () => {
  const isOffline = vi.spyOn(connection, 'isOffline').mockReturnValue(false);
  const { retry } = queries;
  if (typeof retry !== 'function') throw new Error('the rule is a function');
  const silence = new ApiError('x', { code: 'network', status: 0 });
  const refusal = new ApiError('x', { code: 'not_found', status: 404 });
  expect([0, 1, 2].map((failures) => retry(failures, silence))).toEqual([true, true, false]);
  expect(retry(0, refusal)).toBe(false);
  isOffline.mockReturnValue(true);
  expect(retry(0, silence)).toBe(false);
  expect(queryClient.getDefaultOptions().mutations?.retry).toBe(false);
});
