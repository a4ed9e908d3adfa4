import { describe, expect, test } from 'vitest';
import { changeZone, createGlue } from './dns.ts';
import { saveDnsTemplate, templateLimits } from './dns-templates.ts';

const complaints = (
  schema: typeof changeZone.body | typeof createGlue.body | typeof saveDnsTemplate.body,
  body: unknown,
) => schema.safeParse(body).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
const change = (more: Record<string, unknown>) => ({ records: [{ action: 'add', type: 'A', ...more }] });

describe('a change of a zone', () => {
  test.each([
    [{ hostname: 'www', ip_address: '192.0.2.1' }, 'records.0.hostname'],
    [{ fields: { hostname: 'www', ip_address: '192.0.2.1' } }, 'records.0.fields.hostname'],
    [
      { action: 'update', ip_address: '192.0.2.1', old: { hostname: 'www', ip_address: '192.0.2.2' } },
      'records.0.old.hostname',
    ],
    [{ action: 'remove', hostname: 'www', ip_address: '192.0.2.1' }, 'records.0.hostname'],
  ])('refuses a field that the type does not have, by its name: %j', (given, path) => {
    expect(complaints(changeZone.body, change(given))).toEqual([
      `${path}: A record of type A has no field "hostname". The name of a record is its subdomain.`,
    ]);
  });

  const srv = { type: 'SRV', subdomain: '_sip._tcp', hostname: 'sip.example.net' };
  const numbers = { priority: 0, weight: 0, port: 5060 };

  test.each([
    ['priority', ''],
    ['weight', ' '],
    ['port', null],
  ])('says that a number is missing, and never takes it for 0: %s %j', (field, empty) => {
    const given = { ...srv, ...numbers, [field]: empty };
    const [missing, ofOld] = ['', 'old.'].map((path) => `records.0.${path}${field}: This field is required`);
    for (const action of ['add', 'update', 'remove'])
      expect(complaints(changeZone.body, change({ ...given, action }))).toEqual([missing]);
    const { type, subdomain, ...old } = given;
    const update = { type, subdomain, action: 'update', hostname: srv.hostname, ...numbers, old };
    expect(complaints(changeZone.body, change(update))).toEqual([ofOld]);
  });

  test('names what the registrar holds by numbers only, written as people write them', () => {
    const removing = (port: unknown) => change({ ...srv, ...numbers, action: 'remove', port });
    expect(changeZone.body.parse(removing(' 5060 ')).records).toEqual([
      { action: 'remove', record: { ...srv, ...numbers } },
    ]);
    expect(complaints(changeZone.body, removing('0x10'))).toEqual(['records.0.port: Please enter a number']);
  });

  test('takes empty places of other types', () => {
    expect(
      complaints(changeZone.body, change({ ip_address: '192.0.2.1', hostname: null, text: undefined })),
    ).toEqual([]);
  });
});

test.each([
  ['ipaddress', '192.168.1.1'],
  ['ipaddress', '127.0.0.1'],
  ['ipv6', 'fe80::1'],
])('a nameserver at an inner address is refused: %s %s', (field, address) => {
  expect(complaints(createGlue.body, { name: 'ns1.example.com', [field]: address })).toEqual([
    expect.stringContaining('This is a private address. It cannot be reached from the internet'),
  ]);
});

test('a template has a size that can be shown', () => {
  const records = (count: number) => ({
    ...{ A: [], AAAA: [], CNAME: [], MX: [], SRV: [] },
    TXT: Array.from({ length: count }, (_unused, index) => ({ subdomain: `t${index}`, text: 'x' })),
  });
  const most = templateLimits.records;
  expect(complaints(saveDnsTemplate.body, { name: 'ours', records: records(most) })).toEqual([]);
  expect(complaints(saveDnsTemplate.body, { name: 'ours', records: records(most + 1) })).toEqual([
    'records: A template has at most 200 records',
  ]);
});
