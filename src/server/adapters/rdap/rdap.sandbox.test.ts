import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SandboxPart } from '../../../sandbox/part.ts';
import { startRdap } from '../../../sandbox/rdap/index.ts';
import { startRegistrar } from '../../../sandbox/registrar/index.ts';
import { openStore } from '../../../sandbox/store.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { createRdap } from './index.ts';

/** The adapter and the stand-in were written apart; here they meet on the wire. */

const dir = mkdtempSync(join(tmpdir(), 'rdap-'));
const store = openStore(dir);
let registry: SandboxPart;
let registrar: SandboxPart;
beforeAll(async () => {
  // It knows which names others hold.
  const account = { username: 'reseller', key: 'a-key-of-this-test' };
  registrar = await startRegistrar({ store, host: '127.0.0.1', port: 0, ...account });
  registry = await startRdap({ store, host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await Promise.all([registry.close(), registrar.close()]);
  store.close();
  rmSync(dir, { recursive: true });
});

test('a registered name has its registrar, dates, nameservers and statuses; one that nobody has is null', async () => {
  await registry.control.registrations?.({
    registrations: [
      {
        ...{ domain: 'a.com', registrar: 'Some Registrar', expiresAt: '2027-03-01T00:00:00Z' },
        ...{ nameservers: ['NS2.host.net', 'ns1.host.net'], statuses: ['Client Hold'] },
      },
    ],
  });
  const rdap = createRdap({ bootstrapUrl: `${registry.url}/dns.json` });
  expect(await rdap.registration('a.com')).toEqual({
    ...{ name: 'a.com', registrar: 'Some Registrar', registeredAt: new Date('2020-01-01T00:00:00Z') },
    ...{ expiresAt: new Date('2027-03-01T00:00:00Z'), nameservers: ['ns1.host.net', 'ns2.host.net'] },
    statuses: ['client hold'],
  });
  expect(await rdap.registration('nobody-has-this.com')).toBeNull();
  // From the registrar's own world.
  expect(await rdap.registration('elsewhere-one.com')).toMatchObject({ name: 'elsewhere-one.com' });
  await expect(rdap.registration('a.unknown-suffix')).rejects.toBeInstanceOf(UpstreamUnavailable);
});

async function serve(answers: (path: string) => { status: number; body: string }): Promise<[Server, string]> {
  const server = createServer((request, response) => {
    const { status, body } = answers(request.url ?? '');
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
}
const listOf = (url: string) => JSON.stringify({ services: [[['com'], [url]]] });

test.each<[string, { status: number; body: string }]>([
  ['a failure', { status: 500, body: '' }],
  ['a redirect', { status: 302, body: '' }],
  ['a busy server', { status: 429, body: '' }],
  ['no JSON', { status: 200, body: '<html>' }],
  ['something else', { status: 200, body: '{"objectClassName":"entity"}' }],
  ['another name', { status: 200, body: '{"objectClassName":"domain","ldhName":"b.com"}' }],
])('%s is no answer', async (_what, answer) => {
  const [server, url] = await serve((path) =>
    path === '/dns.json' ? { status: 200, body: listOf(`${url}/`) } : answer,
  );
  const rdap = createRdap({ bootstrapUrl: `${url}/dns.json` });
  await expect(rdap.registration('a.com')).rejects.toBeInstanceOf(UpstreamUnavailable);
  server.close();
});

test('of what a registry says only what can be is taken', async () => {
  const body = {
    ...{ objectClassName: 'domain', ldhName: 'A.com.', status: ['Active'] },
    events: [
      { eventAction: 'registration', eventDate: '-200000-01-01T00:00:00Z' },
      { eventAction: 'expiration', eventDate: 'soon' },
    ],
    nameservers: [{ ldhName: 'NS1.host.net.' }, { ldhName: 'ns\u0000.host.net' }, {}],
    entities: [
      { roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'Some\u0000 Registrar\ud800']]] },
    ],
  };
  const [server, url] = await serve((path) => ({
    ...{ status: 200, body: path === '/dns.json' ? listOf(`${url}/`) : JSON.stringify(body) },
  }));
  const rdap = createRdap({ bootstrapUrl: `${url}/dns.json` });
  expect(await rdap.registration('a.com')).toEqual({
    ...{ name: 'a.com', registrar: 'Some  Registrar\ufffd', registeredAt: null, expiresAt: null },
    ...{ nameservers: ['ns1.host.net'], statuses: ['active'] },
  });
  server.close();
});

test('the list is read once, and a server without HTTPS is asked only where the list itself is', async () => {
  let lists = 0;
  const [server, url] = await serve(() => {
    lists += 1;
    return { status: 200, body: listOf('http://127.0.0.1:1/') };
  });
  const rdap = createRdap({ bootstrapUrl: `${url}/dns.json` });
  for (let n = 0; n < 2; n += 1) await expect(rdap.registration('a.com')).rejects.toThrow('has no server');
  expect(lists).toBe(1);
  server.close();
});
