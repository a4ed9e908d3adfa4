import { afterAll, beforeAll, expect, test } from 'vitest';
import { flatRecords } from '#contracts/values/zone-changes.ts';
import { inTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople } from '../../../../tests/support/people.ts';
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
