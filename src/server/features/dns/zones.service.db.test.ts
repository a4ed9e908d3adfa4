import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { groupRecords, type ZoneChange } from '#contracts/values/zone-changes.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import { within } from '../../../../tests/support/rows.ts';
import { codeOf, dnsProcess, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { recordTransferEnd, recordTransferStart, requireDomain } from '../domains/index.ts';
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

test('what is prepared during a transfer goes before a change of the zone that comes first', async () => {
  const where = { organisationId: scope.organisationId, address: domain };
  const start = { ...where, customerId, autoRenew: false, privacy: false, credentialsSealed: null };
  const now = people.clock.now();
  const write = (work: Parameters<typeof within<void>>[2]) => within(database, scope.organisationId, work);
  await write((tx) => recordTransferStart(tx, { ...start, now }));
  await dns.zones.change(scope, domain, { records: [{ action: 'add', record: kept }] });
  await write((tx) => recordTransferEnd(tx, { ...where, expiresAt: now, registeredAt: now, now }));
  registrar.zones.set(domain, groupRecords([old]));
  const { records } = await dns.zones.change(scope, domain, { records: [{ action: 'add', record: fresh }] });
  expect([records, registrar.zones.get(domain)]).toEqual([1, 2].map(() => groupRecords([kept, fresh])));
  expect((await versions()).map(({ state, reason }) => [state, reason])).toEqual([
    ...[
      ['applied', ''],
      ['applied', 'Prepared during the transfer'],
      ['staged', ''],
    ],
  ]);
});

test('what the registrar takes up later is told in its words, stays open, and is in no log of what was done', async () => {
  await ownDomain(database, scope, domain);
  registrar.zones.set(domain, groupRecords([old, kept]));
  const port = registrar.asPort();
  registrar.asPort = () => ({
    ...port,
    async replaceZone(_domain, _records, fence) {
      expect(await fence.holdsForMs()).toBeGreaterThan(0);
      return { kind: 'pending', orderId: null, text: 'It takes a while.' };
    },
  });
  const change = dnsProcess(database, registrar, people).zones.change(scope, domain, { records: steps });
  await expect(change).rejects.toMatchObject({ code: 'outcome_unknown', message: 'It takes a while.' });
  expect((await versions()).map(({ state }) => state)).toEqual(['unknown', 'found']);
  expect(await entries()).toEqual([]);
});

test('another organization’s domain is unknown, and nothing of it is asked', async () => {
  await ownDomain(database, scope, domain);
  const { scope: stranger } = await people.organisation();
  expect(await codeOf(dns.zones.change(stranger, domain, { records: steps }))).toBe('not_found');
  expect(registrar.writes).toBe(0);
});

test('records of a zone that was shown are found by two letters on, in any case', async () => {
  await ownDomain(database, scope, domain);
  registrar.zones.set(domain, groupRecords([old, kept]));
  await dnsProcess(database, registrar, people, true).zones.show(scope, domain);
  expect(await dns.findRecords(scope, 'o')).toEqual([]);
  const found = [{ domain, type: 'A', subdomain: 'old', value: '192.0.2.1' }];
  expect([await dns.findRecords(scope, 'OL'), await dns.findRecords(scope, 'OLD')]).toEqual([found, found]);
});

test('a zone is served whole once our last write is in force: what was refused, or is open, is said', async () => {
  const where = { organisationId: scope.organisationId, address: domain };
  const said = () =>
    dns.requireServed(where).then(
      () => 'served',
      ({ code, message }) => `${code}: ${message}`,
    );
  const open = 'unprocessable: The registrar has not confirmed its records yet.';
  await ownDomain(database, scope, domain);
  expect(await said()).toBe('served');
  const change = (record: DnsRecord) =>
    codeOf(dns.zones.change(scope, domain, { records: [{ action: 'add', record }] }));
  registrar.refusal = 'Invalid DNS record';
  expect(await change(fresh)).toBe('registrar_refused');
  registrar.refusal = null;
  // What others made there is none of ours.
  registrar.zones.set(domain, groupRecords([old]));
  expect(await dns.compare(await placeOf(domain))).toBe(true);
  expect((await versions()).map(({ state }) => state)).toEqual(['found', 'refused']);
  expect(await said()).toBe(
    'unprocessable: The registrar did not take its records. Please save them in its zone, then check again.',
  );
  registrar.silence = 'before';
  expect(await change(kept)).toBe('outcome_unknown');
  expect(await said()).toBe(open);
  people.clock.forward(60_000);
  expect(await change(fresh)).toBe('ok');
  expect(await said()).toBe('served');
  expect(await dns.requireServed({ ...where, address: 'nobody-has-it.com' })).toBeUndefined();
  const { scope: stranger } = await people.organisation();
  expect(await dns.requireServed({ ...where, organisationId: stranger.organisationId })).toBeUndefined();
});

/** As jobs and moves name a zone. */
const placeOf = (address: string) =>
  within(database, scope.organisationId, async (tx) => {
    const row = await requireDomain(tx, scope, address);
    const { id: domainId, organisation_id: organisationId, nameservers } = row;
    return { domainId, organisationId, address, nameservers };
  });

test('a zone is another than before when it was first seen, or was changed past the portal', async () => {
  await ownDomain(database, scope, domain);
  const place = await placeOf(domain);
  // There is none, and there was none.
  expect(await dns.compare(place)).toBe(false);
  registrar.zones.set(domain, groupRecords([old]));
  expect([await dns.compare(place), await dns.compare(place)]).toEqual([true, false]);
  registrar.zones.set(domain, groupRecords([kept]));
  expect([await dns.compare(place), await dns.compare(place)]).toEqual([true, false]);
});

test('how long ago a zone was changed is known; past the portal, it came after what was known before', async () => {
  await ownDomain(database, scope, domain);
  registrar.zones.set(domain, groupRecords([old]));
  const changedMs = async () => (await dns.zones.look(scope, domain)).lastChanged?.ageMs;
  // It was there before the portal has read it.
  expect([await changedMs(), await changedMs()]).toEqual([undefined, undefined]);
  await dns.zones.change(scope, domain, { records: [{ action: 'add', record: fresh }] });
  people.clock.forward(5_000);
  expect(await changedMs()).toBe(5_000);
  registrar.zones.set(domain, groupRecords([kept]));
  // Also by the very look that finds it.
  expect([await changedMs(), await changedMs()]).toEqual([5_000, 5_000]);
});

test('a zone that the registrar does not show keeps no other from being concluded', async () => {
  const second = `second-${domain}`;
  for (const name of [domain, second]) {
    await ownDomain(database, scope, name);
    registrar.zones.set(name, groupRecords([old]));
    registrar.silence = 'before';
    await codeOf(dns.zones.change(scope, name, { records: [{ action: 'add', record: fresh }] }));
    people.clock.forward(1_000);
  }
  people.clock.forward(60_000);
  const { get } = registrar.zones;
  registrar.zones.get = (name) => {
    if (name === domain) throw new UpstreamUnavailable('no answer');
    return get.call(registrar.zones, name);
  };
  const states = async () =>
    Promise.all(
      [domain, second].map(async (name) => (await dns.zones.versions(scope, name)).map(({ state }) => state)),
    );
  await dns.tasks['dns.settle-versions']();
  expect(await states()).toEqual([
    ['unknown', 'found'],
    ['refused', 'found'],
  ]);
  registrar.zones.get = get;
  await dns.tasks['dns.settle-versions']();
  expect(await states()).toEqual([
    ['refused', 'found'],
    ['refused', 'found'],
  ]);
});
