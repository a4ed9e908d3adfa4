import { expect, test, vi } from 'vitest';
import { setTokenSource } from '../../lib/api-client.ts';
import { customerCountQuery, isMoving } from './api.ts';

test('how many certificates of a customer need somebody is counted over all of them, not over a page', async () => {
  const asked: URL[] = [];
  vi.stubGlobal('fetch', async (address: string) => {
    const url = new URL(address, 'https://portal.test');
    asked.push(url);
    const total = url.searchParams.get('band') === 'attention' ? 4 : 60;
    return Response.json({ data: [], meta: { page: 1, pageSize: 1, total } });
  });
  setTokenSource({ token: async () => 'token', renew: async () => null });
  try {
    const { signal } = new AbortController();
    expect(await customerCountQuery('c').queryFn({ signal })).toEqual({ all: 60, attention: 4 });
    for (const url of asked) {
      expect([url.pathname, url.searchParams.get('pageSize')]).toEqual(['/api/ssl/c', '1']);
    }
  } finally {
    vi.unstubAllGlobals();
    setTokenSource({ token: async () => null, renew: async () => null });
  }
});

test('a certificate is read again while its order or its reissue is under way, and not once it rests', () => {
  const startedAt = '2026-11-22T12:00:00Z';
  const reissue = { orderId: '8', state: 'running', automatic: true, startedAt };
  expect(isMoving({ state: 'awaiting-approval', reissue: null })).toBe(true);
  expect(isMoving({ state: 'completed', reissue })).toBe(true);
  expect(isMoving({ state: 'completed', reissue: null })).toBe(false);
  expect(isMoving(undefined)).toBe(false);
});
