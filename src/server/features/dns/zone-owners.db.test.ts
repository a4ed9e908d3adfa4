import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { groupRecords, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { inTransaction, sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import {
  codeOf,
  dnsProcess,
  noRecords,
  ownDomain,
  ZoneRegistrar,
} from '../../../../tests/support/zone-registrar.ts';
import { type DnsApi, eraseZoneAuthors, eraseZones } from './index.ts';

/** The history of a zone whose domain goes from one customer to another. */

let database: TestDatabase;
let people: People;
let registrar: ZoneRegistrar;
let dns: DnsApi;
let staff: Scope;
/** The first customer and their user, then the next. */
let first: { id: string; user: Scope };
let next: { id: string; user: Scope };

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  registrar = new ZoneRegistrar();
  dns = dnsProcess(database, registrar, people);
  ({ scope: staff } = await people.organisation());
  [first, next] = [await customer(), await customer()];
});
afterAll(() => database.close());

async function customer() {
  const billing = { billDirectly: false, email: '', allowChangeBilling: false };
  const made = await people.customers.create(staff, { contacts: contactsOf(), billing }, null);
  const as = { type: 'MSP_CUSTOMER', authorizedClientId: made.customerId } as const;
  return { id: made.customerId, user: (await people.join(staff, as)).scope };
}

let names = 0;
/** Of the first customer, whose user has changed it twice. */
async function handedDomain(): Promise<string> {
  names += 1;
  const domain = `handed${names}.com`;
  await ownDomain(database, staff, domain, first.id);
  registrar.zones.set(domain, noRecords);
  await dns.zones.change(first.user, domain, { records: add(a('old', '192.0.2.1')), reason: 'first ticket' });
  await dns.zones.change(first.user, domain, {
    records: add(a('www', '192.0.2.2')),
    reason: 'second ticket',
  });
  return domain;
}

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const add = (...records: DnsRecord[]): ZoneChange[] => records.map((record) => ({ action: 'add', record }));
const set = (domain: string, change: { customer_id?: string | null; status?: 'ended' }) =>
  database.systemDb.updateTable('domains').set(change).where('address', '=', domain).execute();
const assign = (domain: string, to: { id: string }) => set(domain, { customer_id: to.id });
const reasons = async (reader: Scope, domain: string) =>
  (await dns.zones.versions(reader, domain)).map(({ reason }) => reason);
const lastReasons = async (reader: Scope, domain: string) =>
  (await dns.zones.lastChanges(reader, domain)).map(({ reason }) => reason);
const former = ['second ticket', 'first ticket', 'As found at the registrar'];

describe('a domain that goes to another customer', () => {
  test('leaves its history behind: by list, by number, by file, to be restored, and with each record', async () => {
    const domain = await handedDomain();
    expect(await reasons(first.user, domain)).toEqual(former);
    const versions = await dns.zones.versions(first.user, domain);
    await assign(domain, next);
    // An API token for this customer alone.
    const script: Scope = { ...staff, role: 'MSP_CUSTOMER', reach: { kind: 'customers', ids: [next.id] } };
    for (const reader of [next.user, script]) {
      expect(await dns.zones.versions(reader, domain)).toEqual([]);
      expect(await dns.zones.lastChanges(reader, domain)).toEqual([]);
      // A restore begins with the version's records.
      const tries = versions.flatMap(({ id }) => [
        dns.zones.version(reader, domain, id),
        dns.zones.export(reader, domain, id),
      ]);
      expect(await Promise.all(tries.map(codeOf))).toEqual(tries.map(() => 'not_found'));
    }
    // The present state is the new customer's.
    const present = groupRecords([a('old', '192.0.2.1'), a('www', '192.0.2.2')]);
    expect(await dns.zones.read(next.user, domain)).toMatchObject({ records: present });
    expect(await dns.zones.export(next.user, domain, undefined)).toContain('192.0.2.1');
    expect(await codeOf(dns.zones.versions(first.user, domain))).toBe('not_found');
  });

  test('keeps it for the MSP’s people', async () => {
    const domain = await handedDomain();
    await assign(domain, next);
    const versions = await dns.zones.versions(staff, domain);
    expect(versions.map(({ reason, author }) => [reason, author])).toEqual([
      ['second ticket', first.user.email],
      ['first ticket', first.user.email],
      ['As found at the registrar', 'Outside this portal'],
    ]);
    const [, earlier] = versions;
    const content = groupRecords([a('old', '192.0.2.1')]);
    expect(await dns.zones.version(staff, domain, earlier?.id ?? '')).toMatchObject({ content });
    expect(await dns.zones.export(staff, domain, earlier?.id)).toContain('192.0.2.1');
    expect(await lastReasons(staff, domain)).toEqual(['first ticket', 'second ticket']);
  });

  test('has a new history from its next change on, which begins with the zone as it came', async () => {
    const domain = await handedDomain();
    const seen = await dns.zones.read(first.user, domain);
    await assign(domain, next);
    // Made on the state that the former customer wrote: it is known still.
    registrar.zones.get(domain)?.A.push({ subdomain: 'by-hand', ip_address: '192.0.2.9' });
    await dns.zones.change(next.user, domain, {
      records: [{ action: 'update', record: a('www', '192.0.2.5'), old: a('www', '192.0.2.2') }],
      ...{ reason: 'their own', version: seen.version },
    });
    expect(await reasons(next.user, domain)).toEqual(['their own', 'Changed at the registrar']);
    expect(await lastReasons(next.user, domain)).toEqual(['Changed at the registrar', 'their own']);
    const [own] = await dns.zones.versions(next.user, domain);
    expect(own).toMatchObject({ author: next.user.email, state: 'applied' });
    expect((await dns.zones.version(next.user, domain, own?.id ?? '')).content.A).toHaveLength(3);
    expect(await dns.zones.export(next.user, domain, own?.id)).toContain('192.0.2.5');
    expect(await reasons(staff, domain)).toEqual(['their own', 'Changed at the registrar', ...former]);
  });

  test('and comes back has its own part of the history, and no older change is told as the last', async () => {
    const domain = await handedDomain();
    await assign(domain, next);
    const [there, elsewhere] = [a('www', '192.0.2.2'), a('www', '192.0.2.7')];
    for (const [old, record] of [
      [there, elsewhere],
      [elsewhere, there],
    ] as const) {
      await dns.zones.change(next.user, domain, { records: [{ action: 'update', record, old }] });
    }
    await assign(domain, first);
    expect(await reasons(first.user, domain)).toEqual(former);
    expect(await lastReasons(first.user, domain)).toEqual(['first ticket']);
  });

  test('while the zone is being written leaves that version with those who wrote it', async () => {
    const domain = await handedDomain();
    registrar.onRead = async () => {
      registrar.onRead = null;
      await assign(domain, next);
    };
    await dns.zones.change(first.user, domain, {
      records: add(a('late', '192.0.2.3')),
      reason: 'late ticket',
    });
    expect(await reasons(next.user, domain)).toEqual([]);
    expect(await reasons(staff, domain)).toEqual(['late ticket', ...former]);
  });

  test('during its transfer brings what was prepared, and not who prepared it', async () => {
    const domain = await handedDomain();
    await sql`UPDATE domains SET status = 'transferring' WHERE address = ${domain}`.execute(
      database.systemDb,
    );
    await dns.zones.change(first.user, domain, { records: add(a('soon', '192.0.2.4')), reason: 'prepared' });
    expect(await reasons(first.user, domain)).toEqual(['prepared', ...former]);
    await assign(domain, next);
    const { staged, records } = await dns.zones.read(next.user, domain);
    expect([staged, records.A.length]).toEqual([true, 3]);
    expect(await reasons(next.user, domain)).toEqual([]);
    expect(await dns.zones.lastChanges(next.user, domain)).toEqual([]);
  });
});

test('versions from before customers were kept with them are read by the MSP’s people alone', async () => {
  const domain = await handedDomain();
  const of = sql`domain_id = (SELECT id FROM domains WHERE address = ${domain})`;
  await sql`UPDATE zone_versions SET customer_id = NULL WHERE ${of}`.execute(database.systemDb);
  const [newest] = await dns.zones.versions(staff, domain);
  expect(await reasons(first.user, domain)).toEqual([]);
  expect(await codeOf(dns.zones.version(first.user, domain, newest?.id ?? ''))).toBe('not_found');
  expect(await reasons(staff, domain)).toEqual(former);
});

describe('the erasure of a customer', () => {
  const erase = ({ id, user }: { id: string; user: Scope }) =>
    inTransaction(database.db, staff, async (tx) => {
      await eraseZones(tx, staff, id);
      await eraseZoneAuthors(tx, staff, [user.userId]);
    });

  test('takes their versions of a domain that is another’s by now; the present state stays, without words', async () => {
    const [domain, followed] = [await handedDomain(), await handedDomain()];
    await assign(domain, next);
    await assign(followed, next);
    await dns.zones.change(next.user, followed, { records: add(a('x', '192.0.2.6')), reason: 'their own' });
    const own = await dns.zones.versions(staff, followed);
    await erase(first);
    // Who wrote since is not forgotten with them.
    expect((await dns.zones.versions(staff, followed))[0]).toEqual(own[0]);
    expect(await dns.zones.versions(staff, domain)).toMatchObject([
      { author: 'Erased user', reason: '', changes: null, records: 2, state: 'applied' },
    ]);
    expect(await reasons(next.user, domain)).toEqual([]);
    expect(await reasons(staff, followed)).toEqual(['their own']);
    // Nothing was changed elsewhere, and no reading says so.
    await dns.zones.read(next.user, domain);
    expect(await reasons(staff, domain)).toEqual(['']);
    // What stayed goes with the domain.
    await set(domain, { status: 'ended' });
    await erase(next);
    const left = await sql`SELECT FROM zone_versions v JOIN domains d ON d.id = v.domain_id
      WHERE d.address = ${domain}`.execute(database.systemDb);
    expect(left.rows).toEqual([]);
  });

  test('leaves what another customer wrote before the domain was theirs', async () => {
    const domain = await handedDomain();
    await assign(domain, next);
    await dns.zones.change(next.user, domain, { records: add(a('x', '192.0.2.6')), reason: 'their own' });
    await set(domain, { status: 'ended' });
    const left = async () => {
      const { rows } = await sql<{ reason: string }>`SELECT v.reason FROM zone_versions v
        JOIN domains d ON d.id = v.domain_id WHERE d.address = ${domain} ORDER BY v.sequence DESC`.execute(
        database.systemDb,
      );
      return rows.map(({ reason }) => reason);
    };
    await erase(next);
    expect(await left()).toEqual(former);
    await erase(first);
    expect(await left()).toEqual([]);
  });

  test('takes what was copied of their ended zones, and where templates were applied there; others keep theirs', async () => {
    const [ended, living, others] = [await handedDomain(), await handedDomain(), await handedDomain()];
    await assign(others, next);
    const template = await dns.templates.save(staff, {
      ...{ name: 'Mail', records: groupRecords([a('mail', '192.0.2.9')]), variables: [] },
    });
    const copying = dnsProcess(database, registrar, people, true);
    for (const address of [ended, living, others]) {
      await copying.zones.show(staff, address);
      const use = { version: 1, filled: {}, owned: [a('mail', '192.0.2.9')] };
      await inTransaction(database.db, staff, (tx) =>
        dns.templates.remember(tx, staff, { templateId: template.id, address, changeId: newId(), use }),
      );
    }
    for (const address of [ended, others]) await set(address, { status: 'ended' });
    await erase(first);
    const left = async (table: 'zone_copies' | 'dns_template_uses') => {
      const { rows } = await sql<{ address: string }>`SELECT d.address FROM ${sql.table(table)} t
        JOIN domains d ON d.id = t.domain_id WHERE d.address IN (${ended}, ${living}, ${others})`.execute(
        database.systemDb,
      );
      return rows.map(({ address }) => address).sort();
    };
    const kept = [living, others].sort();
    expect([await left('zone_copies'), await left('dns_template_uses')]).toEqual([kept, kept]);
  });
});
