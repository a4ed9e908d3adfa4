import { createSocket } from 'node:dgram';
import { decode, encode, type Packet } from 'dns-packet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Resolver } from '../../ports/resolver.ts';
import { createDns } from './index.ts';

type Answers = NonNullable<Packet['answers']>;
const zone: Record<string, Answers> = {
  'NS example.com': [
    { type: 'NS', name: 'example.com', data: 'NS2.Example.net' },
    { type: 'NS', name: 'example.com', data: 'ns1.example.net' },
  ],
  'TXT example.com': [{ type: 'TXT', name: 'example.com', data: ['one ', 'text'] }],
  'CNAME www.example.com': [{ type: 'CNAME', name: 'www.example.com', data: 'example.com' }],
  'MX example.com': [
    { type: 'MX', name: 'example.com', data: { preference: 20, exchange: 'B.example.net' } },
    { type: 'MX', name: 'example.com', data: { preference: 10, exchange: 'a.example.net' } },
  ],
  'MX none.example': [{ type: 'MX', name: 'none.example', data: { preference: 0, exchange: '.' } }],
  'CAA example.com': [
    { type: 'CAA', name: 'example.com', data: { flags: 0, tag: 'issue', value: 'ca.example; policy=ev' } },
    { type: 'CAA', name: 'example.com', data: { flags: 0, tag: 'issuewild', value: ';' } },
  ],
  'A example.com': [{ type: 'A', name: 'example.com', data: '192.0.2.1' }],
  'AAAA example.com': [{ type: 'AAAA', name: 'example.com', data: '2001:db8::1' }],
};
/** Response codes (RFC 1035 4.1.1). */
const codes: Record<string, number> = { 'nothing.example': 3, 'broken.example': 2, 'refused.example': 5 };

const server = createSocket('udp4');
let resolver: Resolver;
beforeAll(async () => {
  server.on('message', (bytes, from) => {
    const query = decode(bytes);
    const [question] = query.questions ?? [];
    if (!question) return;
    const answers = zone[`${question.type} ${question.name}`] ?? [];
    const flags = 0x0180 | (codes[question.name] ?? 0);
    const reply = encode({ type: 'response', id: query.id ?? 0, flags, questions: [question], answers });
    server.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  resolver = createDns({ servers: [`127.0.0.1:${server.address().port}`] });
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

test('asks the configured server, and gives its answers in the port’s form', async () => {
  expect(await resolver.nameservers('example.com')).toEqual(['ns1.example.net', 'ns2.example.net']);
  expect(await resolver.txt('example.com')).toEqual(['one text']);
  expect(await resolver.cname('www.example.com')).toEqual(['example.com']);
  expect(await resolver.addresses('example.com')).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(await resolver.mx('example.com')).toEqual([
    { host: 'a.example.net', priority: 10 },
    { host: 'b.example.net', priority: 20 },
  ]);
  expect(await resolver.caa('example.com')).toEqual([
    { tag: 'issue', value: 'ca.example; policy=ev' },
    { tag: 'issuewild', value: ';' },
  ]);
  expect(await resolver.mx('none.example')).toEqual([{ host: '', priority: 0 }]);
});

test('no such name and no such record are empty answers', async () => {
  expect(await resolver.nameservers('nothing.example')).toEqual([]);
  expect(await resolver.txt('www.example.com')).toEqual([]);
});

test('a server that fails or refuses has given no answer', async () => {
  for (const name of ['broken.example', 'refused.example']) {
    await expect(resolver.nameservers(name)).rejects.toBeInstanceOf(UpstreamUnavailable);
  }
});
