import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readSettings, type Sandbox, startSandbox } from './main.ts';
import { portalClient } from './sandbox.ts';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sandbox-main-'));
});

afterAll(() => rm(dir, { recursive: true }));

describe('in this process', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox({ dir: join(dir, 'inside'), portalUrl: 'http://127.0.0.1:4300' });
  });

  afterAll(() => sandbox.close());

  const post = (path: string, body: string, type = 'application/json') =>
    fetch(`${sandbox.panelUrl}${path}`, { method: 'POST', body, headers: { 'content-type': type } });

  it('all parts are up, each at an address of its own', async () => {
    expect(Object.keys(sandbox.urls).sort()).toEqual([
      'authority',
      'dns',
      'identity',
      'internet',
      'panel',
      'payments',
      'rdap',
      'registrar',
      'smtp',
    ]);
    expect(new Set(Object.values(sandbox.urls)).size).toBe(9);
    const metadata = await fetch(`${sandbox.urls.identity}/.well-known/openid-configuration`);
    expect(await metadata.json()).toMatchObject({ issuer: sandbox.urls.identity });
    expect(await (await fetch(`${sandbox.panelUrl}/health`)).json()).toEqual({ ok: true });
  });

  it('the panel shows what every part holds, and runs no script', async () => {
    await sandbox.control('identity', 'users/add', { email: 'ada@example.org' });
    const response = await fetch(sandbox.panelUrl);
    const page = await response.text();
    for (const name of Object.keys(sandbox.parts)) expect(page).toContain(`<h2 id="${name}">`);
    expect(page).toContain('ada@example.org');
    expect(page).not.toContain('<script');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('docs/sandbox.md names every route of the control plane', async () => {
    const paper = readFileSync(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');
    const routes = (await (await fetch(`${sandbox.panelUrl}/control`)).json()) as Record<string, string[]>;
    const named = (route: string) =>
      paper.includes(`| \`${route}\``) ||
      paper.includes(`, \`${route}\``) ||
      paper.includes(`: \`${route}\``);
    const unnamed = Object.entries(routes).flatMap(([part, names]) =>
      names
        .filter((name) => !named(name.replace(/^certificates\//, '')))
        .map((name) => `/control/${part}/${name}`),
    );
    // The two without a row: the table of certificate orders, and the clock's own line.
    expect(unnamed).toEqual(['/control/registrar/certificates', '/control/clock/advance']);
  });

  it('a mail can be read on the panel, its markup in a frame that may do nothing', async () => {
    await createTransport(sandbox.urls.smtp).sendMail({
      from: 'portal@msp.example',
      to: 'bob@example.org',
      subject: '<b>Hi</b>',
      text: 'Open https://portal.example/x',
      html: '<script>alert(1)</script>"',
    });
    const page = await (await fetch(sandbox.panelUrl)).text();
    const link = /href="(\/mail\/\d+)">&lt;b&gt;Hi/.exec(page)?.[1] ?? '';
    const message = await (await fetch(`${sandbox.panelUrl}${link}`)).text();
    expect(message).toContain('href="https://portal.example/x"');
    expect(message).toContain('<iframe sandbox title');
    expect(message).not.toContain('<script');
  });

  it('the control plane answers JSON; what it does not know is a 404, what is wrong a 400 that says so', async () => {
    const good = await post('/control/mail/messages', '{"to":"nobody@example.org"}');
    expect([good.status, await good.json()]).toEqual([200, []]);
    expect((await post('/control/mail/nothing', '{}')).status).toBe(404);
    expect((await post('/control/nobody/messages', '{}')).status).toBe(404);
    const wrong = await post('/control/identity/users/add', '{"email":"x"}');
    expect([wrong.status, JSON.stringify(await wrong.json())]).toEqual([
      400,
      expect.stringContaining('email'),
    ]);
    expect((await post('/control/mail/messages', '{')).status).toBe(400);
  });

  it('a page of another site cannot reach the control plane', async () => {
    expect((await post('/control/identity/reset', '{}', 'text/plain')).status).toBe(415);
    const renamed = await new Promise<number>((resolve, reject) => {
      import('node:http').then(({ request }) => {
        const asked = request(sandbox.panelUrl, { headers: { host: 'evil.example' } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        asked.on('error', reject).end();
      }, reject);
    });
    expect(renamed).toBe(421);
  });

  it('the clock can be read, and moved forward only', async () => {
    const read = async () =>
      ((await (await fetch(`${sandbox.panelUrl}/control/clock`)).json()) as { ms: number }).ms;
    const before = await read();
    await post('/control/clock/advance', '{"ms":86400000}');
    expect((await read()) - before).toBeGreaterThanOrEqual(86_400_000);
    expect((await post('/control/clock/advance', '{"ms":-1}')).status).toBe(400);
  });

  it('a taken port fails the start and leaves nothing running', async () => {
    const port = Number(new URL(sandbox.urls.payments).port);
    const other = { dir: join(dir, 'other'), portalUrl: 'http://127.0.0.1:4300' };
    await expect(startSandbox({ ...other, ports: { payments: port } })).rejects.toThrow('EADDRINUSE');
    const again = await startSandbox(other);
    await again.close();
  });
});

describe('settings', () => {
  it('a port that is none is named', () => {
    expect(() => readSettings({ SANDBOX_PORTS_DNS: '70000' })).toThrow(z.ZodError);
    expect(readSettings({ SANDBOX_PORTS_DNS: '' }).options.ports?.dns).toBe(4306);
  });

  it('the portal on this machine is known by both of its names', () => {
    const client = portalClient('nameward', 'http://localhost:4300');
    expect(client.origins).toEqual(['http://localhost:4300', 'http://127.0.0.1:4300']);
    expect(client.redirect_uris).toContain('http://127.0.0.1:4300/auth/callback');
    expect(portalClient('nameward', 'https://portal.example/').origins).toEqual(['https://portal.example']);
  });
});
