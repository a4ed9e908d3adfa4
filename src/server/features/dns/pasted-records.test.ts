import { expect, test } from 'vitest';
import { zoneTextOf } from './pasted-records.ts';
import { readZoneFile } from './zone-file-reader.ts';

const domain = 'acme.com';
const key = 'v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ';

async function recordsOf(text: string) {
  const { records, leftOut } = await readZoneFile(domain, zoneTextOf(domain, text));
  expect(leftOut).toEqual([]);
  return records.map(({ line, record }) => ({ line, ...record }));
}

const dkim = { type: 'TXT', subdomain: 'selector1._domainkey', text: key };

test('one line is read with the name first or the type first; semicolons of a mail record are part of it', async () => {
  expect(await recordsOf(`selector1._domainkey TXT ${key}`)).toEqual([{ line: 1, ...dkim }]);
  expect(await recordsOf(`selector1._domainkey.acme.com. 3600 IN TXT ${key}`)).toEqual([
    { line: 1, ...dkim },
  ]);
  expect(await recordsOf(`TXT selector1._domainkey ${key}`)).toEqual([{ line: 1, ...dkim }]);
  expect(await recordsOf('CNAME shop shops.vendor.example')).toEqual([
    { line: 1, type: 'CNAME', subdomain: 'shop', hostname: 'shops.vendor.example' },
  ]);
});

test.each([
  ['mx IN A 192.0.2.1', { type: 'A', subdomain: 'mx', ip_address: '192.0.2.1' }],
  ['mx 3600 A 192.0.2.1', { type: 'A', subdomain: 'mx', ip_address: '192.0.2.1' }],
  ['a 3600 IN A 192.0.2.1', { type: 'A', subdomain: 'a', ip_address: '192.0.2.1' }],
  ['srv IN 1h AAAA 2001:db8::1', { type: 'AAAA', subdomain: 'srv', ipv6_address: '2001:db8::1' }],
  [
    'txt 300 MX 10 mx.vendor.example.',
    { type: 'MX', subdomain: 'txt', hostname: 'mx.vendor.example', priority: 10 },
  ],
  [`txt IN TXT ${key}`, { type: 'TXT', subdomain: 'txt', text: key }],
  ['MX 10 mx.vendor.example', { type: 'MX', subdomain: '', hostname: 'mx.vendor.example', priority: 10 }],
  ['MX @ 10 mx.vendor.example', { type: 'MX', subdomain: '', hostname: 'mx.vendor.example', priority: 10 }],
  [
    'MX 10 20 mx.vendor.example',
    { type: 'MX', subdomain: '10', hostname: 'mx.vendor.example', priority: 20 },
  ],
  ['A 10 192.0.2.1', { type: 'A', subdomain: '10', ip_address: '192.0.2.1' }],
])('%s: what fits the whole line decides whether a type or a name comes first', async (line, record) => {
  expect(await recordsOf(line)).toEqual([{ line: 1, ...record }]);
});

test('a line that begins with a blank belongs to the name above it, also below comments, empty lines and parentheses', async () => {
  const mx = { type: 'MX', hostname: 'mail.other.net' };
  const text = [
    'shop A 192.0.2.10',
    '     MX 10 mail.other.net.',
    '; and by the way',
    '',
    '\tIN TXT v=spf1 include:spf.other.net; -all',
    'deep CNAME shops.other.net.',
    'acme.com. IN TXT ( "one"',
    '  "two"',
    ')',
    '     MX 20 mail.other.net.',
  ];
  expect(await recordsOf(text.join('\n'))).toEqual([
    { line: 1, type: 'A', subdomain: 'shop', ip_address: '192.0.2.10' },
    { line: 2, ...mx, subdomain: 'shop', priority: 10 },
    { line: 5, type: 'TXT', subdomain: 'shop', text: 'v=spf1 include:spf.other.net; -all' },
    { line: 6, type: 'CNAME', subdomain: 'deep', hostname: 'shops.other.net' },
    { line: 7, type: 'TXT', subdomain: '', text: 'onetwo' },
    { line: 10, ...mx, subdomain: '', priority: 20 },
  ]);
  // The name of a line that cannot be kept is its name all the same.
  const { records } = await readZoneFile(
    domain,
    zoneTextOf(domain, 'sub NS ns1.other.net.\n  MX 10 mail.other.net.'),
  );
  expect(records.map(({ record }) => record)).toEqual([{ ...mx, subdomain: 'sub', priority: 10 }]);
});

test.each([
  ['a line with the type first', 'CNAME shop shops.vendor.example\n   MX 10 mx.vendor.example', 2],
  ['prose', 'Add a record, please:\n   MX 10 mx.vendor.example', 2],
  ['nothing', '   MX 10 mx.vendor.example', 1],
])('below %s a blank says nothing: the type is still read first', async (_above, text, line) => {
  const { records } = await readZoneFile(domain, zoneTextOf(domain, text));
  expect(records.at(-1)).toMatchObject({
    line,
    record: { type: 'MX', subdomain: '', hostname: 'mx.vendor.example', priority: 10 },
  });
});

test('a target that looks like a full name and was read below the domain is told', async () => {
  const notes = async (text: string) =>
    (await readZoneFile(domain, zoneTextOf(domain, text))).records.map(({ note }) => note);
  const told = (target: string) => `Its target was read as ${target}. End it with a dot if it is a full name`;
  const completed = [
    'shop CNAME shops.vendor.com',
    '@ MX 10 mx.vendor.com',
    '_sip._tls SRV 1 2 443 sip.vendor.com',
    'old 60 CNAME www.acme.com',
  ];
  expect(await notes(completed.join('\n'))).toEqual([
    told('shops.vendor.com.acme.com'),
    told('mx.vendor.com.acme.com'),
    told('sip.vendor.com.acme.com'),
    `Its time to live changes from 60 seconds to 1 hour. ${told('www.acme.com.acme.com')}`,
  ]);
  const meant = ['shop CNAME shops.vendor.com.', 'www CNAME web', 'alias CNAME @', 'x CNAME a.b.@'];
  const others = ['CNAME type shops.vendor.com', 'null MX 0 .', 'a A 192.0.2.1', 'txt TXT www.vendor.com'];
  expect(await notes([...meant, ...others].join('\n'))).toEqual(Array(8).fill(null));
  expect(await notes('$ORIGIN .\nwww.acme.com CNAME shops.vendor.com')).toEqual([null]);
});

test('the numbers of an SRV record are read by their heads, in whichever order the columns are', async () => {
  const record = { type: 'SRV', subdomain: '_sip._tls', hostname: 'sip.vendor.example' };
  const numbers = { priority: 100, weight: 1, port: 443 };
  for (const heads of [
    ['Priority', 'Weight', 'Port'],
    ['Port', 'Priority', 'Weight'],
  ] as const) {
    const values = heads.map((head) => numbers[head.toLowerCase() as keyof typeof numbers]);
    const rows = [
      ['Type', 'Name', ...heads, 'Value'],
      ['SRV', '_sip._tls', ...values, 'sip.vendor.example'],
    ];
    expect(await recordsOf(rows.map((row) => row.join('\t')).join('\n'))).toEqual([
      { line: 2, ...record, ...numbers },
    ]);
  }
});

test('a number of an SRV record without a column of its own is the one before the target; one that is missing is told', async () => {
  const record = { type: 'SRV', subdomain: '_sip._tls', hostname: 'sip.vendor.example' };
  const table = (heads: string[], cells: string[]) =>
    [
      ['Type', 'Name', ...heads, 'Value'],
      ['SRV', '_sip._tls', ...cells],
    ]
      .map((row) => row.join('\t'))
      .join('\n');
  const read = { line: 2, ...record, priority: 100, weight: 1, port: 443 };
  expect(await recordsOf(table(['Port'], ['443', '100 1 sip.vendor.example']))).toEqual([read]);
  expect(await recordsOf(table(['Priority', 'Port'], ['100', '443', '1 sip.vendor.example']))).toEqual([
    read,
  ]);
  expect(await recordsOf(table(['Weight'], ['1', '100 443 sip.vendor.example']))).toEqual([read]);
  for (const missing of [0, 1, 2]) {
    const cells = ['100', '1', '443', 'sip.vendor.example'].with(missing, '');
    const text = zoneTextOf(domain, table(['Priority', 'Weight', 'Port'], cells));
    expect(await readZoneFile(domain, text)).toMatchObject({
      records: [],
      leftOut: [{ line: 2, reason: 'A record of type SRV takes 4 values' }],
    });
  }
});

test('a vendor’s table is read by its head: tabs, bars or wide gaps, whole names without a dot', async () => {
  const records = [
    { type: 'MX', subdomain: '', hostname: 'mx.vendor.example', priority: 10 },
    { type: 'TXT', subdomain: '', text: 'v=spf1 include:spf.vendor.example -all' },
    dkim,
  ];
  const rows = [
    ['Type', 'Name', 'Value', 'Priority', 'TTL'],
    ['MX', '@', 'mx.vendor.example', '10', '3600'],
    ['TXT', 'acme.com', 'v=spf1 include:spf.vendor.example -all', '', '3600'],
    ['TXT', 'selector1._domainkey.acme.com', key, '', '3600'],
  ];
  const lines = records.map((record, index) => ({ line: index + 2, ...record }));
  expect(await recordsOf(rows.map((row) => row.join('\t')).join('\n'))).toEqual(lines);
  const bars = rows.map((row) => `| ${row.join(' | ')} |`);
  const marked = [bars[0], '|---|---|---|---|---|', ...bars.slice(1)].join('\n');
  expect(await recordsOf(marked)).toEqual(records.map((record, index) => ({ line: index + 3, ...record })));
  const gaps = [
    'Record type   Host        Points to',
    'CNAME         autodiscover   autodiscover.vendor.example',
  ].join('\n');
  expect(await recordsOf(gaps)).toEqual([
    { line: 2, type: 'CNAME', subdomain: 'autodiscover', hostname: 'autodiscover.vendor.example' },
  ]);
});

test('labels with values are read, one record after the other', async () => {
  const text = [
    ...[
      'Please add these records:',
      '',
      'Type: TXT',
      'Host: selector1._domainkey',
      `Value: ${key}`,
      'TTL: 3600',
    ],
    ...['', 'Type: MX', 'Host: @', 'Priority: 5', 'Value: mx.vendor.example'],
  ].join('\n');
  expect(await recordsOf(text)).toEqual([
    { line: 3, ...dkim },
    { line: 8, type: 'MX', subdomain: '', hostname: 'mx.vendor.example', priority: 5 },
  ]);
});

test('a zone file stays as it is, with its comments and its relative names', () => {
  const file = '$ORIGIN acme.com.\n$TTL 3600\nwww TXT hello ; v=spf1\nType A 192.0.2.1';
  expect(zoneTextOf(domain, file)).toBe(file);
  const lines = 'www A 192.0.2.1\nnote TXT hello ; a comment\n@ MX 10 mx.vendor.example.';
  expect(zoneTextOf(domain, lines)).toBe(lines);
});

test('a very long paste comes to an end', () => {
  expect(zoneTextOf(domain, `Type\tValue\n${'a '.repeat(300_000)}`).split('\n')).toHaveLength(2);
  const many = Array.from({ length: 40_000 }, (_none, index) => `h${index} A 192.0.2.1`).join('\n');
  expect(zoneTextOf(domain, many)).toBe(many);
});

const headings = {
  type: ['type', 'record type', 'dns record type', 'dns type'],
  name: [
    ...['name', 'host', 'hostname', 'subdomain', 'host name', 'record name', 'dns name', 'host record'],
    'alias',
  ],
  value: [
    ...['value', 'data', 'content', 'target', 'answer', 'destination', 'points to', 'record value'],
    ...['points to address or value', 'txt value', 'text', 'address', 'record data'],
  ],
  ttl: ['ttl'],
  priority: ['priority', 'prio', 'preference'],
  weight: ['weight'],
  port: ['port'],
};
type Column = keyof typeof headings;
const cells: Record<Column, string> = {
  ...{ type: 'SRV', name: '_sip._tcp', value: 'sip.vendor.example', ttl: '600' },
  ...{ priority: '10', weight: '20', port: '5060' },
};
const columns = Object.keys(headings) as Column[];
const srv = {
  ...{ type: 'SRV', subdomain: '_sip._tcp', hostname: 'sip.vendor.example' },
  ...{ priority: 10, weight: 20, port: 5060 },
};

test.each(columns.flatMap((column) => headings[column].map((heading) => [column, heading] as const)))(
  'the %s is known by the heading or label “%s”, in capitals and with a colon or a star, too',
  async (column, heading) => {
    const known = (text: string) => columns.map((each) => (each === column ? text : each));
    const row = columns.map((each) => cells[each]);
    const readings = [heading, `${heading.toUpperCase()} *`, `${heading}:`].map((text) =>
      [known(text), row].map((line) => line.join('\t')).join('\n'),
    );
    for (const text of readings) expect(await recordsOf(text)).toEqual([{ line: 2, ...srv }]);
    const labels = known(heading).map((text, index) => `${text}: ${row[index]}`);
    expect(await recordsOf(labels.join('\n'))).toEqual([{ line: 1, ...srv }]);
  },
);

test('a column of no known heading is left out', async () => {
  const head = [...columns, 'comment', 'priorities'].join('\t');
  const row = [...columns.map((each) => cells[each]), 'ours', '99'].join('\t');
  expect(await recordsOf(`${head}\n${row}`)).toEqual([{ line: 2, ...srv }]);
});
