import { afterAll, beforeAll, expect, test } from 'vitest';
import { flatRecords } from '#contracts/values/zone-changes.ts';
import { inTransaction, sql } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople } from '../../../../tests/support/people.ts';
import { customerRow } from '../../../../tests/support/rows.ts';
import {
  dnsProcess,
  noRecords,
  ownDomain,
  testLeases,
  ZoneRegistrar,
} from '../../../../tests/support/zone-registrar.ts';
import { newId } from '../../kernel/ids.ts';
import { recordTransferEnd, recordTransferStart } from '../domains/index.ts';
import type { DnsApi } from './index.ts';
import { createZoneProofs } from './zone-proofs.ts';

let database: TestDatabase;
let registrar: ZoneRegistrar;
let dns: DnsApi;
let scope: Scope;
let names = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  const people = createPeople(database);
  registrar = new ZoneRegistrar();
  dns = dnsProcess(database, registrar, people);
  ({ scope } = await people.organisation());
});
afterAll(() => database.close());

const www = { subdomain: 'www', ip_address: '192.0.2.1' };

async function managed(...texts: string[]): Promise<string> {
  names += 1;
  const domain = `proof${names}.com`;
  await ownDomain(database, scope, domain);
  const TXT = texts.map((text) => ({ subdomain: '_dnsauth', text }));
  registrar.zones.set(domain, { ...noRecords, A: [www], TXT });
  registrar.delegated.add(domain);
  return domain;
}

const prove = (domain: string, value: string, instead: string | null = null) =>
  dns.setProof({
    ...{ organisationId: scope.organisationId, name: `_dnsauth.${domain}`, type: 'TXT' as const },
    ...{ value, instead, reason: 'Proof of control' },
  });
const textsAt = (domain: string) =>
  flatRecords(registrar.zones.get(domain) ?? noRecords).flatMap((record) =>
    record.type === 'TXT' ? [record.text] : [],
  );
const versionsOf = async (domain: string) => (await dns.zones.versions(scope, domain)).length;

test('a proof of control takes the place of the former one in one write, and all else stays', async () => {
  const domain = await managed('old-proof');
  const before = registrar.writes;
  expect(await prove(domain, 'new-proof', 'old-proof')).toBe('set');
  expect(textsAt(domain)).toEqual(['new-proof']);
  expect(registrar.zones.get(domain)?.A).toEqual([www]);
  expect(registrar.writes - before).toBe(1);
});

test('a proof that is there already is not written again, however often its certificate asks', async () => {
  const domain = await managed('the-proof');
  // The first look keeps what it finds.
  await dns.zones.read(scope, domain);
  const before = { writes: registrar.writes, versions: await versionsOf(domain) };
  expect(await prove(domain, 'the-proof')).toBe('set');
  expect(await prove(domain, 'the-proof', 'gone-long-since')).toBe('set');
  expect({ writes: registrar.writes, versions: await versionsOf(domain) }).toEqual(before);
  // What it replaces goes even so.
  const both = await managed('old-proof', 'the-proof');
  expect(await prove(both, 'the-proof', 'old-proof')).toBe('set');
  expect(textsAt(both)).toEqual(['the-proof']);
});

test('where the name is an alias, or the zone is served elsewhere, nothing is written', async () => {
  const alias = await managed();
  registrar.zones.set(alias, { ...noRecords, CNAME: [{ subdomain: '_dnsauth', hostname: 'elsewhere.net' }] });
  const elsewhere = await managed();
  registrar.delegated.delete(elsewhere);
  const before = registrar.writes;
  expect([await prove(alias, 'a'), await prove(elsewhere, 'a')]).toEqual(['not-managed', 'not-managed']);
  expect(await prove('nobody-has-it.com', 'a')).toBe('no-domain');
  expect(registrar.writes).toBe(before);
});

test('a name without a zone gets one for its proof only while its delegation points here', async () => {
  const ours = ['ns1.registrar.test', 'ns2.registrar.test'];
  const proveAt = async (hosts: string[]) => {
    const domain = await managed();
    registrar.zones.delete(domain);
    registrar.delegated.delete(domain);
    const setProof = createZoneProofs({
      ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => new Date() }, newId },
      registrar: { ...registrar.asPort(), domain: async () => ({ nameservers: hosts }) as never },
      ...{ nameservers: ours, settleMs: 60_000, copyMs: 0, leases: testLeases(database) },
      publishStaged: async () => undefined,
    });
    const proof = { name: `_dnsauth.${domain}`, type: 'TXT' as const, value: 'a', instead: null };
    return [
      await setProof({ ...proof, organisationId: scope.organisationId, reason: 'Proof of control' }),
      textsAt(domain),
    ];
  };
  expect(await proveAt(ours)).toEqual(['set', ['a']]);
  for (const hosts of [['ns1.elsewhere.net'], ['ns1.registrar.test', 'ns1.elsewhere.net'], []]) {
    expect(await proveAt(hosts), hosts.join()).toEqual(['not-managed', []]);
  }
});

test('records that were prepared during a transfer are served before a proof is added, and stay', async () => {
  const address = 'prepared-proof.com';
  const where = { organisationId: scope.organisationId, address };
  const start = { ...where, customerId: null, autoRenew: false, privacy: false, credentialsSealed: null };
  await inTransaction(database.db, scope, (tx) => recordTransferStart(tx, { ...start, now: new Date() }));
  await dns.zones.change(scope, address, {
    records: [{ action: 'add', record: { type: 'A', ...www } }],
  });
  const end = { ...where, expiresAt: new Date(), registeredAt: new Date(), now: new Date() };
  await inTransaction(database.db, scope, (tx) => recordTransferEnd(tx, end));
  registrar.delegated.add(address);
  expect(await prove(address, 'the-proof')).toBe('set');
  expect([registrar.zones.get(address)?.A, textsAt(address)]).toEqual([[www], ['the-proof']]);
});

test('a proof is kept in the portal’s name, with its reason, and told to the customer whose the domain is', async () => {
  const domain = await managed();
  const customerId = await customerRow(database, scope.organisationId);
  await sql`UPDATE domains SET customer_id = ${customerId} WHERE address = ${domain}`.execute(
    database.systemDb,
  );
  expect(await prove(domain, 'the-proof')).toBe('set');
  const [version] = await dns.zones.versions(scope, domain);
  expect(version).toMatchObject({ author: 'Nameward', reason: 'Proof of control', state: 'applied' });
  expect((await logged(database.db, scope, 'dns.changeZone')).at(-1)).toMatchObject({
    ...{ by: 'Nameward', object: domain, after: { records: 2, reason: 'Proof of control' } },
  });
  expect((await loggedAbout(database.db, scope, 'dns.changeZone')).at(-1)).toBe(customerId);
});

test('a proof of a host goes into the zone of the nearest name above it that is served here', async () => {
  const domain = await managed();
  const [near, deep] = [`shop.${domain}`, `www.shop.${domain}`];
  expect(await prove(deep, 'a')).toBe('set');
  expect(registrar.zones.get(domain)?.TXT).toEqual([{ subdomain: '_dnsauth.www.shop', text: 'a' }]);
  await ownDomain(database, scope, near);
  registrar.zones.set(near, noRecords);
  registrar.delegated.add(near);
  expect(await prove(deep, 'b')).toBe('set');
  expect(registrar.zones.get(near)?.TXT).toEqual([{ subdomain: '_dnsauth.www', text: 'b' }]);
  expect(textsAt(domain)).toEqual(['a']);
  // A zone that is being moved, or has gone, is passed over.
  for (const status of ['transferring', 'ended', 'expired']) {
    await sql`UPDATE domains SET status = ${status} WHERE address = ${near}`.execute(database.systemDb);
    expect(await prove(deep, status)).toBe('set');
    expect(textsAt(domain)).toContain(status);
  }
  expect(textsAt(near)).toEqual(['b']);
  const { scope: stranger } = await createPeople(database).organisation();
  const theirs = {
    organisationId: stranger.organisationId,
    name: `_dnsauth.${domain}`,
    type: 'TXT' as const,
  };
  const proof = { ...theirs, value: 'x', instead: null, reason: 'Proof of control' };
  expect(await dns.setProof(proof)).toBe('no-domain');
});
