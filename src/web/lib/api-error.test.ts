import { describe, expect, test } from 'vitest';
import { ApiError, errorFromResponse, errorWithoutResponse, messageOf } from './api-error.ts';

const reply = (status: number, body: string, init: ResponseInit = {}) =>
  new Response(body, { status, ...init });

describe('a failed call (P1 §8)', () => {
  test("says the server's message", async () => {
    const body = JSON.stringify({
      message: 'This could not be found.',
      code: 'not_found',
      requestId: 'r-1',
      error: 'no row',
    });
    const error = await errorFromResponse(reply(404, body, { statusText: 'Not Found' }));
    expect(error).toMatchObject({
      message: 'This could not be found.',
      code: 'not_found',
      status: 404,
      requestId: 'r-1',
      error: 'no row',
    });
  });

  test.each([
    ['no JSON at all', '<html>Bad Gateway</html>'],
    ['JSON without a message', '{"code":"internal"}'],
    ['an empty message', '{"message":""}'],
    ['a message that is no text', '{"message":{"a":1}}'],
    ['a list', '[1,2]'],
    ['nothing', ''],
  ])('says the status text where there is %s', async (_what, body) => {
    const error = await errorFromResponse(reply(502, body, { statusText: 'Bad Gateway' }));
    expect(error.message).toBe('Bad Gateway');
  });

  test('says "Something went wrong" where nothing else is said', async () => {
    expect((await errorFromResponse(reply(500, ''))).message).toBe('Something went wrong');
    expect(errorWithoutResponse(new TypeError('Failed to fetch')).message).toBe('Something went wrong');
    expect(messageOf('text')).toBe('Something went wrong');
    expect(messageOf(new Error('Known'))).toBe('Known');
  });

  test('tells a time-out from a broken connection', () => {
    expect(errorWithoutResponse(new DOMException('late', 'TimeoutError')).code).toBe('timeout');
    expect(errorWithoutResponse(new TypeError('Failed to fetch')).code).toBe('network');
  });

  test('keeps complaints about fields, and only those', async () => {
    const details = [
      { path: 'contacts.owner.phone', message: 'Please fill out the field' },
      { path: 1 },
      null,
    ];
    const error = await errorFromResponse(reply(400, JSON.stringify({ message: 'Check', details })));
    expect(error.details).toEqual([{ path: 'contacts.owner.phone', message: 'Please fill out the field' }]);
  });

  test('keeps how long to wait, and the request id of the header', async () => {
    const headers = { 'retry-after': '7', 'x-request-id': 'r-9' };
    const error = await errorFromResponse(reply(429, '{"message":"Slow"}', { headers }));
    expect(error.retryAfterSeconds).toBe(7);
    expect(error.requestId).toBe('r-9');
  });

  test('only silence and an overloaded server are worth asking again by itself', () => {
    const retryable = (code: ApiError['code'], status: number) =>
      new ApiError('x', { code, status }).retryable;
    expect(retryable('network', 0)).toBe(true);
    expect(retryable('timeout', 0)).toBe(true);
    expect(retryable('unavailable', 503)).toBe(true);
    expect(retryable('conflict', 409)).toBe(false);
    expect(retryable('internal', 500)).toBe(false);
    expect(retryable('forbidden', 403)).toBe(false);
  });
});
