import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { adapted, anyPort, documented, programOf, runProgram } from '../../../tests/support/documented.ts';
import { startApp } from './app-under-test.ts';

/** The portal's edge behind nginx, as docs/operations.md sets it up. */
const nginx = programOf('nginx');

interface Site extends AsyncDisposable {
  httpPort: number;
  ask(options: {
    method?: string;
    path: string;
    headers?: Record<string, string>;
    body?: string;
  }): Promise<{ status: number; text: string; headers: Record<string, unknown> }>;
  /** The addresses that the portal took for the callers'. */
  seen: string[];
}

async function startSite(): Promise<Site> {
  const dir = await mkdtemp(join(tmpdir(), 'nameward-proxy-'));
  await chmod(dir, 0o777);
  const [port, httpPort] = [await anyPort(), await anyPort()];
  const seen: Site['seen'] = [];
  const app = await startApp({ trustedProxies: ['127.0.0.1'], loadActor: async () => null });
  app.addHook('onRequest', async ({ ip, url }) => {
    if (url.startsWith('/api/')) seen.push(ip);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  const behind = typeof address === 'object' && address ? address.port : 0;
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=portal.example'],
    ...['-keyout', join(dir, 'portal.key'), '-out', join(dir, 'portal.pem')],
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  await chmod(join(dir, 'portal.key'), 0o644);
  await mkdir(join(dir, 'temp'), { mode: 0o777 });
  await chmod(join(dir, 'temp'), 0o777);
  const site = adapted(documented('nginx.conf'), {
    'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
    'listen 80;': `listen 127.0.0.1:${httpPort};`,
    '/etc/ssl/portal.pem': join(dir, 'portal.pem'),
    '/etc/ssl/portal.key': join(dir, 'portal.key'),
    'http://127.0.0.1:4300': `http://127.0.0.1:${behind}`,
  });
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(dir, 'temp', kind)};`,
  );
  await writeFile(
    join(dir, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${join(dir, 'temp', 'pid')}; error_log stderr;
     events { worker_connections 64; }
     http { access_log off; ${places.join(' ')}\n${site}\n}`,
  );
  const running = await runProgram(nginx ?? '', ['-c', join(dir, 'nginx.conf'), '-p', dir], httpPort);
  return {
    httpPort,
    seen,
    ask: ({ method = 'GET', path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const asked = request(
          {
            ...{ host: '127.0.0.1', port, method, path, headers: { host: 'portal.example', ...headers } },
            rejectUnauthorized: false,
          },
          (reply) => {
            let text = '';
            reply.on('data', (chunk) => (text += String(chunk)));
            reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text, headers: reply.headers }));
          },
        );
        asked.on('error', reject);
        asked.end(body);
      }),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await app.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

describe.skipIf(nginx === null)('behind nginx, as the documentation sets it up', () => {
  test('over TLS the portal answers; what a visitor claims to be their address is not believed', async () => {
    await using site = await startSite();
    const reply = await site.ask({
      path: '/api/thing',
      headers: { authorization: 'Bearer MSP_ADMIN', 'x-forwarded-for': '203.0.113.9' },
    });
    expect(reply.status).toBe(403);
    expect(reply.headers['strict-transport-security']).toMatch(/max-age=\d{8}/);
    expect(site.seen).toEqual(['127.0.0.1']);
    // This machine alone reads figures without a key: not everybody whom the proxy lets in.
    expect((await site.ask({ path: '/metrics' })).status).toBe(401);
    const plain = await fetch(`http://127.0.0.1:${site.httpPort}/cart`, {
      redirect: 'manual',
      headers: { host: 'portal.example' },
    });
    expect(plain.status).toBe(301);
    expect(plain.headers.get('location')).toMatch(/^https:\/\/[^/]+\/cart$/);
  });

  test('a body as large as a customer file may be reaches the portal; a larger one ends at the proxy with 413', async () => {
    await using site = await startSite();
    const post = (bytes: number) =>
      site.ask({
        ...{ method: 'POST', path: '/api/thing', body: JSON.stringify({ name: 'x'.repeat(bytes) }) },
        headers: { authorization: 'Bearer MSP_ADMIN', 'content-type': 'application/json' },
      });
    // The caller has no profile. That is the portal's own answer.
    const own = await post(5_000_000);
    expect([own.status, own.text]).toEqual([403, expect.stringContaining('"no_profile"')]);
    const nearest = await post(7_000_000);
    expect([nearest.status, nearest.text]).toEqual([413, expect.stringContaining('nginx')]);
  });

  test('it waits longer than a purchase takes, and sends nothing twice', () => {
    const text = documented('nginx.conf');
    expect(Number(/proxy_read_timeout (\d+)s/.exec(text)?.[1])).toBeGreaterThan(55);
    expect(text).toContain('proxy_next_upstream off;');
  });
});
