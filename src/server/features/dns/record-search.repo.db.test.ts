import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import type { Scope } from '../../kernel/scope.ts';
import { saveCopy } from './copies.repo.ts';
import { findRecordsLike } from './record-search.repo.ts';

let database: TestDatabase;
let organisationId: string;
let fig: string;
let other: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  fig = await customerRow(database, organisationId);
  other = await customerRow(database, organisationId);
});
afterAll(() => database.close());

const nameservers = ['ns1.example.net'];
const none = { A: [], AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] };

async function zone(
  address: string,
  records: object,
  change: {
    customer_id?: string;
    status?: 'ended' | 'active' | 'expired' | 'transferring';
    organisation?: string;
    copied?: string[];
  } = {},
): Promise<void> {
  const { organisation = organisationId, copied = nameservers, ...row } = change;
  const { id } = await domainRow(database, organisation, { address, nameservers, customer_id: fig, ...row });
  const place = { organisationId: organisation, domainId: id, address, nameservers: copied };
  const body = JSON.stringify({ data: { records: { ...none, ...records }, version: 'v' } });
  await within(database, organisation, (tx) => saveCopy(tx, place, body, new Date()));
}

async function find(text: string, reach: Scope['reach'] = { kind: 'organisation' }): Promise<string[]> {
  const scope = { organisationId, reach } as Scope;
  const found = await within(database, organisationId, (tx) => findRecordsLike(tx, scope, text));
  return found.map(({ domain, type, subdomain, value }) => `${type} ${subdomain}@${domain} ${value}`);
}

test('records are found by a part of their name, their whole name and their value, in reach and current alone', async () => {
  const vpn = { A: [{ subdomain: 'vpn', ip_address: '192.0.2.66' }] };
  await zone('alpha-fig.com', {
    ...vpn,
    MX: [{ subdomain: '', hostname: 'Mail.Pear.example', priority: 10 }],
    TXT: [{ subdomain: '', text: 'v=spf1 include:"quoted" 50%_off' }],
  });
  await zone('beta-fig.com', vpn, { customer_id: other });
  await zone('omega-fig.com', { TXT: [{ subdomain: '', text: 'GRÖßE' }] });
  await zone('ended-fig.com', vpn, { status: 'ended' });
  await zone('moved-fig.com', vpn, { copied: ['ns1.elsewhere.example'] });
  await zone('coming-fig.com', vpn, { status: 'transferring' });
  const stranger = await organisationRow(database);
  const theirs = await customerRow(database, stranger);
  await zone('strange-fig.com', vpn, { organisation: stranger, customer_id: theirs });

  const both = ['A vpn@alpha-fig.com 192.0.2.66', 'A vpn@beta-fig.com 192.0.2.66'];
  expect(await find('größe')).toEqual(['TXT @omega-fig.com GRÖßE']);
  expect(await find('vpn')).toEqual(both);
  expect(await find('192.0.2.6')).toEqual(both);
  expect(await find('vpn.alpha')).toEqual(both.slice(0, 1));
  expect(await find('vpn.alpha-fig.com')).toEqual(both.slice(0, 1));
  expect(await find('mail.pear')).toEqual(['MX @alpha-fig.com Mail.Pear.example']);
  expect(await find('vpn', { kind: 'customers', ids: [other] })).toEqual(both.slice(1));
  // The name of a domain alone is none of its records.
  expect(await find('alpha-fig.com')).toEqual([]);
  // Signs of patterns and of the copy's own form stand for themselves.
  const text = ['TXT @alpha-fig.com v=spf1 include:"quoted" 50%_off'];
  expect(await find('"quoted" 50%_')).toEqual(text);
  expect(await find('50_')).toEqual([]);
  expect(await find('hostname')).toEqual([]);
  // Where a value holds the name of its domain, that record is found, and the others are not.
  const own = { subdomain: '', hostname: 'mail.own-plum.com', priority: 10 };
  await zone('own-plum.com', { A: [{ subdomain: 'web', ip_address: '192.0.2.67' }], MX: [own] });
  expect(await find('own-plum.com')).toEqual(['MX @own-plum.com mail.own-plum.com']);
});

test('a text that many records hold gives the first few, by the name of their domain', async () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ subdomain: `h${at}`, ip_address: '203.0.113.9' }));
  await zone('gamma-fig.com', { A: many });
  const found = await find('203.0.113');
  expect(found).toHaveLength(8);
  expect(found[0]).toBe('A h0@gamma-fig.com 203.0.113.9');
});

test('records of one domain come by type, name and value, those of an expired domain, too; each kind has its value', async () => {
  const lime = (n: number) => ({ subdomain: 'lime', ip_address: `192.0.2.${n}` });
  await zone('zeta-kiwi.com', { A: [lime(1)] }, { status: 'expired' });
  await zone('eta-kiwi.com', {
    A: [{ subdomain: 'lime2', ip_address: '192.0.2.1' }, lime(3), lime(2)],
    AAAA: [{ subdomain: 'lime', ipv6_address: '2001:db8::1' }],
    CNAME: [{ subdomain: 'x', hostname: 'lime.example' }],
    SRV: [{ subdomain: '_lime', hostname: 'sip.example', priority: 1, weight: 1, port: 1 }],
  });
  expect(await find('lime')).toEqual([
    ...['A lime@eta-kiwi.com 192.0.2.2', 'A lime@eta-kiwi.com 192.0.2.3', 'A lime2@eta-kiwi.com 192.0.2.1'],
    ...['AAAA lime@eta-kiwi.com 2001:db8::1', 'CNAME x@eta-kiwi.com lime.example'],
    ...['SRV _lime@eta-kiwi.com sip.example', 'A lime@zeta-kiwi.com 192.0.2.1'],
  ]);
});
