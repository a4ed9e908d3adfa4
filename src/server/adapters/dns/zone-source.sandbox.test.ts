import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startDns } from '../../../sandbox/dns/index.ts';
import type { SandboxPart } from '../../../sandbox/part.ts';
import { startRegistrar } from '../../../sandbox/registrar/index.ts';
import { openStore } from '../../../sandbox/store.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { ZoneSource } from '../../ports/zone-source.ts';
import { createZoneSource, serverOf } from './zone-source.ts';

/** The adapter and the stand-in were written apart; here they meet on the wire. */

const dir = mkdtempSync(join(tmpdir(), 'zone-source-'));
const store = openStore(dir);
let dns: SandboxPart;
let registrar: SandboxPart;
let source: ZoneSource;
beforeAll(async () => {
  // It knows which names are registered.
  registrar = await startRegistrar({
    store,
    host: '127.0.0.1',
    port: 0,
    username: 'reseller',
    key: 'a-key-of-this-test',
  });
  dns = await startDns({ store, host: '127.0.0.1', port: 0 });
  const servers = [new URL(dns.url).host];
  source = createZoneSource({ servers, zoneServers: servers, resolver: { addresses: async () => [] } });
});
afterAll(async () => {
  await Promise.all([dns.close(), registrar.close()]);
  store.close();
  rmSync(dir, { recursive: true });
});

const domain = 'elsewhere-one.com';
const long = 'x'.repeat(700);
const records = {
  A: [{ ip_address: '203.0.113.5' }, { subdomain: 'www', ip_address: '203.0.113.6' }],
  AAAA: [{ ipv6_address: '2001:db8::5' }],
  CNAME: [{ subdomain: 'shop', hostname: 'shops.myshopify.com' }],
  MX: [{ hostname: 'mx.elsewhere-one.com', priority: 10 }],
  TXT: [{ text: 'v=spf1 -all' }, { subdomain: 'long', text: long }],
  SRV: [{ subdomain: '_sip._tcp', hostname: 'sip.elsewhere-one.com', port: 5060, priority: 1, weight: 2 }],
  CAA: [{ flags: 0, tag: 'issue', value: 'letsencrypt.org' }],
};
const host = (more: object = {}) => dns.control.zones?.({ zones: [{ domain, records, ...more }] });
beforeEach(() => dns.control.reset?.(null));

test('each type is read in the form of our own zones; what our zones do not have is named', async () => {
  await host({ signed: true });
  const fields = async (name: string, type: Parameters<ZoneSource['ask']>[1]) =>
    (await source.ask(name, type)).records.map((record) => record.fields);
  expect(await fields(domain, 'A')).toEqual([{ ip_address: '203.0.113.5' }]);
  expect(await fields(domain, 'AAAA')).toEqual([{ ipv6_address: '2001:db8::5' }]);
  expect(await fields(domain, 'MX')).toEqual([{ hostname: 'mx.elsewhere-one.com', priority: 10 }]);
  expect(await fields(domain, 'TXT')).toEqual([{ text: 'v=spf1 -all' }]);
  expect(await fields(`_sip._tcp.${domain}`, 'SRV')).toEqual([
    { hostname: 'sip.elsewhere-one.com', priority: 1, weight: 2, port: 5060 },
  ]);
  expect(await fields(domain, 'CAA')).toEqual([{ data: '0 issue "letsencrypt.org"' }]);
  expect(await fields(domain, 'DS')).toEqual([{ data: '20326 8 2' }]);
  // Longer than a datagram.
  expect(await fields(`long.${domain}`, 'TXT')).toEqual([{ text: long }]);
});

test('an alias is shown for every type, and not what it leads to', async () => {
  await host();
  const found = await source.ask(`shop.${domain}`, 'A');
  expect(found).toEqual({
    exists: true,
    records: [{ name: `shop.${domain}`, type: 'CNAME', fields: { hostname: 'shops.myshopify.com' } }],
  });
});

test('a name without the type exists; one that is not there does not', async () => {
  await host();
  expect(await source.ask(`www.${domain}`, 'TXT')).toEqual({ exists: true, records: [] });
  expect(await source.ask(`nothing.${domain}`, 'A')).toEqual({ exists: false, records: [] });
});

test('silence and failures are no answers', async () => {
  await dns.control.mode?.({ mode: 'servfail' });
  await expect(source.ask(domain, 'A')).rejects.toThrow(UpstreamUnavailable);
});

test('a whole zone is read where its servers give it away, and only there', async () => {
  await host();
  expect(await source.transfer(domain, ['ns1.elsewhere-dns.net'])).toBeNull();
  await host({ axfr: true });
  const whole = await source.transfer(domain, ['ns1.elsewhere-dns.net']);
  const count = Object.values(records).flat().length;
  expect(whole?.filter(({ type }) => type !== 'NS')).toHaveLength(count);
  expect(whole).toContainEqual({ name: `long.${domain}`, type: 'TXT', fields: { text: long } });
});

test('servers in inner networks are never asked', async () => {
  await host({ axfr: true });
  const asked = ['10.0.0.1', '127.0.0.1', '192.168.1.1', 'fd00::1'];
  const inner = createZoneSource({
    servers: [],
    zoneServers: [],
    resolver: { addresses: async (name) => [asked[Number(name)] ?? ''] },
  });
  expect(await inner.transfer(domain, ['0', '1', '2', '3'])).toBeNull();
  await expect(inner.askServers(['0'], domain, 'A')).rejects.toThrow('there is no server to ask');
});

test.each([
  ['192.0.2.1', '192.0.2.1', 53],
  ['192.0.2.1:5353', '192.0.2.1', 5353],
  ['2001:db8::1', '2001:db8::1', 53],
  ['[2001:db8::1]:5353', '2001:db8::1', 5353],
])('the server %s is %s, port %d', (text, address, port) => {
  expect(serverOf(text)).toEqual({ address, port });
});
