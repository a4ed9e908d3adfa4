import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import built from '../../../vite.config.ts';
import { portalClient } from '../../sandbox/sandbox.ts';
import { silentCallbackPath } from '../../web/lib/sign-in-paths.ts';
import { as, startApp, thingId } from './app-under-test.ts';
import { policyOf } from './security-headers.ts';

const home = mkdtempSync(join(tmpdir(), 'nameward-web-'));
// Where it is installed is nobody's business, whatever the folders above it are called.
const webDir = join(home, 'auth', 'assets', 'web');
mkdirSync(webDir, { recursive: true });
const script = 'console.info("built")'.repeat(100);
mkdirSync(join(webDir, 'assets'));
mkdirSync(join(webDir, 'auth'));
writeFileSync(join(webDir, silentCallbackPath), '<!doctype html>');
writeFileSync(
  join(webDir, 'index.html'),
  '<!doctype html><style nonce="__CSP_NONCE__"></style><script type="module" src="/assets/app-1.js"></script>',
);
writeFileSync(join(webDir, 'assets', 'app-1.js'), script);
writeFileSync(join(webDir, 'assets', 'app-1.js.br'), brotliCompressSync(script));
writeFileSync(join(webDir, 'favicon.svg'), '<svg/>');
writeFileSync(join(webDir, '.sources'), 'hash');

let app: FastifyInstance;
beforeAll(async () => {
  app = await startApp({ webDir });
});
afterAll(async () => {
  await app.close();
  rmSync(home, { recursive: true });
});

const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(self)',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
};
const ofPages = expect.stringContaining("default-src 'self'; script-src 'self' https://js.stripe.com");
const ofData = "default-src 'none'; frame-ancestors 'none'";

describe('headers', () => {
  test('stand on every reply: pages, files, data, failures of each kind', async () => {
    const requests = [
      '/',
      '/domains/example.com',
      '/assets/app-1.js',
      '/assets/none.js',
      '/healthz',
      '/metrics',
      '/api/docs',
      '/api/docs/page.js',
      '/api/nothing',
      '/api/thing',
      '/api/thing/%zz',
      `/api/thing/look-up/${'a'.repeat(301)}`,
      as('MSP_OWNER', 'GET', '/api/thing'),
      as('MSP_OWNER', 'GET', `/api/thing/${thingId}/file`),
      as('', 'POST', '/api/thing/fail', { how: 'crash' }),
      as('', 'POST', '/api/thing/fail', 'x'.repeat(1_100_000)),
    ];
    for (const request of requests) expect((await app.inject(request)).headers).toMatchObject(always);
  });

  test('a page and a file have the pages’ policy, and data one that lets nothing load', async () => {
    const report = { 'reporting-endpoints': 'csp="/csp-reports"' };
    for (const request of [
      ...['/', '/domains/example.com', '/assets/app-1.js', '/api/docs', '/api/docs/page.js'],
      as('MSP_OWNER', 'GET', `/api/thing/${thingId}/file`),
    ]) {
      const { headers } = await app.inject(request);
      expect(headers).toMatchObject({ ...report, 'content-security-policy': ofPages });
    }
    for (const request of [
      ...[
        '/healthz',
        '/api/nothing',
        '/api/thing',
        '/api/thing/%zz',
        `/api/thing/look-up/${'a'.repeat(301)}`,
      ],
      as('MSP_OWNER', 'GET', '/api/thing'),
      as('', 'POST', '/api/thing/fail', { how: 'crash' }),
    ]) {
      const { headers } = await app.inject(request);
      expect(headers).toMatchObject({ 'content-security-policy': ofData });
      expect(headers).not.toHaveProperty('reporting-endpoints');
    }
  });

  test('nothing of the API is cached', async () => {
    for (const request of [
      as('MSP_OWNER', 'GET', '/api/thing'),
      '/api/thing',
      '/api/nothing',
      '/api/docs/openapi.json',
    ]) {
      expect((await app.inject(request)).headers['cache-control']).toBe('no-store');
    }
  });

  test('HSTS is sent over TLS only', async () => {
    const plain = await startApp({
      origins: { identity: 'http://127.0.0.1:1', payments: [], secure: false },
    });
    expect((await plain.inject('/healthz')).headers['strict-transport-security']).toBeUndefined();
    await plain.close();
  });

  test('the policy lets in the payment provider, the identity provider and ourselves, and no inline script', () => {
    const origins = {
      identity: 'https://id.example/realms/msp',
      payments: ['https://js.stripe.com/dahlia/stripe.js'],
      connect: ['https://bucket.s3.example/x'],
      secure: true,
    };
    expect(policyOf(origins, 'n0nce', false).split('; ')).toEqual([
      "default-src 'self'",
      "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
      "style-src 'self' 'nonce-n0nce'",
      "style-src-attr 'unsafe-inline'",
      "frame-src 'self' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com https://id.example",
      "connect-src 'self' https://js.stripe.com https://api.stripe.com https://id.example https://bucket.s3.example",
      "img-src 'self' data:",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'self' https://id.example",
      'report-uri /csp-reports',
      'report-to csp',
    ]);
    const sandbox = { identity: 'http://127.0.0.1:4303', payments: ['http://127.0.0.1:4302'], secure: false };
    expect(policyOf(sandbox, null, false)).not.toContain('stripe');
    expect(policyOf(sandbox, null, false)).toContain("style-src 'self' 'unsafe-inline'");
  });

  test('only the page of silent sign-in may be framed, and only by ourselves', async () => {
    const ancestors = async (url: string) =>
      /frame-ancestors ([^;]+)/.exec(String((await app.inject(url)).headers['content-security-policy']))?.[1];
    for (const url of [silentCallbackPath, `${silentCallbackPath}?code=1`, '/%61uth/silent-callback.html']) {
      expect(await ancestors(url)).toBe("'self'");
    }
    for (const url of [
      '/',
      '/silent',
      '/auth/silent',
      '/customers/silent',
      '/api/silent',
      '/assets/app-1.js',
    ]) {
      expect(await ancestors(url)).toBe("'none'");
    }
  });

  test('reports of breaches are taken in both forms, and garbage is no failure of ours', async () => {
    const older = {
      'csp-report': { 'document-uri': 'https://p.example/?code=1', 'violated-directive': 'script-src' },
    };
    const newer = [
      { type: 'csp-violation', body: { documentURL: 'https://p.example/', blockedURL: 'inline' } },
    ];
    for (const payload of [older, newer, [], 'x']) {
      const headers = { 'content-type': 'application/reports+json' };
      const reply = await app.inject({
        method: 'POST',
        url: '/csp-reports',
        headers,
        payload: JSON.stringify(payload),
      });
      expect(reply.statusCode).toBe(204);
    }
    expect((await app.inject({ method: 'POST', url: '/csp-reports', payload: '{' })).statusCode).toBe(400);
  });
});

describe('web app', () => {
  test('any page’s address gives the page, never from a cache', async () => {
    for (const url of ['/', '/index.html', '/domains/example.com', '/customers/1?tab=domains', '/x/y.shop']) {
      const reply = await app.inject(url);
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(reply.headers['cache-control']).toBe('no-cache');
    }
    expect((await app.inject({ method: 'HEAD', url: '/domains' })).statusCode).toBe(200);
  });

  test('each page has a nonce of its own, in the page and in its policy', async () => {
    const nonces = await Promise.all(
      ['/', '/'].map(async (url) => {
        const reply = await app.inject(url);
        const nonce = /nonce="([\w-]{22})"/.exec(reply.body)?.[1] ?? 'none';
        expect(reply.headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}'`);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
  });

  test('files with a hash in their name are kept for ever, compressed where the browser can read it', async () => {
    const plain = await app.inject('/assets/app-1.js');
    expect([plain.body, plain.headers['cache-control']]).toEqual([
      script,
      'public, max-age=31536000, immutable',
    ]);
    const small = await app.inject({ url: '/assets/app-1.js', headers: { 'accept-encoding': 'gzip, br' } });
    expect(small.headers['content-encoding']).toBe('br');
    expect(small.headers['content-type']).toMatch(/javascript/);
    expect(small.rawPayload.length).toBeLessThan(script.length);
    const keptFor = async (url: string) => (await app.inject(url)).headers['cache-control'];
    expect(await keptFor('/favicon.svg')).toBe('no-cache');
    // A silent sign-in is one question less for whom it was there yesterday.
    expect(await keptFor(silentCallbackPath)).toBe('public, max-age=86400');
  });

  test('the page of silent sign-in and its script are built under the names by which providers and older pages know them, and kept', async () => {
    const { input, output } = built.build?.rolldownOptions ?? {};
    const { entryFileNames } = output as { entryFileNames: (chunk: { name: string }) => string };
    const pages = Object.entries(input as Record<string, string>);
    const [name = '', page] = pages.find(([, file]) => file.endsWith(silentCallbackPath)) ?? [];
    // Built in the folder in which it lies below the root, beside the first page.
    expect(page).toBe(join(built.root ?? '', silentCallbackPath));
    expect(readFileSync(page ?? '', 'utf8')).toContain('src="/auth/silent-callback.ts"');
    // No hash: this is in pages that were kept since yesterday (decision 296).
    expect(entryFileNames({ name })).toBe('auth/silent-callback.js');
    writeFileSync(join(webDir, entryFileNames({ name })), script);
    const later = await startApp({ webDir });
    for (const url of [silentCallbackPath, `/${entryFileNames({ name })}`]) {
      const { statusCode, headers } = await later.inject(url);
      expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=86400']);
    }
    await later.close();
    expect(portalClient('portal', 'https://portal.test').redirect_uris).toContain(
      `https://portal.test${silentCallbackPath}`,
    );
  });

  test('a missing file is 404 and not the page; nothing outside the folder or hidden in it is served', async () => {
    for (const url of [
      '/assets/app-0.js',
      '/x.js',
      '/.sources',
      '/assets/../../package.json',
      '/%2e%2e/package.json',
      '/assets',
    ]) {
      const reply = await app.inject(url);
      expect(reply.body).not.toMatch(/hash|nameward"/);
      if (url.endsWith('.js') || url === '/assets') expect(reply.statusCode).toBe(404);
    }
    expect((await app.inject({ method: 'POST', url: '/domains' })).statusCode).toBe(404);
  });

  test('without a build the API works all the same', async () => {
    const bare = await startApp();
    expect((await bare.inject('/')).statusCode).toBe(404);
    expect((await bare.inject('/healthz')).statusCode).toBe(200);
    await bare.close();
  });
});
