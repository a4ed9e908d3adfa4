import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { groupRecords, type ZoneChange } from '#contracts/values/zone-changes.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import { within } from '../../../../tests/support/rows.ts';
import { codeOf, dnsProcess, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { recordTransferEnd, recordTransferStart } from '../domains/index.ts';
import type { DnsApi } from './index.ts';

/** One change of a zone in whole: what is sent, what is replied, which version is kept, and what the log says. */

let database: TestDatabase;
let people: People;
let registrar: ZoneRegistrar;
let dns: DnsApi;
let scope: Scope;
let customerId: string;
let domain: string;
let made = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope } = await people.organisation());
  registrar = new ZoneRegistrar();
  dns = dnsProcess(database, registrar, people);
  const billing = { billDirectly: false, email: '', allowChangeBilling: false };
  ({ customerId } = await people.customers.create(scope, { contacts: contactsOf(), billing }, null));
  made += 1;
  domain = `zone-${made}.com`;
});

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const [old, kept, fresh] = [a('old', '192.0.2.1'), a('kept', '192.0.2.2'), a('new', '192.0.2.3')];
const steps: ZoneChange[] = [
  { action: 'remove', record: old },
  { action: 'add', record: fresh },
];
const entries = () => logged(database.db, scope, 'dns.changeZone');
const versions = async () =>
  (await dns.zones.versions(scope, domain)).map(({ state, author, reason }) => ({ state, author, reason }));

test('a change replaces the zone as a whole, and is kept with who made it and why', async () => {
  await ownDomain(database, scope, domain, customerId);
  registrar.zones.set(domain, groupRecords([old, kept]));
  registrar.delegated.add(domain);
  const { version: before } = await dns.zones.read(scope, domain);
  const reply = await dns.zones.change(scope, domain, { records: steps, reason: 'A new server' });
  const records = groupRecords([kept, fresh]);
  expect(reply).toEqual({
    ...{ records, nameservers_ok: 1, version: expect.any(String), staged: false, warnings: [] },
  });
  expect(reply.version).not.toBe(before);
  expect(registrar.zones.get(domain)).toEqual(records);
  expect(registrar.writes).toBe(1);
  expect((await versions())[0]).toEqual({ state: 'applied', author: scope.email, reason: 'A new server' });
  expect(await entries()).toEqual([
    {
      ...{ by: scope.userId, kind: 'zone', object: domain },
      before: { records: 2, removed: [old] },
      after: { records: 2, added: [fresh], reason: 'A new server' },
    },
  ]);
  expect(await loggedAbout(database.db, scope, 'dns.changeZone')).toEqual([customerId]);
});

test('what is there already is not written again, and stands nowhere', async () => {
  await ownDomain(database, scope, domain);
  registrar.zones.set(domain, groupRecords([kept]));
  const reply = await dns.zones.change(scope, domain, { records: [{ action: 'add', record: kept }] });
  expect(reply).toMatchObject({ records: groupRecords([kept]), staged: false });
  expect(registrar.writes).toBe(0);
  expect(await entries()).toEqual([]);
});

test('a domain without a zone gets one first', async () => {
  await ownDomain(database, scope, domain);
  await dns.zones.change(scope, domain, { records: [{ action: 'add', record: fresh }] });
  expect(registrar.zones.get(domain)).toEqual(groupRecords([fresh]));
  expect(await entries()).toMatchObject([{ before: { records: 0, removed: [] }, after: { reason: '' } }]);
});

test('what the registrar refuses is kept as refused, with its author, and is in no log of what was done', async () => {
  await ownDomain(database, scope, domain);
  registrar.zones.set(domain, groupRecords([old, kept]));
  registrar.refusal = 'Invalid DNS record';
  const change = dns.zones.change(scope, domain, { records: steps, reason: 'A new server' });
  await expect(change).rejects.toMatchObject({ code: 'registrar_refused', message: 'Invalid DNS record' });
  expect((await versions())[0]).toEqual({ state: 'refused', author: scope.email, reason: 'A new server' });
  expect(await entries()).toEqual([]);
  expect(registrar.zones.get(domain)).toEqual(groupRecords([old, kept]));
});

test('what is prepared during a transfer waits here, and is published in the portal’s name when the domain has come', async () => {
  const where = { organisationId: scope.organisationId, address: domain };
  const start = { ...where, customerId, autoRenew: false, privacy: false, credentialsSealed: null };
  const now = people.clock.now();
  const write = (work: Parameters<typeof within<void>>[2]) => within(database, scope.organisationId, work);
  await write((tx) => recordTransferStart(tx, { ...start, now }));
  const staged = await dns.zones.change(scope, domain, {
    ...{ records: [{ action: 'add', record: fresh }], reason: 'For the move' },
  });
  expect(staged).toEqual({
    ...{ records: groupRecords([fresh]), nameservers_ok: 0, version: expect.any(String), staged: true },
    warnings: [],
  });
  expect(registrar.zones.has(domain)).toBe(false);
  const prepared = {
    ...{ by: scope.userId, kind: 'zone', object: domain, before: { records: 0 } },
    after: { records: 1, staged: true },
  };
  expect(await entries()).toEqual([prepared]);
  expect(await versions()).toEqual([{ state: 'staged', author: scope.email, reason: 'For the move' }]);

  await write((tx) => recordTransferEnd(tx, { ...where, expiresAt: now, registeredAt: now, now }));
  await dns.tasks['dns.publish-staged'](where);
  await dns.tasks['dns.publish-staged'](where);
  expect(registrar.zones.get(domain)).toEqual(groupRecords([fresh]));
  expect(registrar.writes).toBe(1);
  const reason = 'Prepared during the transfer';
  expect(await entries()).toEqual([
    prepared,
    {
      ...{ by: 'Nameward', kind: 'zone', object: domain, before: { records: 0, removed: [] } },
      after: { records: 1, added: [fresh], reason },
    },
  ]);
  expect((await versions())[0]).toEqual({ state: 'applied', author: 'Nameward', reason });
  expect(await loggedAbout(database.db, scope, 'dns.changeZone')).toEqual([customerId, customerId]);
});

test('another organization’s domain is unknown, and nothing of it is asked', async () => {
  await ownDomain(database, scope, domain);
  const { scope: stranger } = await people.organisation();
  expect(await codeOf(dns.zones.change(stranger, domain, { records: steps }))).toBe('not_found');
  expect(registrar.writes).toBe(0);
});
