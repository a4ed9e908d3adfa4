import { describe, expect, test } from 'vitest';
import {
  type DnsRecord,
  namedRecord,
  readRecord,
  recordData,
  recordKey,
  shortIpv6,
  sortedRecords,
  textParts,
} from './dns-records.ts';

const complaintsOf = (given: Record<string, unknown>) => {
  const read = readRecord(given);
  return read.ok ? [] : read.problems.map(({ field, message }) => `${field}: ${message}`);
};

function named(given: Record<string, unknown>): DnsRecord {
  const read = namedRecord(given);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.record;
}

const srv = { type: 'SRV', subdomain: '_sip._tcp', priority: 1, weight: 2, hostname: 'sip.example.com' };

/** A name of so many characters, each part as long as it may be. */
const longest = (length: number) => `${'a'.repeat(63)}.`.repeat(4).slice(0, length);

describe('a record', () => {
  test.each([
    [
      { type: 'A', subdomain: '@', ip_address: ' 192.0.2.1 ' },
      { subdomain: '', ip_address: '192.0.2.1' },
    ],
    [{ type: 'A', subdomain: '*.Shop', ip_address: '192.0.2.1' }, { subdomain: '*.shop' }],
    [{ type: 'AAAA', ipv6_address: '2001:DB8:0:0:0:0:0:1' }, { ipv6_address: '2001:db8::1' }],
    [{ type: 'CNAME', subdomain: 'www', hostname: 'Sites.Example.NET.' }, { hostname: 'sites.example.net' }],
    [{ type: 'MX', hostname: 'mx.example.com', priority: '10' }, { priority: 10 }],
    [{ type: 'MX', hostname: '.', priority: 0 }, { hostname: '.' }],
    [
      { type: 'SRV', subdomain: '_sip._tcp', hostname: '.', priority: 0, weight: 0, port: 0 },
      { hostname: '.' },
    ],
    [
      { type: 'SRV', subdomain: '_sip._tcp', hostname: '.', priority: 10, weight: 0, port: 0 },
      { priority: 10 },
    ],
    [{ type: 'A', subdomain: ' www ', ip_address: '192.0.2.1' }, { subdomain: 'www' }],
    [{ type: 'A', subdomain: longest(250), ip_address: '192.0.2.1' }, { subdomain: longest(250) }],
    [{ type: 'CNAME', subdomain: 'w', hostname: longest(253) }, { hostname: longest(253) }],
    [{ type: 'A', subdomain: 'www.', ip_address: '192.0.2.1' }, { subdomain: 'www' }],
    [{ type: 'A', subdomain: 'Bücher', ip_address: '192.0.2.1' }, { subdomain: 'xn--bcher-kva' }],
    [
      { type: 'CNAME', subdomain: 'shop', hostname: 'https://Bücher.example/shop' },
      { hostname: 'xn--bcher-kva.example' },
    ],
    [{ type: 'TXT', text: ' kept ; "as" typed\\ ' }, { text: ' kept ; "as" typed\\ ' }],
    [
      {
        ...{ type: 'SRV', subdomain: '_sip._tcp', hostname: 'sip.example.com' },
        ...{ priority: '1', weight: 2, port: '5060' },
      },
      { priority: 1, weight: 2, port: 5060 },
    ],
  ])('is read into its normal form: %j', (given, expected) => {
    expect(readRecord(given)).toMatchObject({ ok: true, record: expected });
  });

  test.each([
    [{}, 'type: You must select a type'],
    [{ type: 'CAA' }, 'type: You must select a type'],
    [{ type: 'A' }, 'ip_address: This field is required'],
    [{ type: 'A', ip_address: '192.0.2.256' }, 'ip_address: Please enter an IPv4 address, such as 192.0.2.1'],
    [{ type: 'A', ip_address: '2001:db8::1' }, 'ip_address: Please enter an IPv4 address, such as 192.0.2.1'],
    [
      { type: 'AAAA', ipv6_address: '192.0.2.1' },
      'ipv6_address: Please enter an IPv6 address, such as 2001:db8::1',
    ],
    [
      { type: 'CNAME', subdomain: 'w', hostname: '192.0.2.1' },
      'hostname: Please enter a host name, not an address',
    ],
    [
      { type: 'CNAME', subdomain: 'w', hostname: 'sites' },
      'hostname: Please enter a full host name, such as mail.example.com',
    ],
    [
      { type: 'CNAME', hostname: 'a.example.com' },
      'subdomain: The domain itself cannot be an alias (CNAME), because it has other records',
    ],
    [{ type: 'CNAME', subdomain: 'w', hostname: '' }, 'hostname: This field is required'],
    [
      { type: 'CNAME', subdomain: 'w', hostname: longest(254) },
      'hostname: A host name has at most 253 characters',
    ],
    [
      { type: 'CNAME', subdomain: 'w', hostname: `${'a'.repeat(64)}.example.com` },
      'hostname: This is not a host name',
    ],
    [{ type: 'CNAME', subdomain: 'w', hostname: '-a.example.com' }, 'hostname: This is not a host name'],
    [{ type: 'MX', hostname: 'mx.example.com', priority: 1e-7 }, 'priority: Please enter a whole number'],
    [{ type: 'MX', hostname: 'mx.example.com', priority: '' }, 'priority: This field is required'],
    [{ type: 'MX', hostname: 'mx.example.com', priority: 65_536 }, 'priority: From 0 to 65535'],
    [{ type: 'MX', hostname: 'mx.example.com', priority: '1e2' }, 'priority: Please enter a number'],
    [{ type: 'MX', hostname: 'mx.example.com', priority: '0x10' }, 'priority: Please enter a number'],
    [{ type: 'MX', hostname: 'mx.example.com', priority: '1.5' }, 'priority: Please enter a whole number'],
    [{ type: 'MX', hostname: 'mx.example.com', priority: '-1' }, 'priority: From 0 to 65535'],
    [
      { type: 'MX', hostname: '.', priority: 10 },
      'priority: A domain that accepts no mail needs the priority 0 here',
    ],
    [{ type: 'CNAME', subdomain: 'w', hostname: '.' }, 'hostname: This is not a host name'],
    [{ type: 'TXT', text: '' }, 'text: This field is required'],
    [{ type: 'TXT', text: 'a\nb' }, 'text: Please remove line breaks and characters that cannot be printed'],
    [
      { type: 'A', subdomain: '-a', ip_address: '192.0.2.1' },
      'subdomain: Only letters, digits, hyphens and underscores are allowed. No part may begin or end with a hyphen. An asterisk (*) is allowed only as the first part',
    ],
    [
      { type: 'A', subdomain: 'a.b-', ip_address: '192.0.2.1' },
      'subdomain: Only letters, digits, hyphens and underscores are allowed. No part may begin or end with a hyphen. An asterisk (*) is allowed only as the first part',
    ],
    [{ type: 'A', subdomain: longest(251), ip_address: '192.0.2.1' }, 'subdomain: This name is too long'],
    [
      { type: 'A', subdomain: `a.${'b'.repeat(64)}`, ip_address: '192.0.2.1' },
      'subdomain: Each part of a name has at most 63 characters',
    ],
    [
      { type: 'A', subdomain: 'a..b', ip_address: '192.0.2.1' },
      'subdomain: Please remove the empty part between the dots',
    ],
    [
      { type: 'SRV', subdomain: 'sip', hostname: 'a.example.com', priority: 1, weight: 1, port: 1 },
      'subdomain: A service name looks like _sip._tcp',
    ],
  ])('that is none is refused with a reason at its field: %j', (given, complaint) => {
    expect(complaintsOf(given)).toEqual([complaint]);
  });

  test.each([
    [
      { type: 'MX', subdomain: ' A ', hostname: 'MX.Example.com.', priority: '5' },
      { type: 'MX', subdomain: 'a', hostname: ' mx.example.com', priority: 5 },
    ],
    [
      { type: 'A', ip_address: ' 192.0.2.1 ' },
      { type: 'A', subdomain: '@', ip_address: '192.0.2.1' },
    ],
    [
      { type: 'AAAA', ipv6_address: ' 2001:DB8:0::1' },
      { type: 'AAAA', ipv6_address: '2001:db8::1' },
    ],
    [
      { ...srv, port: 5060 },
      { ...srv, port: '5060', hostname: 'SIP.example.com' },
    ],
  ])('is the same however it is written: %j and %j', (one, other) => {
    expect(recordKey(named(one))).toBe(recordKey(named(other)));
  });

  test('is another one where any part of it differs', () => {
    const all = [{ port: 1 }, { port: 2 }, { port: 1, weight: 3 }, { port: 1, priority: 3 }];
    expect(new Set(all.map((change) => recordKey(named({ ...srv, ...change })))).size).toBe(4);
  });

  test.each([
    [{ type: 'A', ip_address: '192.0.2.1' }, '192.0.2.1'],
    [{ type: 'AAAA', ipv6_address: '2001:db8::1' }, '2001:db8::1'],
    [{ type: 'CNAME', hostname: 'a.example.com' }, 'a.example.com'],
    [{ type: 'MX', hostname: 'mx.example.com', priority: 10 }, '10 mx.example.com'],
    [{ type: 'TXT', text: 'a "b"' }, 'a "b"'],
    [{ ...srv, port: 5060 }, '1 2 5060 sip.example.com'],
  ])('is shown with what it says besides its name: %j', (given, data) => {
    expect(recordData(named(given))).toBe(data);
  });

  test('that breaks the rules can still be named, to be removed', () => {
    expect(namedRecord({ type: 'A', subdomain: 'bad name', ip_address: '1' })).toMatchObject({
      record: { subdomain: 'bad name' },
    });
    expect(namedRecord({ type: 'MX', hostname: '', priority: 70_000 })).toMatchObject({
      record: { hostname: '', priority: 70_000 },
    });
    expect(namedRecord({ type: 'A', subdomain: 'x' })).toEqual({
      ok: false,
      problems: [{ field: 'ip_address', message: 'This field is required' }],
    });
    expect(namedRecord({ type: 'CAA' })).toMatchObject({ ok: false, problems: [{ field: 'type' }] });
  });

  test('names none where a number of it is missing', () => {
    const hostname = 'sip.example.com';
    expect(namedRecord({ type: 'SRV', hostname, priority: '', weight: null, port: ' ' })).toEqual({
      ok: false,
      problems: ['priority', 'weight', 'port'].map((field) => ({
        field,
        message: 'This field is required',
      })),
    });
  });
});

test('a text has at most 4096 octets', () => {
  const text = 'é'.repeat(2_048);
  expect(complaintsOf({ type: 'TXT', text })).toEqual([]);
  expect(complaintsOf({ type: 'TXT', text: `${text}a` })).toEqual(['text: At most 4096 characters']);
});

test('a text is split at 255 octets, and no character is cut', () => {
  const text = `${'a'.repeat(254)}é${'b'.repeat(300)}`;
  const parts = textParts(text);
  expect(parts.join('')).toBe(text);
  expect(parts.map((part) => Buffer.byteLength(part))).toEqual([254, 255, 47]);
});

describe('records are sorted', () => {
  const mx = (hostname: string) => named({ type: 'MX', hostname, priority: 1 });

  test('by type, name and data, by small letters', () => {
    const sorted = [
      named({ type: 'A', subdomain: '_a', ip_address: '192.0.2.9' }),
      named({ type: 'A', subdomain: 'a', ip_address: '192.0.2.1' }),
      named({ type: 'A', subdomain: 'a', ip_address: '192.0.2.2' }),
      ...[mx('_a.example.com'), mx('a.example.com'), named({ type: 'TXT', text: 'a' })],
      named({ ...srv, port: 5060 }),
    ];
    expect(sortedRecords(sorted.toReversed())).toEqual(sorted);
  });

  test('and keep their order where they are the same', () => {
    const [one, other] = [mx('a.example.com'), mx('A.example.com.')];
    expect(sortedRecords([one, other])).toEqual([one, other]);
    expect(sortedRecords([other, one])).toEqual([other, one]);
  });
});

test.each([
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['FE80::1%Eth0', 'fe80::1%eth0'],
])('an IPv6 address is written short, and what is none in small letters: %s', (text, short) => {
  expect(shortIpv6(text)).toBe(short);
});
