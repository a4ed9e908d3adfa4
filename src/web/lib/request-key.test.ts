import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { RequestKey } from './request-key.ts';

const failure = (code: ApiError['code'], status: number) => new ApiError('x', { code, status });
const wish = { contacts: { owner: { city: 'Oslo' } } };

/** The keys of two tries, of which the first one ends so. */
async function keysOf(end: ApiError | null, again = structuredClone(wish)): Promise<string[]> {
  const key = new RequestKey<typeof wish>();
  const keys: string[] = [];
  const first = key.send(wish, async (own) => {
    keys.push(own);
    if (end) throw end;
    return 'done';
  });
  await (end ? expect(first).rejects.toBe(end) : expect(first).resolves.toBe('done'));
  await key.send(again, async (own) => keys.push(own));
  return keys;
}

test.each([
  ['silence', failure('network', 0)],
  ['a time-out', failure('timeout', 0)],
  ['a fault of the server', failure('internal', 500)],
  ['a first try that is still under way', failure('in_progress', 409)],
])('after %s the next try of the same is the same request', async (_what, error) => {
  const [first, second] = await keysOf(error);
  expect(second).toBe(first);
});

test.each([
  ['success', null],
  ['a refusal', failure('unprocessable', 422)],
  ['a limit', failure('rate_limited', 429)],
])('after %s the next one is another request', async (_what, error) => {
  const [first, second] = await keysOf(error);
  expect(second).not.toBe(first);
});

test('what was changed is another request, whatever became of the one before', async () => {
  const [first, second] = await keysOf(failure('network', 0), { contacts: { owner: { city: 'Rome' } } });
  expect(second).not.toBe(first);
});
