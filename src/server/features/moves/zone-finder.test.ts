import { describe, expect, test } from 'vitest';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { SeenRecord, ZoneSource } from '../../ports/zone-source.ts';
import { createZoneFinder } from './zone-finder.ts';

const a = (name: string, ip_address = '203.0.113.7'): SeenRecord => ({
  name,
  type: 'A',
  fields: { ip_address },
});
const txt = (name: string, text: string): SeenRecord => ({ name, type: 'TXT', fields: { text } });

/** No resolver has to be spared here. */
const unhurried = { parallel: 16, perSecond: 1_000_000 };

/** A zone that answers as DNS does; `wild`: what names without records are answered with. */
function zone(records: readonly SeenRecord[], { wild = [] as readonly SeenRecord[], whole = false } = {}) {
  const silent = new Map<string, number>();
  const asked: string[] = [];
  const source: ZoneSource = {
    ask: async (name, type) => {
      asked.push(`${type} ${name}`);
      const left = silent.get(name) ?? 0;
      if (left > 0) {
        silent.set(name, left - 1);
        throw new UpstreamUnavailable('nobody answers');
      }
      const own = records.filter((record) => record.name === name);
      const there = own.length > 0 || records.some((record) => record.name.endsWith(`.${name}`));
      const all = there ? own : wild.map((record) => ({ ...record, name }));
      return {
        exists: there || wild.length > 0,
        records: all.filter((record) => record.type === type || record.type === 'CNAME'),
      };
    },
    askServers: async () => ({ exists: false, records: [] }),
    transfer: async () => (whole ? [...records] : null),
  };
  return {
    source,
    asked,
    silent,
    find: () => createZoneFinder(source, unhurried)('acme.com', ['ns1.old.net']),
  };
}
const names = (found: { records: { type: string; subdomain: string }[] }) =>
  found.records.map(({ type, subdomain }) => `${type} ${subdomain}`).sort();

describe('a zone of others', () => {
  test('is taken whole where its servers give it away, without its delegation, signatures and doubles', async () => {
    const { find, asked } = zone(
      [
        a('acme.com'),
        a('acme.com'),
        a('odd-name.acme.com'),
        { name: 'acme.com', type: 'NS', fields: { data: 'ns1.old.net' } },
        { name: 'acme.com', type: 'RRSIG', fields: { data: '' } },
      ],
      { whole: true },
    );
    const found = await find();
    expect(found).toMatchObject({ how: 'whole', leftOut: [] });
    expect(names(found)).toEqual(['A ', 'A odd-name']);
    expect(asked).toEqual([]);
  });

  test('is read by the usual names, by what templates write, and by where its own records lead', async () => {
    const found = await zone([
      a('acme.com'),
      a('www.acme.com'),
      { name: 'acme.com', type: 'MX', fields: { hostname: 'in.acme.com', priority: 5 } },
      a('in.acme.com'),
      txt('acme.com', 'v=spf1 a:relay.acme.com -all'),
      a('relay.acme.com'),
      txt('_dmarc.acme.com', 'v=DMARC1; p=none'),
      {
        name: 'fm1._domainkey.acme.com',
        type: 'CNAME',
        fields: { hostname: 'fm1.acme.com.dkim.fmhosted.com' },
      },
      {
        name: '_sip._tls.acme.com',
        type: 'SRV',
        fields: { priority: 1, weight: 2, port: 443, hostname: 'sip.acme.com' },
      },
      a('sip.acme.com'),
    ]).find();
    expect(found.how).toBe('usual');
    expect(names(found)).toEqual(
      [
        'A ',
        'A in',
        'A relay',
        'A sip',
        'A www',
        'CNAME fm1._domainkey',
        'MX ',
        'SRV _sip._tls',
        'TXT ',
        'TXT _dmarc',
      ].sort(),
    );
  });

  test('with a wildcard has the wildcard once, and beside it only names that say something else', async () => {
    const found = await zone([a('acme.com'), a('mail.acme.com', '203.0.113.9')], { wild: [a('*')] }).find();
    expect(names(found)).toEqual(['A ', 'A *', 'A mail']);
  });

  test('names what our zones cannot hold', async () => {
    const found = await zone([
      { name: 'acme.com', type: 'CAA', fields: { data: '0 issue "letsencrypt.org"' } },
      { name: 'dev.acme.com', type: 'NS', fields: { data: 'ns1.dev.net' } },
    ]).find();
    expect(found.records).toEqual([]);
    expect(found.leftOut).toEqual([
      {
        ...{ name: 'acme.com', type: 'CAA', data: '0 issue "letsencrypt.org"' },
        reason: 'The managed DNS has no records of the type CAA.',
      },
      {
        ...{ name: 'dev.acme.com', type: 'NS', data: 'ns1.dev.net' },
        reason: 'The managed DNS has no records of the type NS.',
      },
    ]);
  });

  test('a question that is answered at the second try is answered; one that stays open leaves the zone unknown', async () => {
    const once = zone([a('acme.com'), a('www.acme.com')]);
    once.silent.set('www.acme.com', 1);
    expect(names(await once.find())).toEqual(['A ', 'A www']);
    const never = zone([a('acme.com'), a('www.acme.com')]);
    never.silent.set('www.acme.com', 2);
    await expect(never.find()).rejects.toThrow(UpstreamUnavailable);
  });

  test('a name that is not there costs one question', async () => {
    const { find, asked } = zone([a('acme.com')]);
    await find();
    expect(asked.filter((question) => question.endsWith(' www.acme.com'))).toEqual(['A www.acme.com']);
  });
});

describe('what would clash in a zone of ours is left out before anything is ordered, and nothing else', () => {
  const mx = (hostname: string, priority: number): SeenRecord => ({
    ...{ name: 'acme.com', type: 'MX', fields: { hostname, priority } },
  });
  const alias = (name: string, hostname: string): SeenRecord => ({
    name,
    type: 'CNAME',
    fields: { hostname },
  });
  const read = async (...records: SeenRecord[]) => {
    const found = await zone(records, { whole: true }).find();
    return [names(found), found.leftOut.map(({ name, type, data }) => `${name} ${type} ${data}`)];
  };

  test('a mail record that points to an alias goes, and the host stays', async () => {
    const records = [mx('mail.acme.com', 5), alias('mail.acme.com', 'mx.host.net'), a('www.acme.com')];
    const { leftOut } = await zone(records, { whole: true }).find();
    expect(leftOut[0]?.reason).toContain('is an alias (CNAME)');
    expect(await read(...records)).toEqual([['A www', 'CNAME mail'], ['acme.com MX 5 mail.acme.com']]);
  });

  test('what stands beside an alias goes, and the alias stays', async () => {
    expect(await read(alias('www.acme.com', 'shop.host.net'), txt('www.acme.com', 'hello'))).toEqual([
      ['CNAME www'],
      ['www.acme.com TXT hello'],
    ]);
  });

  test('a record that says there is no mail goes, and the mail servers stay', async () => {
    expect(await read(mx('.', 0), mx('mx.host.net', 5), mx('mx2.host.net', 10))).toEqual([
      ['MX ', 'MX '],
      ['acme.com MX 0 .'],
    ]);
  });

  test('of two aliases nobody knows the right one', async () => {
    const two = [alias('www.acme.com', 'a.host.net'), alias('www.acme.com', 'b.host.net')];
    expect(await read(...two, a('acme.com'))).toEqual([
      ['A '],
      ['www.acme.com CNAME a.host.net', 'www.acme.com CNAME b.host.net'],
    ]);
  });

  test('a name that our zones cannot have goes without anything else', async () => {
    const odd = 'acme.com.acme.com';
    expect(await read(alias(odd, 'a.host.net'), mx(odd, 5))).toEqual([['MX '], [`${odd} CNAME a.host.net`]]);
  });
});

test('what cannot be printed is shown as a blank, and a long text by its beginning', async () => {
  const odd = txt('acme.com', `a\u0000b\u202e${'x'.repeat(5_000)}`);
  const { leftOut } = await zone([odd, a('odd\u0000.acme.com')], { whole: true }).find();
  expect(leftOut.map(({ name, data }) => [name, data])).toEqual([
    ['acme.com', `a b ${'x'.repeat(496)}`],
    ['odd .acme.com', '203.0.113.7'],
  ]);
});

test('names that are known already are asked for too', async () => {
  const { source } = zone([a('a-name-nobody-guesses.acme.com')]);
  const find = createZoneFinder(source, unhurried);
  expect(names(await find('acme.com', ['ns1.old.net']))).toEqual([]);
  expect(names(await find('acme.com', ['ns1.old.net'], ['a-name-nobody-guesses']))).toEqual([
    'A a-name-nobody-guesses',
  ]);
});

test('what a record speaks of is asked for only where it can be a name', async () => {
  const long = 'x'.repeat(64);
  const { find, asked } = zone([
    txt('acme.com', `v=spf1 a:..acme.com mx:${long}.acme.com a:good.acme.com -all`),
  ]);
  await find();
  expect(asked).toContain('A good.acme.com');
  expect(asked.filter((question) => question.includes('..') || question.includes(long))).toEqual([]);
});
