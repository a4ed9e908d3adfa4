import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import * as packet from 'dns-packet';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxPart } from '../part.ts';
import { type Fields, newOrder, openStand, type Stand } from '../registrar/test-client.ts';
import { startDns } from './index.ts';

let stand: Stand;
let dns: SandboxPart;
let resolver: Resolver;
let port: number;
beforeAll(async () => {
  stand = await openStand();
  dns = await startDns({ store: stand.store, host: '127.0.0.1', port: 0 });
  port = Number(new URL(dns.url).port);
  resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
});
afterAll(async () => {
  await dns.close();
  await stand.close();
});

const domain = 'dig-me.com';
const send = (action: string, attributes: Fields, object = 'DOMAIN') =>
  stand.send(action, object, attributes);
const setZone = (records: Fields) => send('SET_DNS_ZONE', { domain, records });

beforeEach(async () => {
  await stand.control('reset');
  await send('SW_REGISTER', newOrder(domain));
  await send('CREATE_DNS_ZONE', { domain });
});

function udp(message: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', reject);
    socket.once('message', (reply) => {
      socket.close();
      resolve(reply);
    });
    socket.send(message, port, '127.0.0.1');
  });
}

function tcp(messages: Buffer[]): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const replies: Buffer[] = [];
    let held = Buffer.alloc(0);
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      held = Buffer.concat([held, chunk]);
      while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
        const end = 2 + held.readUInt16BE(0);
        replies.push(held.subarray(2, end));
        held = held.subarray(end);
      }
      if (replies.length === messages.length) {
        socket.destroy();
        resolve(replies);
      }
    });
    for (const message of messages) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      socket.write(Buffer.concat([length, message]));
    }
  });
}

const question = (name: string, type: packet.RecordType, more: Partial<packet.Packet> = {}) =>
  packet.encode({ type: 'query', id: 7, flags: 256, questions: [{ name, type }], ...more });
const ask = async (name: string, type: packet.RecordType) => packet.decode(await udp(question(name, type)));
const rcode = (reply: Buffer) => reply.readUInt16BE(2) & 0xf;

describe('zones on the registrar hosts', () => {
  it('a name that was just registered answers NS, also before it has a zone', async () => {
    await send('SW_REGISTER', newOrder('just-now.com'));
    expect((await resolver.resolveNs('just-now.com')).sort()).toEqual([
      'ns1.systemdns.com',
      'ns2.systemdns.com',
      'ns3.systemdns.com',
    ]);
  });

  it('every record type is served as it was set', async () => {
    await setZone({
      A: [{ subdomain: '', ip_address: '192.0.2.5' }],
      AAAA: [{ subdomain: '', ipv6_address: '2001:0db8:0:0::5' }],
      CNAME: [{ subdomain: 'www', hostname: 'dig-me.com' }],
      MX: [{ subdomain: '', hostname: 'mx.dig-me.com', priority: '10' }],
      TXT: [{ subdomain: '', text: 'v=spf1 -all' }],
      SRV: [{ subdomain: '_sip._tcp', hostname: 'sip.dig-me.com', port: '5060', priority: '1', weight: '2' }],
    });
    expect(await resolver.resolve4(domain, { ttl: true })).toEqual([{ address: '192.0.2.5', ttl: 3600 }]);
    expect(await resolver.resolve6(domain)).toEqual(['2001:db8::5']);
    expect(await resolver.resolveMx(domain)).toMatchObject([{ exchange: 'mx.dig-me.com', priority: 10 }]);
    expect(await resolver.resolveTxt(domain)).toEqual([['v=spf1 -all']]);
    expect(await resolver.resolveSrv('_sip._tcp.dig-me.com')).toMatchObject([
      { name: 'sip.dig-me.com', port: 5060, priority: 1, weight: 2 },
    ]);
    expect(await resolver.resolveSoa(domain)).toMatchObject({ nsname: 'ns1.systemdns.com', minttl: 3600 });
    expect((await ask('WWW.dig-me.com', 'A')).answers?.map((answer) => answer.type)).toEqual(['CNAME', 'A']);
  });

  it('an alias into another zone of ours is followed, one outside is not, and a loop ends', async () => {
    await send('SW_REGISTER', newOrder('other-one.com'));
    await send('CREATE_DNS_ZONE', {
      domain: 'other-one.com',
      records: { A: [{ subdomain: 'x', ip_address: '192.0.2.8' }] },
    });
    await setZone({
      CNAME: [
        { subdomain: 'a', hostname: 'x.other-one.com' },
        { subdomain: 'b', hostname: 'cdn.vendor.net' },
        { subdomain: 'loop', hostname: 'loop2.dig-me.com' },
        { subdomain: 'loop2', hostname: 'loop.dig-me.com' },
      ],
    });
    expect(await resolver.resolve4('a.dig-me.com')).toEqual(['192.0.2.8']);
    expect((await ask('b.dig-me.com', 'A')).answers).toMatchObject([
      { type: 'CNAME', data: 'cdn.vendor.net' },
    ]);
    expect((await ask('loop.dig-me.com', 'A')).answers?.length).toBeLessThan(20);
  });

  it('a name without the type is NODATA, a name that is not there NXDOMAIN, both with the SOA', async () => {
    await setZone({ A: [{ subdomain: 'a.b', ip_address: '192.0.2.5' }] });
    for (const [name, code] of [
      ['a.b.dig-me.com', 0],
      ['b.dig-me.com', 0],
      ['c.dig-me.com', 3],
    ] as const) {
      const reply = await udp(question(name, 'MX'));
      expect(rcode(reply)).toBe(code);
      expect(packet.decode(reply)).toMatchObject({
        answers: [],
        authorities: [{ type: 'SOA', name: domain }],
      });
    }
  });

  it('a wildcard answers what does not exist, and nothing that does', async () => {
    await setZone({
      A: [
        { subdomain: '*', ip_address: '192.0.2.1' },
        { subdomain: 'there', ip_address: '192.0.2.2' },
      ],
      TXT: [{ subdomain: 'text.deep', text: 'x' }],
    });
    expect(await resolver.resolve4('any.thing.dig-me.com')).toEqual(['192.0.2.1']);
    expect(await resolver.resolve4('there.dig-me.com')).toEqual(['192.0.2.2']);
    expect((await ask('deep.dig-me.com', 'A')).answers).toEqual([]);
    expect(rcode(await udp(question('other.deep.dig-me.com', 'A')))).toBe(3);
  });

  it('each change of the zone raises its serial', async () => {
    const serial = async () => (await resolver.resolveSoa(domain)).serial;
    const before = await serial();
    await setZone({});
    await setZone({});
    expect(await serial()).toBeGreaterThan(before + 1);
  });

  it('long TXT is split, cut off over UDP with TC, and whole over TCP', async () => {
    const text = 'x'.repeat(700);
    await setZone({ TXT: [{ subdomain: '', text }] });
    const cut = packet.decode(await udp(question(domain, 'TXT')));
    expect(cut).toMatchObject({ flag_tc: true, answers: [] });
    const opt: packet.OptAnswer = {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 4096,
      extendedRcode: 0,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    };
    expect(packet.decode(await udp(question(domain, 'TXT', { additionals: [opt] }))).flag_tc).toBe(false);
    const replies = await tcp([question(domain, 'TXT'), question(domain, 'NS')]);
    expect(packet.decode(replies[0] ?? Buffer.alloc(0)).answers).toMatchObject([{ type: 'TXT' }]);
    expect(replies).toHaveLength(2);
    expect((await resolver.resolveTxt(domain))[0]?.map((part) => part.length)).toEqual([255, 255, 190]);
  });
});

describe('delegations', () => {
  it('own nameservers are answered as the parent does, with glue beside', async () => {
    for (const [name, ipaddress] of [
      ['ns1.dig-me.com', '192.0.2.1'],
      ['ns2.dig-me.com', '192.0.2.2'],
    ] as const) {
      await send('CREATE', { domain, name, ipaddress }, 'NAMESERVER');
    }
    await send('ADVANCED_UPDATE_NAMESERVERS', {
      domain,
      op_type: 'assign',
      assign_ns: ['ns1.dig-me.com', 'ns2.dig-me.com'],
    });
    expect((await resolver.resolveNs(domain)).sort()).toEqual(['ns1.dig-me.com', 'ns2.dig-me.com']);
    expect(await resolver.resolve4('ns1.dig-me.com')).toEqual(['192.0.2.1']);
    const referral = await ask('www.dig-me.com', 'A');
    expect(referral).toMatchObject({ flag_aa: false, answers: [] });
    expect(referral.authorities).toHaveLength(2);
    expect(referral.additionals).toMatchObject([{ data: '192.0.2.1' }, { data: '192.0.2.2' }]);
  });

  it('names elsewhere answer their nameservers, names of nobody NXDOMAIN', async () => {
    expect(await resolver.resolveNs('google.com')).toEqual(['ns1.google.com', 'ns2.google.com']);
    expect(await resolver.resolve4('smtp.google.com')).toEqual(['203.0.113.25']);
    await expect(resolver.resolve4('nobody-has-this.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(await resolver.resolve4('ns1.systemdns.com')).toEqual(['127.0.0.1']);
  });

  it('an expired name stops to resolve and comes back with its renewal', async () => {
    const year = (await stand.state()).domains[0]?.expiresAt.slice(0, 4) ?? '';
    stand.store.advance(366 * 86_400_000);
    await expect(resolver.resolveNs(domain)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await send('RENEW', { domain, period: '1', currentexpirationyear: year, handle: 'process' });
    expect(await resolver.resolveNs(domain)).toHaveLength(3);
  });
});

describe('messages', () => {
  it('nonsense, transfers, other classes and operations are refused as such', async () => {
    const bad = Buffer.from(question(domain, 'A'));
    bad.writeUInt16BE(2, 4);
    expect(rcode(await udp(bad))).toBe(1);
    expect(rcode((await tcp([question(domain, 'AXFR')]))[0] ?? Buffer.alloc(4))).toBe(5);
    const update = Buffer.from(question(domain, 'A'));
    update.writeUInt16BE(5 << 11, 2);
    expect(rcode(await udp(update))).toBe(4);
    const chaos = packet.encode({
      type: 'query',
      id: 1,
      questions: [{ name: domain, type: 'A', class: 'CH' }],
    });
    expect(rcode(await udp(chaos))).toBe(5);
  });

  it('can be made to fail, and to work again', async () => {
    await dns.control.mode?.({ mode: 'servfail' });
    await expect(resolver.resolveNs(domain)).rejects.toMatchObject({ code: 'ESERVFAIL' });
    await dns.control.reset?.(null);
    expect(await resolver.resolveNs(domain)).toHaveLength(3);
  });
});
