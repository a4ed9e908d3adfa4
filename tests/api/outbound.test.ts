import 'reflect-metadata';
import dgram from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import net, { createServer, type Server } from 'node:net';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/contracts/operations.ts';
import { type Account, cartOf, openAccount, purchase } from '../support/account.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { bodyFor, requestFor, type Subject } from './support/samples.ts';

/**
 * Names and addresses that a person can write anywhere never make the portal connect to them (design: SSRF). Watched
 * are a server that waits to be called, by TCP and by UDP, and every connection and datagram that the portal's process
 * begins. Questions of the system's resolver library are sent past Node: those would be seen by the server that waits.
 */

let portal: Portal;
let account: Account;
let own: Subject;
let trap: Server;
let trapPort = 0;
let trapped = 0;
const begun: string[] = [];
const connect = net.Socket.prototype.connect;
const udpTrap = dgram.createSocket({ type: 'udp6', ipv6Only: false });
const send = dgram.Socket.prototype.send;
const connectUdp = dgram.Socket.prototype.connect;

beforeAll(async () => {
  dgram.Socket.prototype.send = function watched(this: dgram.Socket, ...input: unknown[]) {
    begun.push(datagramTarget(input.slice(1)));
    return Reflect.apply(send, this, input);
  } as typeof send;
  dgram.Socket.prototype.connect = function watched(this: dgram.Socket, ...input: unknown[]) {
    begun.push(datagramTarget(input));
    return Reflect.apply(connectUdp, this, input);
  } as typeof connectUdp;
  net.Socket.prototype.connect = function watched(this: net.Socket, ...input: unknown[]) {
    begun.push(targetOf(input));
    return Reflect.apply(connect, this, input) as net.Socket;
  } as typeof connect;
  trap = createServer((socket) => {
    trapped += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => trap.listen(0, '::', resolve));
  const place = trap.address();
  trapPort = typeof place === 'object' && place ? place.port : 0;
  udpTrap.on('message', () => {
    trapped += 1;
  });
  await new Promise<void>((resolve) => udpTrap.bind(trapPort, '::', resolve));
  portal = await startPortal();
  await portal.app.listen({ host: '127.0.0.1', port: Number(portal.stack.settings.PORT) });
  account = await openAccount(portal.stack, 100_000_00);
  const domain = 'zq-outbound-sample.com';
  const cart = await cartOf(portal.stack, account, [domain]);
  const bought = await purchase(portal.stack, account, cart, 'outbound-key');
  expect(bought.status).toBe(200);
  own = { id: account.customerId, domain, text: 'sample' };
});
afterAll(async () => {
  net.Socket.prototype.connect = connect;
  dgram.Socket.prototype.send = send;
  dgram.Socket.prototype.connect = connectUdp;
  udpTrap.close();
  trap.close();
  await portal[Symbol.asyncDispose]();
});

/** `host:port`, from whichever form `connect` was called in. */
function targetOf(input: unknown[]): string {
  const [first, second] = Array.isArray(input[0]) ? (input[0] as unknown[]) : input;
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = first as { host?: string; port?: number; path?: string };
    return path ?? `${host ?? 'localhost'}:${port}`;
  }
  return `${typeof second === 'string' ? second : 'localhost'}:${String(first)}`;
}

/** `[offset, length,] [port] [, address]`; a connected socket names neither. */
function datagramTarget(input: unknown[]): string {
  const numbers = input.filter((one) => typeof one === 'number');
  const address = input.find((one) => typeof one === 'string');
  return `udp ${address ?? 'localhost'}:${numbers.at(-1)}`;
}

/** Where the portal may go: what its settings name. */
function allowed(): Set<string> {
  const { settings } = portal.stack;
  const named = [
    'DATABASE_URL',
    'DATABASE_SYSTEM_URL',
    'REGISTRAR_URL',
    'STRIPE_API_BASE',
    'OIDC_ISSUER',
    'SMTP_URL',
    'PROBE_PROXY',
    'RDAP_BOOTSTRAP_URL',
    'PUBLIC_URL',
  ];
  const hosts = named.map((name) => new URL(settings[name] ?? '').host);
  // Names are asked for at the configured resolver. The last are the tests' own control of the sandbox.
  return new Set([
    `udp ${settings.DNS_SERVERS}`,
    // Other people's zones, whole.
    settings.DNS_ZONE_SERVERS ?? '',
    ...hosts,
    ...hosts.map((host) => host.replace('127.0.0.1', 'localhost')),
  ]);
}

function lures(): string[] {
  return [
    `http://127.0.0.1:${trapPort}/a.png`,
    `http://[::1]:${trapPort}/`,
    'http://169.254.169.254/latest/meta-data/',
    `localhost:${trapPort}`,
    '127.0.0.1',
    // A name may lead anywhere, and later elsewhere.
    'ns1.rebinding-zq.com',
    'a@localhost',
  ];
}

/** Where texts stand in a body. */
function textsIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    textsIn(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function withText(value: unknown, [key, ...rest]: readonly (string | number)[], text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value)) return value.map((part, at) => (at === key ? withText(part, rest, text) : part));
  const record = value as Record<string, unknown>;
  return { ...record, [key]: withText(record[key], rest, text) };
}

/** Nothing went anywhere but where the settings say. */
function expectNothing(since: number): void {
  const known = allowed();
  expect(begun.slice(since).filter((target) => !known.has(target))).toEqual([]);
  expect(trapped).toBe(0);
}

interface Reply {
  status: number;
  body: { data: { pricePerYear: number; productType: string }[] & { signedUrl: string; keyName: string } };
}
const call = (method: string, path: string, body?: unknown) =>
  portal.stack.call<Reply['body']>(account.token, method, path, body);

async function requestFile(name: string, ...further: x509.JsonGeneralName[]): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }, ...further])],
  });
  return request.toString('pem');
}

async function buyCertificate(csr: string, key: string) {
  const prices = await call('GET', 'ssl/prices');
  const price = prices.body.data.find(({ productType }) => productType === 'rapidssl')?.pricePerYear ?? 0;
  const line = {
    ...{
      domain: own.domain,
      provider: 'RapidSSL',
      productType: 'rapidssl',
      handle: 'process',
      regType: 'new',
    },
    ...{ dvAuthMethod: 'File', customerId: account.customerId, period: 1, csr },
  };
  return purchase(portal.stack, account, { domains: [], certificates: [line], price }, key);
}

test('nameservers, their addresses, records, signing requests and pictures lead nowhere either', async () => {
  const since = begun.length;
  const zone = `${own.domain}/zone`;
  const records = [
    { type: 'A', subdomain: '', action: 'add', ip_address: '127.0.0.1' },
    { type: 'A', subdomain: 'meta', action: 'add', ip_address: '169.254.169.254' },
    { type: 'CNAME', subdomain: 'www', action: 'add', hostname: 'localhost.rebinding-zq.com' },
    { type: 'TXT', subdomain: '', action: 'add', text: `http://127.0.0.1:${trapPort}/` },
  ];
  expect(await call('PUT', zone, { records })).toMatchObject({ status: 200 });
  const host = { name: `ns1.${own.domain}`, ipaddress: '127.0.0.1', ipv6: '::1' };
  const glue = await call('POST', `${own.domain}/nameserver`, host);
  const outer = await call('POST', `${own.domain}/nameserver`, { name: host.name, ipaddress: '9.9.9.9' });
  const nameservers = [host.name, 'localhost.rebinding-zq.com'];
  const delegated = await call('POST', `${own.domain}/nameserver/update_nameservers`, { nameservers });
  const back = await call('POST', `${zone}/force_dns_nameservers`, {});
  const lured = await requestFile(
    own.domain,
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
    { type: 'url', value: `http://127.0.0.1:${trapPort}/` },
  );
  const read = await call('POST', 'ssl/parsecsr', { csr: lured });
  const refused = await buyCertificate(lured, 'outbound-refused');
  // Its proof is a file on the domain's own server, which is for the authority to fetch.
  const bought = await buyCertificate(await requestFile(own.domain), 'outbound-certificate');
  const picture = await call('GET', 'user/upload-logo-url/logo.png');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><image href="http://127.0.0.1:${trapPort}/"/></svg>`;
  await portal.app.inject({
    ...{ method: 'PUT', url: new URL(picture.body.data.signedUrl).pathname },
    ...{ headers: { 'content-type': 'image/png' }, payload: svg },
  });
  const logo = await call('POST', 'user/upload-logo-finish', { key: picture.body.data.keyName });
  const statuses = [glue, outer, delegated, back, read, refused, bought, logo].map(({ status }) => status);
  // Glue at an inner address is refused: nobody would reach that nameserver. The registry delegates to known hosts only.
  expect(statuses).toEqual([400, 200, 200, 200, 200, 400, 200, 422]);
  // What runs later looks at all of it once more.
  for (const feature of Object.values(portal.features)) {
    const tasks =
      'tasks' in feature
        ? Object.values(feature.tasks as Record<string, (input: unknown) => Promise<void>>)
        : [];
    // Some want to be told of what; they say so at once.
    for (const task of tasks)
      await Promise.resolve()
        .then(() => task({}))
        .catch(() => undefined);
  }
  expect(begun.length).toBeGreaterThan(since);
  expectNothing(since);
});

test('an address in any text of any operation is never connected to', async () => {
  const since = begun.length;
  let asked = 0;
  let taken = 0;
  for (const operation of operations.filter(
    ({ access }) => access !== 'operator' && access !== 'bootstrap',
  )) {
    const body = operation.method === 'GET' ? undefined : bodyFor(operation, own);
    const request = requestFor(operation, own, account.token);
    for (const path of textsIn(body)) {
      for (const lure of lures()) {
        const { status } = await portal.call({
          ...request,
          payload: JSON.stringify(withText(body, path, lure)),
        });
        asked += 1;
        if (status === 200) taken += 1;
      }
    }
    for (const lure of operation.params ? lures().slice(0, 3) : []) {
      await portal.call(requestFor(operation, { id: lure, domain: lure, text: lure }, account.token));
      asked += 1;
    }
  }
  expect(asked).toBeGreaterThan(1_000);
  // Some of them are taken: customers and organisations may be called anything.
  expect(taken).toBeGreaterThan(20);
  expectNothing(since);
});

test('a call to the server that waits would have been seen, twice, by TCP and by UDP', async () => {
  const since = begun.length;
  await expect(fetch(`http://127.0.0.1:${trapPort}/`)).rejects.toThrow();
  expect([trapped, begun.slice(since)]).toEqual([1, [`127.0.0.1:${trapPort}`]]);
  const socket = dgram.createSocket('udp4');
  const arrived = new Promise((resolve) => udpTrap.once('message', resolve));
  socket.send(Buffer.from('x'), 0, 1, trapPort, '127.0.0.1');
  await arrived;
  socket.close();
  // One that is not bound yet binds itself and sends once more.
  expect([trapped, new Set(begun.slice(since + 1))]).toEqual([2, new Set([`udp 127.0.0.1:${trapPort}`])]);
  // A question past Node's own sockets reaches the server that waits.
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${trapPort}`]);
  const asked = new Promise((resolve) => udpTrap.once('message', resolve));
  const failed = expect(resolver.resolve4('ns1.rebinding-zq.com')).rejects.toThrow();
  await asked;
  resolver.cancel();
  await failed;
  expect(trapped).toBe(3);
});
