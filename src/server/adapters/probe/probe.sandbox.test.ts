import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InternetPart, startInternet } from '../../../sandbox/internet/index.ts';
import { openStore } from '../../../sandbox/store.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Probe } from '../../ports/probe.ts';
import { createProbe, readAuthorities } from './index.ts';

/** The adapter and the stand-ins were written apart; here they meet on the wire. */

const dir = mkdtempSync(join(tmpdir(), 'probe-'));
const store = openStore(dir);
let internet: InternetPart;
let probe: Probe;
beforeAll(async () => {
  const authorityFile = join(dir, 'authority.pem');
  internet = await startInternet({ store, authorityFile, host: '127.0.0.1', port: 0 });
  const policy = 'version: STSv1\n';
  await internet.control.hosts?.({
    hosts: [
      {
        address: '192.0.2.1',
        web: { files: { 'a.example/policy.txt': policy } },
        mail: {},
        dns: { serial: 9 },
      },
      {
        address: '192.0.2.2',
        web: { https: { names: ['b.example'] }, status: 503 },
        mail: { startTls: false },
      },
      { address: '192.0.2.3', web: { https: { issuer: 'self' } }, dns: { lame: true } },
      { address: '192.0.2.4', web: { https: { days: [-30, -1], serial: '00ab' } } },
      { address: '192.0.2.5', web: { https: null } },
    ],
  });
  const authorities = readAuthorities(authorityFile);
  probe = createProbe({ proxy: internet.url, authorities, name: 'portal.example' });
});
afterAll(async () => {
  await internet.close();
  store.close();
  rmSync(dir, { recursive: true });
});

const website = async (address: string) => {
  const seen = await probe.website('a.example', address);
  if (seen === 'refused') throw new Error('nothing listens');
  return seen;
};

test('a website shows its certificate, and how its page is answered', async () => {
  const { certificate, status } = await website('192.0.2.1');
  expect([certificate.names, certificate.trouble, status]).toEqual([['a.example'], null, 200]);
  expect(certificate.validTo.getTime() - certificate.validFrom.getTime()).toBe(90 * 86_400_000);
  expect((await website('192.0.2.2')).status).toBe(503);
});

test('what is wrong with a certificate has its name', async () => {
  const troubles = await Promise.all(['192.0.2.2', '192.0.2.3', '192.0.2.4'].map(website));
  expect(troubles.map(({ certificate }) => certificate.trouble)).toEqual([
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
  ]);
  expect(troubles[2]?.certificate.serial).toBe('ab');
  // Without that authority nobody vouches for it.
  const stranger = createProbe({ proxy: internet.url, authorities: [], name: 'portal.example' });
  const seen = await stranger.website('a.example', '192.0.2.1');
  expect(seen === 'refused' || seen.certificate.trouble).toBe('SELF_SIGNED_CERT_IN_CHAIN');
});

test('a file is read only from a server that a browser would accept', async () => {
  const file = (address: string, path = '/policy.txt') => probe.file('a.example', address, path);
  expect(await file('192.0.2.1')).toEqual({ status: 200, text: 'version: STSv1\n' });
  expect(await file('192.0.2.1', '/other')).toMatchObject({ status: 404 });
  expect([await file('192.0.2.3'), await file('192.0.2.5')]).toEqual(['untrusted', 'refused']);
});

test('a mail server says whether it offers encryption, and a nameserver whether it answers for a zone', async () => {
  expect(await probe.mailServer('192.0.2.1')).toEqual({ startTls: true });
  expect(await probe.mailServer('192.0.2.2')).toEqual({ startTls: false });
  expect(await probe.nameserver('a.example', '192.0.2.1')).toEqual({ authoritative: true, serial: 9 });
  expect(await probe.nameserver('a.example', '192.0.2.3')).toEqual({ authoritative: false, serial: null });
});

test('a greeting that comes along with the answer of the proxy is read', async () => {
  const greeting = 'HTTP/1.1 200 OK\r\n\r\n220 mx.example ESMTP\r\n';
  const proxy = createServer((socket) => {
    socket.once('data', () => {
      socket.write(greeting);
      socket
        .on('data', () => socket.write('250-mx.example\r\n250 STARTTLS\r\n'))
        .on('error', () => undefined);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const place = proxy.address();
  const url = `http://127.0.0.1:${typeof place === 'object' && place ? place.port : 0}`;
  const through = createProbe({ proxy: url, authorities: [], name: 'portal.example', timeoutMs: 120_000 });
  expect(await through.mailServer('192.0.2.1')).toEqual({ startTls: true });
  proxy.close();
});

test('nothing that listens is an answer, silence is none', async () => {
  expect(await probe.website('a.example', '192.0.2.5')).toBe('refused');
  expect(await probe.plainWebsite('a.example', '192.0.2.5')).toEqual({ status: 200 });
  expect(await probe.mailServer('192.0.2.5')).toBe('refused');
  await expect(probe.website('a.example', '192.0.2.99')).rejects.toBeInstanceOf(UpstreamUnavailable);
});

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '169.254.169.254',
  '192.168.0.1',
  '100.64.0.1',
  '0.0.0.0',
  '::1',
  'fd00::1',
  'fe80::1',
  '::ffff:127.0.0.1',
])('no connection is ever begun to %s', async (address) => {
  const before = await internet.control.load?.(null);
  for (const look of [
    () => probe.website('a.example', address),
    () => probe.plainWebsite('a.example', address),
    () => probe.file('a.example', address, '/'),
    () => probe.mailServer(address),
    () => probe.nameserver('a.example', address),
  ]) {
    await expect(look()).rejects.toThrow('inner network');
  }
  expect(await internet.control.load?.(null)).toEqual(before);
});

test('without a proxy the connection goes to the address itself; what never ends, says too much or nothing is left', async () => {
  const directly = (timeoutMs: number) =>
    createProbe({
      ...{ proxy: null, authorities: [], name: 'portal.example', timeoutMs },
      mayConnect: () => true,
    });
  const direct = directly(300);
  const held: Socket[] = [];
  const serve = (act: (socket: Socket) => void) =>
    new Promise<Server | null>((resolve) => {
      const server = createServer((socket) => {
        held.push(socket.on('error', () => undefined));
        act(socket);
      });
      server.once('error', () => resolve(null));
      server.listen(25, '127.0.0.7', () => resolve(server));
    });
  expect(await directly(120_000).mailServer('127.0.0.8')).toBe('refused');
  for (const act of [
    () => undefined,
    (socket: Socket) => void socket.write('220'.repeat(20_000)),
    (socket: Socket) => void socket.end(),
  ]) {
    const server = await serve(act);
    // Only some users may listen on that port; for the others the address is refused above.
    if (server === null) return;
    await expect(direct.mailServer('127.0.0.7')).rejects.toBeInstanceOf(UpstreamUnavailable);
    for (const socket of held) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});
