import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { as, startApp } from './app-under-test.ts';

const webDir = mkdtempSync(join(tmpdir(), 'nameward-web-'));
writeFileSync(join(webDir, 'index.html'), '<!doctype html><title>page</title>');
const elsewhere = 'https://elsewhere.example';

/** A factor on the limits by which an address has one request, and the next half a minute later. */
const oneAtOnce = 1 / 600;
let app: FastifyInstance;
beforeEach(async () => {
  app = await startApp({ webDir, rateLimits: oneAtOnce, corsOrigins: [elsewhere] });
});
afterEach(() => app.close());
afterAll(() => rmSync(webDir, { recursive: true }));

/** Ways to write `/api/thing` and its like: what the router takes for the same, and what it does not. */
const spellings = [
  '/api/thing',
  '/%61pi/thing',
  '/ap%69/thing',
  '/%61%70%69/thing',
  '/%41pi/thing',
  '/api/%74hing',
  '/api%2Fthing',
  '/%2Fapi/thing',
  '//api/thing',
  '/api//thing',
  '/./api/thing',
  '/x/../api/thing',
  '/x/%2e%2e/api/thing',
  '/api/./thing',
  '/API/thing',
  '/api;a=b/thing',
  '/api/thing;a=b',
  '/api/thing?a=b',
  '/api/thing%3Fa',
  '/api/thing%23a',
  '/api/thing%00',
  '/api\\thing',
  '/api%5Cthing',
  '/api/%zz',
  '/%75ploads/none',
  '/%6detrics',
];

const send = (url: string, options: Partial<InjectOptions> = {}) =>
  app.inject({ url, remoteAddress: '192.0.2.1', ...options });

describe('however an address is spelled', () => {
  test.each(spellings)('%s counts for the limit of its sender', async (url) => {
    await send('/api/thing');
    const reply = await send(url);
    expect([reply.statusCode, reply.json().code]).toEqual([429, 'rate_limited']);
  });

  test.each(spellings)('%s gives the API’s data to no cache', async (url) => {
    const reply = await app.inject(as('MSP_OWNER', 'GET', url));
    const isPage = reply.headers['content-type'] === 'text/html; charset=utf-8';
    expect(reply.headers['cache-control']).toBe(isPage ? 'no-cache' : 'no-store');
    if (isPage) expect(reply.body).toContain('<title>page</title>');
    // Seen by a proxy that decodes addresses: data must have come by one of the API's own routes.
    const data = String(reply.headers['content-type']).startsWith('application/json');
    if (reply.statusCode === 200 && data) expect(reply.json()).toEqual({ data: [{ name: 'a' }] });
  });

  test.each(['/api/thing', '/%61pi/thing'])(
    'data reached by %s is shared with the listed origins and nobody else',
    async (url) => {
      const asked = as('MSP_OWNER', 'GET', url);
      const allowed = await app.inject({
        ...asked,
        remoteAddress: '192.0.2.8',
        headers: { ...asked.headers, origin: elsewhere },
      });
      expect(allowed.headers['access-control-allow-origin']).toBe(elsewhere);
      const other = {
        ...asked,
        remoteAddress: '192.0.2.9',
        headers: { ...asked.headers, origin: 'https://other.example' },
      };
      expect((await app.inject(other)).headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});

test('files of the web app, the provider’s events and questions about health are never limited', async () => {
  await send('/api/thing');
  expect((await send('/api/thing')).statusCode).toBe(429);
  for (const url of ['/', '/index.html', '/healthz', '/readyz'])
    expect((await send(url)).statusCode).toBe(200);
  const event = { method: 'POST' as const, payload: 'x', headers: { 'content-type': 'text/plain' } };
  expect((await send('/api/webhooks/things', event)).statusCode).toBe(200);
  expect((await send('/%61pi/webhooks/things', event)).statusCode).toBe(200);
});
