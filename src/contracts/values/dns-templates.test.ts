import { expect, test } from 'vitest';
import { recordOf } from '../../../tests/support/zones.ts';
import type { DnsRecord } from './dns-records.ts';
import {
  acceptedRecords,
  builtInTemplates,
  domainValues,
  driftOf,
  filledTemplate,
  generalised,
  marksIn,
  rolledOut,
  templateChanges,
} from './dns-templates.ts';
import { applyChanges } from './zone-changes.ts';

const domain = 'example.com';
const values = { ...domainValues(domain), site: 'acme', ipv4: '192.0.2.1' };

test.each(builtInTemplates.map((template) => [template.name, template] as const))(
  '%s: its records may stand, alone and in a zone that serves another provider',
  (_name, template) => {
    const filled = filledTemplate(template.records, values);
    if (!filled.ok) throw new Error(JSON.stringify(filled.problems));
    expect(JSON.stringify(filled.records)).not.toMatch(/[{}]\w*[{}]/);
    const other = [
      recordOf({ type: 'MX', subdomain: '', hostname: 'old.example.net', priority: 5 }),
      recordOf({ type: 'TXT', subdomain: '', text: 'v=spf1 a -all' }),
      recordOf({ type: 'TXT', subdomain: '', text: 'kept' }),
      recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.77' }),
    ];
    const changed = applyChanges(domain, other, templateChanges(other, filled.records));
    expect(changed.problems).toEqual([]);
    expect(changed.records).toEqual(expect.arrayContaining(filled.records));
    expect(changed.records).toContainEqual(other[2]);
  },
);

test('a template that was applied changes nothing when it is applied again', () => {
  for (const { records } of builtInTemplates) {
    const filled = filledTemplate(records, values);
    if (filled.ok) expect(templateChanges(filled.records, filled.records)).toEqual([]);
  }
});

test('what was filled in wrongly is told', () => {
  const template = builtInTemplates.find(({ id }) => id === 'web-server');
  expect(filledTemplate(template?.records ?? [], { ...values, ipv4: 'mine' })).toMatchObject({
    ok: false,
    problems: [{ field: 'ip_address' }, { field: 'ip_address' }],
  });
});

test('a variable may be called as what every object has', () => {
  const records = [{ type: 'TXT', subdomain: '', text: 'key={constructor}' }];
  expect(filledTemplate(records, {})).toMatchObject({ ok: true, records: [{ text: 'key={constructor}' }] });
  expect(filledTemplate(records, { constructor: 'x' } as never)).toMatchObject({
    records: [{ text: 'key=x' }],
  });
});

test('what is filled in loses the blanks around it; numbers and marks without a value stay', () => {
  const records = [
    { type: 'MX', subdomain: '', hostname: '{site}.{dashed}.net', priority: 10 },
    { type: 'TXT', subdomain: '', text: '{later}' },
  ];
  expect(filledTemplate(records, { ...domainValues('a.b.example'), site: ' mx ' })).toEqual({
    ok: true,
    records: [
      { type: 'MX', subdomain: '', hostname: 'mx.a-b-example.net', priority: 10 },
      { type: 'TXT', subdomain: '', text: '{later}' },
    ],
  });
});

test('the marks that a person fills in are named once each, in their order; those of the domain are not', () => {
  const records = [
    { type: 'MX', subdomain: '{host}', hostname: '{dashed}.{site}.net', priority: 10 },
    { type: 'TXT', subdomain: '', text: '{host} {domain} {ipv4} {not this}' },
  ];
  expect(marksIn(records)).toEqual(['host', 'site', 'ipv4']);
});

const a = (ip_address: string, subdomain = '') => recordOf({ type: 'A', subdomain, ip_address });
const aaaa = (subdomain = '') => recordOf({ type: 'AAAA', subdomain, ipv6_address: '2001:db8::1' });
const alias = (hostname: string, subdomain = 'www') => recordOf({ type: 'CNAME', subdomain, hostname });
const mx = (hostname: string, subdomain = '') => recordOf({ type: 'MX', subdomain, hostname, priority: 10 });
const txt = (text: string, subdomain = '') => recordOf({ type: 'TXT', subdomain, text });

test.each<[string, DnsRecord, DnsRecord, boolean]>([
  ['an alias takes the place of all that its name has', alias('a.example.net'), txt('x', 'www'), true],
  ['an alias that is there goes for anything else', txt('x', 'www'), alias('a.example.net'), true],
  ['an address goes for another one', a('192.0.2.1'), a('192.0.2.2'), true],
  ['an address goes for one of the other kind', a('192.0.2.1'), aaaa(), true],
  ['an address goes for an address alone', a('192.0.2.1'), mx('mx.example.net'), false],
  ['a mail server goes for another one', mx('a.example.net'), mx('b.example.net'), true],
  ['a mail server goes for a mail server alone', mx('a.example.net'), a('192.0.2.1'), false],
  ['an SPF record goes for another one', txt('v=spf1 -all'), txt('v=spf1 mx -all'), true],
  ['a DMARC record goes for another one', txt('v=DMARC1; p=none'), txt('v=DMARC1; p=reject'), true],
  ['an SPF record leaves a DMARC record', txt('v=spf1 -all'), txt('v=DMARC1; p=none'), false],
  ['an SPF record leaves other texts', txt('v=spf1 -all'), txt('x'), false],
  ['any other text leaves the SPF record', txt('x'), txt('v=spf1 -all'), false],
  ['a text goes for no record of another type', txt('v=spf1 -all'), mx('mx.example.net'), false],
  ['another name is left alone', a('192.0.2.1'), a('192.0.2.2', 'www'), false],
])('%s', (_what, wanted, present, goes) => {
  expect(templateChanges([present], [wanted])).toEqual([
    ...(goes ? [{ action: 'remove', record: present }] : []),
    { action: 'add', record: wanted },
  ]);
});

const owned = [a('192.0.2.1'), mx('mx.example.com'), txt('v=spf1 -all')];

test('a zone has drifted where a record of the template is missing, was changed, or stands beside another', () => {
  const foreign = [txt('of somebody else'), a('192.0.2.9', 'shop'), mx('mx.example.net', 'shop')];
  expect(driftOf(domain, [...owned, ...foreign], owned)).toEqual([]);
  expect(driftOf(domain, [a('192.0.2.7'), mx('mx.example.com'), ...foreign], owned)).toEqual([
    { action: 'update', record: a('192.0.2.1'), old: a('192.0.2.7') },
    { action: 'add', record: txt('v=spf1 -all'), old: null },
  ]);
  expect(driftOf(domain, [...owned, a('192.0.2.7'), ...foreign], owned)).toEqual([
    { action: 'remove', record: a('192.0.2.7'), old: null },
  ]);
});

test('what a former version of a template had and the new one has not goes, where it is still there', () => {
  const wanted = [a('192.0.2.1'), mx('mx.example.net')];
  const former = [...owned, txt('gone from the zone')];
  const present = [...owned, txt('of somebody else')];
  expect(rolledOut(present, former, wanted)).toEqual([
    { action: 'remove', record: txt('v=spf1 -all') },
    { action: 'remove', record: mx('mx.example.com') },
    { action: 'add', record: mx('mx.example.net') },
  ]);
});

test('a template that a drifted zone is right by has its changes, lacks what is gone, and has what came besides', () => {
  const records = [
    { type: 'A', subdomain: '', ip_address: '{ipv4}' },
    { type: 'MX', subdomain: '', hostname: 'mx.{domain}', priority: 10 },
    { type: 'TXT', subdomain: '', text: 'v=spf1 -all' },
    { type: 'TXT', subdomain: '', text: 'not in any zone yet' },
  ];
  const accepted = (present: readonly DnsRecord[]) =>
    acceptedRecords(records, owned, driftOf(domain, present, owned), domain);
  expect(accepted(owned)).toEqual(records);
  const [, , , later] = records;
  expect(accepted([a('192.0.2.1'), a('192.0.2.7'), mx('in.example.com')])).toEqual([
    records[0],
    { ...mx('in.example.com'), hostname: 'in.{domain}' },
    later,
    a('192.0.2.7'),
  ]);
});

test.each([
  ['example.com', '{domain}'],
  ['mx.example.com', 'mx.{domain}'],
  ['badexample.com', 'badexample.com'],
  ['example.com.example.net', 'example.com.example.net'],
])('a record for any domain has a mark for the name of this one: %s is %s', (hostname, expected) => {
  expect(generalised(mx(hostname), domain)).toEqual({ ...mx(hostname), hostname: expected });
});

test('a record without a host is the same for any domain', () => {
  expect(generalised(txt('example.com'), domain)).toEqual(txt('example.com'));
});
