import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sortedRecords } from '#contracts/values/dns-records.ts';
import { slices } from '#kernel/give-way.ts';
import { recordOf, zonesOf } from '../../../../tests/support/zones.ts';
import { toZoneFile as write } from './zone-file.ts';
import { readZoneFile } from './zone-file-reader.ts';

const domain = 'example.com';
const toZoneFile = (name: string, records: Parameters<typeof write>[1]) =>
  write(name, records, ['ns1.example.net']);
const read = async (text: string) => {
  const { records, leftOut } = await readZoneFile(domain, text);
  return {
    records: records.map(({ record }) => record),
    leftOut: leftOut.map(({ line, reason }) => `${line}: ${reason}`),
  };
};

describe('an exported zone', () => {
  test('is read again unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(zonesOf(domain), async (zone) => {
        const file = await toZoneFile(domain, zone);
        const again = await read(file);
        expect(again.records).toEqual(sortedRecords(zone));
        expect(again.leftOut.filter((reason) => !/SOA|Set the domain.s nameservers/.test(reason))).toEqual(
          [],
        );
        expect(await toZoneFile(domain, again.records)).toBe(file);
      }),
      { numRuns: 200 },
    );
  });

  test('is the same to the byte whatever the order of its records', async () => {
    await fc.assert(
      fc.asyncProperty(zonesOf(domain), async (zone) => {
        expect(await toZoneFile(domain, [...zone].reverse())).toBe(await toZoneFile(domain, zone));
      }),
    );
  });

  test('is written record by record, so that others are served meanwhile', async () => {
    const records = Array.from({ length: 50 }, (_, n) =>
      recordOf({ type: 'TXT', subdomain: `h${n}`, text: 'x' }),
    );
    let steps = 0;
    await write(domain, records, [], () => {
      steps += 1;
      return undefined;
    });
    expect(steps).toBe(50);
  });

  test('ends each host name with a dot, and says "no such service" by the dot alone', async () => {
    const text = await toZoneFile(domain, [
      { type: 'MX', subdomain: '', hostname: '.', priority: 0 },
      { type: 'SRV', subdomain: '_sip._tcp', hostname: '.', priority: 0, weight: 0, port: 0 },
      { type: 'CNAME', subdomain: 'www', hostname: 'host.example.net' },
    ]);
    for (const line of ['@ IN MX 0 .', '_sip._tcp IN SRV 0 0 0 .', 'www IN CNAME host.example.net.']) {
      expect(text.split('\n')).toContain(line);
    }
  });

  test('names what breaks the rules in a comment, so that the rest can be read', async () => {
    const file = await toZoneFile(domain, [
      { type: 'A', subdomain: 'two words', ip_address: '192.0.2.1' },
      recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.2' }),
    ]);
    expect(file).toContain('; not valid: two words IN A 192.0.2.1');
    expect((await read(file)).records).toHaveLength(1);
  });
});

const wild = `; exported from somewhere
$TTL 1h30m
$ORIGIN example.com.
@\t86400\tIN\tSOA\tns1.old.example. hostmaster ( 2026010101 ; serial
\t7200 3600
\t1209600 300 )
\t\tIN NS\tns1.old.example.
        IN MX 10 mail
@ IN 300 TXT "v=spf1 include:_spf.example.net -all" ; the mail's
www 3600 CNAME @
mail IN A 192.0.2.10
     AAAA 2001:DB8::0010
key._domainkey TXT ( "v=DKIM1; k=rsa; "
    "p=MIGf\\"MA\\\\0G\\195\\169" )
$ORIGIN sub.example.com.
host A 192.0.2.11
_sip._tcp SRV 1 2 5060 host
@ CAA 0 issue "ca.example"
deep NS ns1.old.example.
other.example.net. A 192.0.2.12
bad A 192.0.2.300
worse A
$INCLUDE other.zone
$GENERATE 1-9 h$ A 192.0.2.$
x CH TXT "chaos"
host A 192.0.2.11
quote TXT "not closed
null MX 0 .
alias CNAME .
odd BOGUS"x" 1
( unclosed A 192.0.2.1
`;

describe('a zone file from the wild', () => {
  test('gives its records, with names made whole and strings put together', async () => {
    expect((await read(wild)).records).toEqual([
      { type: 'MX', subdomain: '', hostname: 'mail.example.com', priority: 10 },
      { type: 'TXT', subdomain: '', text: 'v=spf1 include:_spf.example.net -all' },
      { type: 'CNAME', subdomain: 'www', hostname: 'example.com' },
      { type: 'A', subdomain: 'mail', ip_address: '192.0.2.10' },
      { type: 'AAAA', subdomain: 'mail', ipv6_address: '2001:db8::10' },
      { type: 'TXT', subdomain: 'key._domainkey', text: 'v=DKIM1; k=rsa; p=MIGf"MA\\0Gé' },
      { type: 'A', subdomain: 'host.sub', ip_address: '192.0.2.11' },
      {
        ...{ type: 'SRV', subdomain: '_sip._tcp.sub', hostname: 'host.sub.example.com' },
        priority: 1,
        weight: 2,
        port: 5060,
      },
      { type: 'MX', subdomain: 'null.sub', hostname: '.', priority: 0 },
    ]);
  });

  test('gives names as other programs write them: GoDaddy’s, escaped, in letters of any language', async () => {
    const file = [
      '_sip._tls.@ 3600 IN SRV 100 1 443 sipdir.online.lync.com.',
      '\\042.shop A 192.0.2.1',
      '\\_dmarc TXT "v=DMARC1; p=none"',
      'bücher A 192.0.2.2',
      'b\\195\\188cher2 CNAME bücher',
      '_gone._tcp SRV 0 0 0 .',
      'a\\.b A 192.0.2.3',
    ];
    const { records, leftOut } = await readZoneFile(domain, file.join('\n'));
    expect(records.map(({ record }) => record.subdomain)).toEqual([
      ...['_sip._tls', '*.shop', '_dmarc', 'xn--bcher-kva', 'xn--bcher2-3ya', '_gone._tcp'],
    ]);
    expect(records.map(({ note }) => /xn--/.test(note ?? ''))).toEqual([
      ...[false, false, false, true, true, false],
    ]);
    expect(records[4]?.record).toMatchObject({ hostname: 'xn--bcher-kva.example.com' });
    expect(leftOut).toMatchObject([{ line: 7 }]);
  });

  test('gives a reason for every line that is left out', async () => {
    expect((await read(wild)).leftOut).toEqual([
      '4: The registrar keeps the SOA record itself',
      '7: Set the domain’s nameservers on the Info tab',
      '18: CAA records are not supported by the registrar',
      '19: A subdomain cannot be delegated here',
      '20: other.example.net is not part of example.com',
      '21: Please enter an IPv4 address, such as 192.0.2.1',
      '22: A record of type A takes 1 value',
      '23: Other files cannot be included. Please import them one by one',
      '24: Generated records ($GENERATE) are not supported. Please write them out',
      '25: Only records of class IN are supported',
      '26: The file contains this record twice',
      '27: A quotation mark is not closed',
      '29: An alias cannot point to the root (a single dot)',
      '30: BOGUS records are not supported by the registrar',
      '31: An opening parenthesis has no closing parenthesis',
    ]);
  });

  test('says where a time to live becomes another', async () => {
    const { records } = await readZoneFile(domain, wild);
    expect(records.map(({ note }) => note?.match(/\d+/)?.[0] ?? null)).toEqual([
      ...['5400', '300', null, '5400', '5400', '5400', '5400', '5400', '5400'],
    ]);
  });

  test('is read as far as a zone goes, and told about as far as anybody reads', async () => {
    const lines = Array.from({ length: 15_000 }, (_unused, index) => `h${index} CNAME a.example.net.`);
    const { records, leftOut } = await readZoneFile(domain, [...lines, `${'a '.repeat(300_000)}`].join('\n'));
    expect(records).toHaveLength(10_000);
    expect(leftOut).toHaveLength(2_001);
    expect(leftOut.at(-1)?.reason).toBe('3001 more lines are left out');
  });

  /** An ambiguous pattern took twice as long with each further digit: forty were days. */
  test('is not held up by a row of digits that is no time', async () => {
    const digits = (digit: string) => `${digit.repeat(60_000)}x`;
    expect((await read(`$TTL ${digits('0')}`)).leftOut).toEqual(['1: $TTL needs a time, such as 3600 or 1h']);
    for (const time of [digits('1'), `${'1h'.repeat(30_000)}x`, `${'1h'.repeat(30_000)}!`, '2147483648']) {
      const [reason = ''] = (await read(`a ${time} A 192.0.2.1`)).leftOut;
      expect(reason).toMatch(/^1: (1|2)\w{9,79}…? is not a record type$/i);
    }
    const { records } = await readZoneFile(domain, 'a 596523h14m7s A 192.0.2.1');
    expect(records[0]?.note).toMatch(/from 2147483647 /);
  });

  test('is read in slices: a long one keeps nobody waiting', async () => {
    const hosts = Array.from({ length: 15_000 }, (_unused, index) => `h${index} A 192.0.2.1`);
    const files = { hosts, comments: hosts.map(() => '; nothing'), empty: hosts.map(() => ' ') };
    for (const [what, lines] of Object.entries(files)) {
      // A line takes a millisecond by this clock; waiting tasks get a turn after each twentieth line.
      let nowMs = 0;
      let turns = 0;
      const others = () => {
        turns += 1;
        next = setImmediate(others);
      };
      let next = setImmediate(others);
      await readZoneFile(
        domain,
        lines.join('\n'),
        slices(() => (nowMs += 1)),
      );
      clearImmediate(next);
      expect(turns, what).toBeGreaterThan(700);
    }
  });

  test('has lines of a length that a record can have', async () => {
    const words = 'a '.repeat(100_000);
    const { leftOut, records } = await read(`${words}\n(${'a\n'.repeat(2_000)})\nwww A 192.0.2.1`);
    expect(leftOut[0]).toBe('1: This line is too long');
    expect(leftOut[1]).toBe('2: This line is too long');
    expect(records).toHaveLength(1);
  });

  test('never brings the reader down', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary-ascii', maxLength: 200 }), async (text) => {
        await readZoneFile(domain, text);
      }),
      { numRuns: 300 },
    );
  });
});
