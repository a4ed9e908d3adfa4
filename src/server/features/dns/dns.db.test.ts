import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DnsRecord, sortedRecords } from '#contracts/values/dns-records.ts';
import { changesBetween, flatRecords, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { createDatabase, type Db, inTransaction, sql } from '#kernel/db/database.ts';
import { onFailpoint } from '#kernel/failpoint.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import {
  codeOf,
  dnsProcess,
  noRecords,
  ownDomain,
  testLeases,
  ZoneRegistrar,
} from '../../../../tests/support/zone-registrar.ts';
import { type Outcome, UpstreamUnavailable } from '../../ports/outcome.ts';
import { recordSettings, recordTransferEnd, recordTransferStart, requireDomain } from '../domains/index.ts';
import { zoneWriteAttention } from './attention.repo.ts';
import type { DnsApi } from './index.ts';
import { createNameservers } from './nameservers.service.ts';

let database: TestDatabase;
let owner: Db;
let people: People;
let registrar: ZoneRegistrar;
let dns: DnsApi;
let scope: Scope;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createDatabase({ url: database.url, maxConnections: 1 });
  people = createPeople(database);
  registrar = new ZoneRegistrar();
  dns = dnsProcess(database, registrar, people);
  ({ scope } = await people.organisation());
});
afterAll(async () => {
  await owner.destroy();
  await database.close();
});

let names = 0;
async function freshDomain(records = noRecords): Promise<string> {
  names += 1;
  const domain = `name${names}.com`;
  await ownDomain(database, scope, domain);
  registrar.zones.set(domain, structuredClone(records));
  return domain;
}

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const add = (...records: DnsRecord[]): ZoneChange[] => records.map((record) => ({ action: 'add', record }));
const recordsAt = (domain: string) => flatRecords(registrar.zones.get(domain) ?? noRecords);
const statesOf = async (domain: string) =>
  (await dns.zones.versions(scope, domain)).map(({ state }) => state);

test('versions that a killed process left open are concluded by a job, without anybody who looks', async () => {
  const [written, lost] = [await freshDomain(), await freshDomain()];
  for (const domain of [written, lost]) {
    await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')) });
    await dns.zones.change(scope, domain, { records: add(a('mail', '192.0.2.2')) });
  }
  // Killed after the intent: of one the registrar took the change, of the other it never heard of it.
  registrar.zones.set(lost, structuredClone(registrar.zones.get(lost) ?? noRecords));
  registrar.zones.get(lost)?.A.pop();
  await database.systemDb
    .updateTable('zone_versions')
    .set({ state: 'writing' })
    .where('record_count', '=', 2)
    .where('domain_id', 'in', (eb) =>
      eb.selectFrom('domains').select('id').where('address', 'in', [written, lost]),
    )
    .execute();
  const states = async () =>
    (
      await database.systemDb
        .selectFrom('zone_versions as v')
        .innerJoin('domains as d', 'd.id', 'v.domain_id')
        .select(['d.address', 'v.state', 'v.record_count'])
        .where('d.address', 'in', [written, lost])
        .where('v.record_count', '=', 2)
        .execute()
    ).map(({ address, state }) => `${address === written ? 'written' : 'lost'} ${state}`);
  await dns.tasks['dns.settle-versions']();
  // They may still reach the registrar.
  expect((await states()).toSorted()).toEqual(['lost writing', 'written writing']);
  people.clock.forward(3_600_000);
  await dns.tasks['dns.settle-versions']();
  expect((await states()).toSorted()).toEqual(['lost refused', 'written applied']);
});

/** Domains with a change whose end is open and can no longer change. */
async function openZones(count: number): Promise<string[]> {
  const domains: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const domain = await freshDomain();
    await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')) });
    domains.push(domain);
  }
  await database.systemDb
    .updateTable('zone_versions')
    .set({ state: 'writing' })
    .where('record_count', '=', 1)
    .where('domain_id', 'in', (eb) => eb.selectFrom('domains').select('id').where('address', 'in', domains))
    .execute();
  people.clock.forward(3_600_000);
  return domains;
}

test('a zone whose reading fails keeps no other version from being concluded by the job, which fails then', async () => {
  const domains = await openZones(2);
  const open = async () => {
    const states = await Promise.all(domains.map(statesOf));
    return states.flat().filter((state) => state === 'writing').length;
  };
  expect(await open()).toBe(2);
  registrar.onRead = async () => {
    registrar.onRead = null;
    throw new RangeError('a record that is none');
  };
  await expect(dns.tasks['dns.settle-versions']()).rejects.toThrow('a record that is none');
  expect(await open()).toBe(1);
  await dns.tasks['dns.settle-versions']();
  expect(await open()).toBe(0);
});

test('however many zones cannot be read, the job comes to each', async () => {
  const domains = await openZones(101);
  const asked = new Set<string>();
  const silent = Object.assign(new ZoneRegistrar(), {
    asPort: () => ({
      ...registrar.asPort(),
      zone: async (domain: string) => {
        asked.add(domain);
        throw new UpstreamUnavailable('no answer');
      },
    }),
  });
  const { tasks } = dnsProcess(database, silent, people);
  for (let turn = 0; turn < 2; turn += 1) {
    await tasks['dns.settle-versions']();
    expect(asked.size).toBeLessThanOrEqual(100 * (turn + 1));
    people.clock.forward(120_000);
  }
  expect([...asked]).toEqual(expect.arrayContaining(domains));
});

test('a write whose process gives up while another reads the zone is concluded by that reading, and not left open', async () => {
  const domain = await freshDomain();
  await dns.zones.change(scope, domain, { records: add(a('first', '192.0.2.1')) });
  registrar.silence = 'before';
  await codeOf(dns.zones.change(scope, domain, { records: add(a('lost', '192.0.2.2')) }));
  const become = (state: 'writing' | 'unknown') =>
    sql`UPDATE zone_versions SET state = ${state} WHERE state IN ('writing', 'unknown')
      AND domain_id = (SELECT id FROM domains WHERE address = ${domain})`.execute(owner);
  // Its process has not said yet that it does not know.
  await become('writing');
  people.clock.forward(3_600_000);
  registrar.onRead = async () => {
    registrar.onRead = null;
    await become('unknown');
  };
  await dns.zones.change(scope, domain, { records: add(a('next', '192.0.2.3')) });
  expect(await statesOf(domain)).toEqual(['applied', 'refused', 'applied', 'found']);
});

test('an open write that a later one has followed is not asked about for ever, and waits for nobody', async () => {
  const domain = await freshDomain();
  await dns.zones.change(scope, domain, { records: add(a('first', '192.0.2.1')) });
  await dns.zones.change(scope, domain, { records: add(a('next', '192.0.2.3')) });
  const first = sql`domain_id = (SELECT id FROM domains WHERE address = ${domain}) AND record_count = 1`;
  await sql`UPDATE zone_versions SET state = 'unknown' WHERE ${first}`.execute(owner);
  people.clock.forward(3_600_000);
  const waiting = await inTransaction(database.systemDb, scope, (tx) =>
    zoneWriteAttention.present(tx, { organisationIds: [scope.organisationId], now: people.clock.now() }),
  );
  expect(waiting.map(({ address }) => address)).not.toContain(domain);
  let reads = 0;
  const { get } = registrar.zones;
  registrar.zones.get = (name) => {
    if (name === domain) reads += 1;
    return get.call(registrar.zones, name);
  };
  await dns.tasks['dns.settle-versions']();
  registrar.zones.get = get;
  expect(reads).toBe(0);
});

test('of a domain that the registrar does not have here any more, the zone is neither read nor written', async () => {
  const domain = await freshDomain(noRecords);
  await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')) });
  await database.systemDb
    .updateTable('domains')
    .set({ missing_since: new Date() })
    .where('address', '=', domain)
    .execute();
  people.clock.forward(3_600_000);
  const left = { code: 'unprocessable' };
  await expect(dns.zones.read(scope, domain)).rejects.toMatchObject(left);
  const change = { records: add(a('mail', '192.0.2.2')) };
  await expect(dns.zones.change(scope, domain, change)).rejects.toMatchObject(left);
  expect(recordsAt(domain)).toHaveLength(1);
  // What was kept here stays readable.
  expect((await dns.zones.versions(scope, domain))[0]).toMatchObject({ state: 'applied' });
});

describe('who changed what', () => {
  test('each version names the records that it added, changed and removed, by whom and why', async () => {
    const domain = await freshDomain();
    await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1'), a('old', '192.0.2.2')) });
    await dns.zones.change(scope, domain, {
      records: [
        { action: 'update', record: a('www', '192.0.2.5'), old: a('www', '192.0.2.1') },
        { action: 'remove', record: a('old', '192.0.2.2') },
        { action: 'add', record: a('new', '192.0.2.3') },
      ],
      reason: 'ticket 9',
    });
    const [second, first] = await dns.zones.versions(scope, domain);
    expect(second).toMatchObject({ author: scope.email, reason: 'ticket 9', state: 'applied' });
    expect(second?.changes).toEqual({
      ...{ added: 1, changed: 1, removed: 1 },
      first: [
        { action: 'remove', record: a('old', '192.0.2.2'), old: null },
        { action: 'add', record: a('new', '192.0.2.3'), old: null },
        { action: 'update', record: a('www', '192.0.2.5'), old: a('www', '192.0.2.1') },
      ],
    });
    expect(first?.changes).toMatchObject({ added: 2, changed: 0, removed: 0 });
  });

  test('the log names at most a hundred of its records, and counts all of them', async () => {
    const domain = await freshDomain();
    const many = Array.from({ length: 101 }, (_, n) => a(`n${n}`, '192.0.2.1'));
    await dns.zones.change(scope, domain, { records: add(...many) });
    const entries = await logged(database.db, scope, 'dns.changeZone');
    const named = entries.find(({ object }) => object === domain);
    expect(named).toMatchObject({
      ...{
        before: { removed: [] },
        after: { records: 101, added: expect.objectContaining({ length: 100 }) },
      },
    });
  });

  test('each record names its last change; what was there before the portal looked names none', async () => {
    const domain = await freshDomain({ ...noRecords, A: [{ subdomain: 'before', ip_address: '192.0.2.8' }] });
    await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')), reason: 'first' });
    const colleague: Scope = { ...scope, email: 'colleague@msp.example' };
    await dns.zones.change(colleague, domain, {
      records: [
        { action: 'update', record: a('www', '192.0.2.5'), old: a('www', '192.0.2.1') },
        ...add(a('gone', '192.0.2.3')),
      ],
      reason: 'second',
    });
    await dns.zones.change(scope, domain, {
      records: [{ action: 'remove', record: a('gone', '192.0.2.3') }],
    });
    expect(await dns.zones.lastChanges(scope, domain)).toEqual([
      {
        ...{ record: a('www', '192.0.2.5'), old: a('www', '192.0.2.1') },
        ...{ author: 'colleague@msp.example', reason: 'second' },
        at: expect.any(String),
        versionId: expect.any(String),
      },
    ]);
  });

  test('what was changed past the portal is told as the registrar’s, with what was there before', async () => {
    const domain = await freshDomain();
    await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')) });
    registrar.zones.set(domain, { ...noRecords, A: [{ subdomain: 'www', ip_address: '192.0.2.66' }] });
    people.clock.forward(3_600_000);
    await dns.zones.read(scope, domain);
    const [last] = await dns.zones.lastChanges(scope, domain);
    expect(last).toMatchObject({ old: a('www', '192.0.2.1'), reason: 'Changed at the registrar' });
    expect(last?.author).not.toBe(scope.email);
  });

  test('another organization’s zone has no last changes: it is not there', async () => {
    const domain = await freshDomain();
    const { scope: stranger } = await people.organisation();
    await expect(dns.zones.lastChanges(stranger, domain)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a change', () => {
  test('makes the zone when there is none yet, and leaves what it does not name', async () => {
    const domain = await freshDomain();
    registrar.zones.delete(domain);
    await dns.zones.change(scope, domain, { records: add(a('', '192.0.2.1'), a('www', '192.0.2.1')) });
    await dns.zones.change(scope, domain, { records: add(a('mail', '192.0.2.2')), reason: 'ticket 7' });
    expect(recordsAt(domain)).toHaveLength(3);
    const [newest] = await dns.zones.versions(scope, domain);
    expect(newest).toMatchObject({ author: scope.email, reason: 'ticket 7', state: 'applied', records: 3 });
  });

  test('is none of it made when one part cannot be', async () => {
    const domain = await freshDomain();
    const alias: DnsRecord = { type: 'CNAME', subdomain: 'two', hostname: 'a.example.net' };
    const records = add(a('ok', '192.0.2.1'), a('two', '192.0.2.1'), alias);
    await expect(dns.zones.change(scope, domain, { records })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ path: 'records.1' }, { path: 'records.2' }],
    });
    expect(recordsAt(domain)).toEqual([]);
  });

  test('that is sent again is made once, and says that the record was there', async () => {
    const domain = await freshDomain();
    const records = add(a('www', '192.0.2.1'));
    const first = await dns.zones.change(scope, domain, { records });
    expect(first.warnings).toEqual([]);
    const versions = await statesOf(domain);
    const again = await dns.zones.change(scope, domain, { records });
    expect(again).toEqual({
      ...first,
      warnings: [{ index: 0, message: 'This record already exists. Nothing changes.' }],
    });
    expect(await statesOf(domain)).toEqual(versions);
  });

  test('that removes a record is made once too: what is gone already is a success that says so', async () => {
    const domain = await freshDomain();
    await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1'), a('old', '192.0.2.2')) });
    const records = [{ action: 'remove' as const, record: a('old', '192.0.2.2') }];
    expect((await dns.zones.change(scope, domain, { records })).warnings).toEqual([]);
    const versions = await statesOf(domain);
    const again = await dns.zones.change(scope, domain, { records });
    expect(again.warnings).toEqual([{ index: 0, message: 'This record is already gone. Nothing changes.' }]);
    expect(await statesOf(domain)).toEqual(versions);
    // A change of it is another matter: there is nothing that could become what was asked for.
    const update = { action: 'update' as const, record: a('old', '192.0.2.9'), old: a('old', '192.0.2.2') };
    await expect(dns.zones.change(scope, domain, { records: [update] })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  test('that receivers of mail will not like is made, with a warning', async () => {
    const domain = await freshDomain();
    const txt = (text: string): DnsRecord => ({ type: 'TXT', subdomain: '', text });
    const { warnings } = await dns.zones.change(scope, domain, {
      records: add(txt('v=spf1 mx -all'), txt('v=spf1 a -all')),
    });
    expect(warnings).toMatchObject([0, 1].map((index) => ({ index, message: /more than one SPF record/ })));
    const preview = await dns.zones.preview(scope, domain, '_dmarc TXT "v=DMARC1; p=banana"');
    expect(preview.records[0]?.warnings[0]).toContain('not "banana"');
  });

  test('over a zone that moved is told with both sides when it is about the same records, else made', async () => {
    const domain = await freshDomain();
    const seen = await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')) });
    registrar.zones.set(domain, { ...noRecords, A: [{ subdomain: 'www', ip_address: '192.0.2.99' }] });
    const mine: ZoneChange[] = [
      { action: 'update', old: a('www', '192.0.2.1'), record: a('www', '192.0.2.2') },
    ];
    await expect(
      dns.zones.change(scope, domain, { records: mine, version: seen.version }),
    ).rejects.toMatchObject({
      code: 'zone_changed',
      data: { theirs: { records: { A: [{ ip_address: '192.0.2.99' }] } }, touched: [{ index: 0 }] },
    });
    await dns.zones.change(scope, domain, { records: add(a('other', '192.0.2.3')), version: seen.version });
    expect(recordsAt(domain)).toEqual([a('www', '192.0.2.99'), a('other', '192.0.2.3')]);
    expect(await statesOf(domain)).toEqual(['applied', 'found', 'applied', 'found']);
  });

  test('of records that somebody else has changed is told, even where it could be made all the same', async () => {
    const domain = await freshDomain();
    const seen = await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')) });
    await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.2')) });
    const mine = { records: add(a('www', '192.0.2.3'), a('mail', '192.0.2.4')), version: seen.version };
    await expect(dns.zones.change(scope, domain, mine)).rejects.toMatchObject({
      code: 'zone_changed',
      data: { touched: [{ index: 0, message: `The A records of www.${domain} were changed.` }] },
    });
    expect(recordsAt(domain)).toEqual([a('www', '192.0.2.1'), a('www', '192.0.2.2')]);
  });

  test('that the registrar refuses is told in its words, and is no version to go back to', async () => {
    const domain = await freshDomain();
    registrar.refusal = 'Invalid DNS record';
    const refused = dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')) });
    await expect(refused).rejects.toMatchObject({ code: 'registrar_refused', message: 'Invalid DNS record' });
    registrar.refusal = null;
    expect(await statesOf(domain)).toEqual(['refused', 'found']);
  });
});

describe('a change that gets no answer', () => {
  test('is found to have happened', async () => {
    const domain = await freshDomain();
    registrar.silence = 'after';
    const zone = await dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')) });
    expect(zone.records.A).toHaveLength(1);
    expect(await statesOf(domain)).toEqual(['applied', 'found']);
  });

  test('is not told to have happened when it has not', async () => {
    const domain = await freshDomain();
    registrar.silence = 'before';
    expect(await codeOf(dns.zones.change(scope, domain, { records: add(a('www', '192.0.2.1')) }))).toBe(
      'outcome_unknown',
    );
    expect((await dns.zones.read(scope, domain)).records.A).toEqual([]);
    expect(await statesOf(domain)).toEqual(['unknown', 'found']);
  });

  test('keeps others from being covered by it when it strikes late', async () => {
    const domain = await freshDomain();
    registrar.silence = 'late';
    await codeOf(dns.zones.change(scope, domain, { records: add(a('late', '192.0.2.1')) }));
    const other = { records: add(a('other', '192.0.2.2')) };
    expect(await codeOf(dns.zones.change(scope, domain, other))).toBe('in_progress');
    registrar.strike();
    await dns.zones.change(scope, domain, other);
    expect(recordsAt(domain)).toEqual([a('late', '192.0.2.1'), a('other', '192.0.2.2')]);
    expect(await statesOf(domain)).toEqual(['applied', 'applied', 'found']);
  });

  test('and whose result cannot be read either stays open: it may strike yet, and nobody is told to try again', async () => {
    const domain = await freshDomain();
    registrar.silence = 'late';
    registrar.onWire = async () => {
      registrar.unreadable = true;
    };
    const change = dns.zones.change(scope, domain, { records: add(a('late', '192.0.2.1')) });
    expect(await codeOf(change)).toBe('outcome_unknown');
    registrar.unreadable = false;
    expect(await statesOf(domain)).toEqual(['unknown', 'found']);
    const other = { records: add(a('other', '192.0.2.2')) };
    expect(await codeOf(dns.zones.change(scope, domain, other))).toBe('in_progress');
    registrar.strike();
    await dns.zones.change(scope, domain, other);
    expect(recordsAt(domain)).toEqual([a('late', '192.0.2.1'), a('other', '192.0.2.2')]);
  });

  test('holds up the next one no longer than it may strike, and says how many seconds that is', async () => {
    const domain = await freshDomain();
    registrar.silence = 'before';
    await codeOf(dns.zones.change(scope, domain, { records: add(a('lost', '192.0.2.1')) }));
    const next = () => dns.zones.change(scope, domain, { records: add(a('next', '192.0.2.2')) });
    people.clock.forward(20_000);
    await expect(next()).rejects.toMatchObject({ code: 'in_progress', retryAfterSeconds: 40 });
    people.clock.forward(41_000);
    await next();
    expect(recordsAt(domain)).toEqual([a('next', '192.0.2.2')]);
    expect(await statesOf(domain)).toEqual(['applied', 'refused', 'found']);
  });
});

describe('an answer without records', () => {
  afterEach(() => {
    registrar.recordless = false;
  });
  const wwwOnly = { ...noRecords, A: [{ subdomain: 'www', ip_address: '192.0.2.1' }] };

  test('of a zone that had some is no answer: nothing is shown, noted or replaced', async () => {
    const domain = await freshDomain(wwwOnly);
    registrar.delegated.add(domain);
    await dns.zones.read(scope, domain);
    const { writes } = registrar;
    registrar.recordless = true;
    const proof = { name: `_dnsauth.${domain}`, type: 'TXT' as const, value: 'x', instead: null };
    const place = await inTransaction(database.db, scope, (tx) => requireDomain(tx, scope, domain));
    const { id: domainId, organisation_id: organisationId, address, nameservers } = place;
    const tries = [
      () => dns.zones.read(scope, domain),
      () => dns.zones.show(scope, domain),
      () => dns.zones.look(scope, domain),
      () => dns.zones.export(scope, domain, undefined),
      () => dns.zones.preview(scope, domain, 'a A 192.0.2.1'),
      () => dns.zones.change(scope, domain, { records: add(a('mail', '192.0.2.2')) }),
      () => dns.setProof({ ...proof, organisationId, reason: 'Proof of control' }),
      () => dns.compare({ domainId, organisationId, address, nameservers }),
    ];
    for (const attempt of tries) expect(await codeOf(attempt())).toBe('upstream_unavailable');
    expect(recordsAt(domain)).toEqual([a('www', '192.0.2.1')]);
    expect([registrar.writes, await statesOf(domain)]).toEqual([writes, ['found']]);
    registrar.recordless = false;
    await dns.zones.change(scope, domain, { records: add(a('mail', '192.0.2.2')) });
    expect(recordsAt(domain)).toEqual([a('www', '192.0.2.1'), a('mail', '192.0.2.2')]);
  });

  test('of a zone that may be empty says that it is: a new one can be filled, and an emptied one again', async () => {
    const domain = await freshDomain();
    const www = a('www', '192.0.2.1');
    for (const _time of [1, 2]) {
      registrar.recordless = true;
      expect((await dns.zones.read(scope, domain)).records).toEqual(noRecords);
      await dns.zones.change(scope, domain, { records: add(www) });
      expect(await codeOf(dns.zones.read(scope, domain))).toBe('upstream_unavailable');
      registrar.recordless = false;
      // Emptied with an answer that is lost: the reading has nothing else to go by either.
      registrar.silence = 'after';
      registrar.onWire = async () => {
        registrar.recordless = true;
      };
      const removal = { records: [{ action: 'remove' as const, record: www }] };
      expect((await dns.zones.change(scope, domain, removal)).records).toEqual(noRecords);
    }
  });

  test('after a write that was not answered tells nothing: its end stays open until the records are read', async () => {
    const domain = await freshDomain(wwwOnly);
    registrar.silence = 'after';
    registrar.onWire = async () => {
      registrar.recordless = true;
    };
    const change = { records: add(a('mail', '192.0.2.2')) };
    expect(await codeOf(dns.zones.change(scope, domain, change))).toBe('outcome_unknown');
    people.clock.forward(3_600_000);
    await dns.tasks['dns.settle-versions']();
    expect(await statesOf(domain)).toEqual(['unknown', 'found']);
    registrar.recordless = false;
    await dns.tasks['dns.settle-versions']();
    expect(await statesOf(domain)).toEqual(['applied', 'found']);
  });
});

describe('a change whose process was paused until its lease was lost', () => {
  /** Time passes, and other processes write meanwhile. */
  async function meanwhile(domain: string, ...changes: ZoneChange[][]): Promise<void> {
    await database.systemDb
      .updateTable('zone_leases')
      .set({ expires_at: new Date(0) })
      .where('address', '=', domain)
      .execute();
    people.clock.forward(61_000);
    const other = dnsProcess(database, registrar, people);
    for (const records of changes) await other.zones.change(scope, domain, { records });
  }

  /** The job that was left, run by another process. */
  async function repaired(domain: string): Promise<void> {
    const [paused] = (await dns.zones.versions(scope, domain)).filter(({ reason }) => reason === 'paused');
    const { organisationId } = scope;
    await dnsProcess(database, registrar, people).tasks['dns.repair-zone']({
      ...{ organisationId, address: domain, versionId: paused?.id ?? '' },
    });
  }

  /** The versions that jobs are to look after. */
  async function repairsOf(domain: string): Promise<string[]> {
    const { rows } = await sql<{ versionId: string }>`
      SELECT payload ->> 'versionId' AS "versionId" FROM graphile_worker._private_jobs
      WHERE payload ->> 'address' = ${domain} AND payload ->> 'versionId' IS NOT NULL`.execute(owner);
    return rows.map(({ versionId }) => versionId);
  }

  const remove = (...records: DnsRecord[]): ZoneChange[] =>
    records.map((record) => ({ action: 'remove', record }));
  const paused = (domain: string, ...records: DnsRecord[]) =>
    codeOf(dns.zones.change(scope, domain, { records: add(...records), reason: 'paused' }));

  test('sends nothing once it is its turn, and says that nothing was changed', async () => {
    const domain = await freshDomain();
    registrar.beforeWire = () => meanwhile(domain, add(a('theirs', '192.0.2.2')));
    expect(await paused(domain, a('mine', '192.0.2.1'))).toBe('in_progress');
    expect(recordsAt(domain)).toEqual([a('theirs', '192.0.2.2')]);
    // It came to nothing after theirs, and is in the history all the same.
    expect(await statesOf(domain)).toEqual(['refused', 'applied', 'found']);
  });

  test('sends nothing either when nobody has taken the lease', async () => {
    const domain = await freshDomain();
    registrar.beforeWire = () => meanwhile(domain);
    expect(await paused(domain, a('mine', '192.0.2.1'))).toBe('in_progress');
    expect(recordsAt(domain)).toEqual([]);
  });

  test('is never told to be in force when it struck late, and what others were told is applied again', async () => {
    const domain = await freshDomain();
    await dns.zones.change(scope, domain, { records: add(a('old', '192.0.2.9'), a('kept', '192.0.2.8')) });
    registrar.onWire = () =>
      meanwhile(
        domain,
        add(a('theirs', '192.0.2.2')),
        remove(a('old', '192.0.2.9')),
        add(a('more', '192.0.2.3')),
      );
    expect(await paused(domain, a('mine', '192.0.2.1'))).toBe('outcome_unknown');
    // It is left to a job, and is in no log of what was done.
    const [mine] = (await dns.zones.versions(scope, domain)).filter(({ reason }) => reason === 'paused');
    expect([mine?.state, await repairsOf(domain)]).toEqual(['refused', [mine?.id]]);
    const done = (await logged(database.db, scope, 'dns.changeZone')).filter(
      ({ object }) => object === domain,
    );
    expect(done.map(({ after }) => (after as { reason: string }).reason)).not.toContain('paused');
    // It has covered theirs.
    expect(sortedRecords(recordsAt(domain))).toEqual([
      a('kept', '192.0.2.8'),
      a('mine', '192.0.2.1'),
      a('old', '192.0.2.9'),
    ]);
    await repaired(domain);
    expect(sortedRecords(recordsAt(domain))).toEqual([
      ...[a('kept', '192.0.2.8'), a('mine', '192.0.2.1')],
      ...[a('more', '192.0.2.3'), a('theirs', '192.0.2.2')],
    ]);
    await repaired(domain);
    expect(recordsAt(domain)).toHaveLength(4);
  });

  test('and that was killed before it could say so is found by the job within the hour, and repaired', async () => {
    const domain = await freshDomain();
    registrar.onWire = () => meanwhile(domain, add(a('theirs', '192.0.2.2')), add(a('more', '192.0.2.3')));
    // At its answer, not at those of the others: once it has covered theirs.
    const isCovered = () => recordsAt(domain).every((record) => record.subdomain === 'mine');
    onFailpoint((point) => {
      if (point === 'zone.answered' && isCovered()) throw new Error('killed');
    });
    await expect(paused(domain, a('mine', '192.0.2.1'))).rejects.toThrow('killed');
    onFailpoint(null);
    expect(recordsAt(domain)).toEqual([a('mine', '192.0.2.1')]);
    const other = dnsProcess(database, registrar, people);
    await other.tasks['dns.settle-versions']();
    const [late] = (await dns.zones.versions(scope, domain)).filter(({ reason }) => reason === 'paused');
    expect(await repairsOf(domain)).toEqual([late?.id]);
    await repaired(domain);
    expect(sortedRecords(recordsAt(domain))).toEqual([
      ...[a('mine', '192.0.2.1'), a('more', '192.0.2.3'), a('theirs', '192.0.2.2')],
    ]);
    expect((await dns.zones.versions(scope, domain)).map(({ reason }) => reason)).toEqual([
      'Applied again: a delayed change had replaced the zone',
      'A delayed change took effect',
      ...['', '', 'paused', 'As found at the registrar'],
    ]);
    expect((await dns.zones.versions(scope, domain))[0]).toMatchObject({
      author: 'Nameward',
      state: 'applied',
    });
    expect((await logged(database.db, scope, 'dns.changeZone')).at(-1)).toMatchObject({
      ...{ by: 'Nameward', object: domain, before: { records: 1 }, after: { records: 3 } },
    });
  });

  test('what the registrar has refused, and somebody then made there by hand, is nobody’s late write', async () => {
    const domain = await freshDomain();
    registrar.refusal = 'Not this one';
    expect(await paused(domain, a('mine', '192.0.2.1'))).toBe('registrar_refused');
    registrar.refusal = null;
    await dns.zones.change(scope, domain, { records: add(a('theirs', '192.0.2.2')) });
    registrar.zones.set(domain, { ...noRecords, A: [{ subdomain: 'mine', ip_address: '192.0.2.1' }] });
    people.clock.forward(3_600_000);
    await dns.zones.read(scope, domain);
    const [newest] = await dns.zones.versions(scope, domain);
    expect(newest?.reason).toBe('Changed at the registrar');
  });

  test('gives way to what others were told where both cannot be', async () => {
    const domain = await freshDomain();
    registrar.onWire = () => meanwhile(domain, add(a('www', '192.0.2.2')));
    const alias = { type: 'CNAME' as const, subdomain: 'www', hostname: 'sites.example.net' };
    expect(await paused(domain, alias)).toBe('outcome_unknown');
    await repaired(domain);
    expect(recordsAt(domain)).toEqual([a('www', '192.0.2.2')]);
  });

  test.each([
    ['applied', 'it is in force'],
    ['refused', 'it never arrived'],
  ])('counts as %s where %s and nobody has looked since', async (state) => {
    const domain = await freshDomain();
    registrar.onWire = () => meanwhile(domain);
    expect(await paused(domain, a('mine', '192.0.2.1'))).toBe('outcome_unknown');
    if (state === 'refused') registrar.zones.set(domain, noRecords);
    await repaired(domain);
    expect((await dns.zones.versions(scope, domain)).map((each) => [each.reason, each.state])).toContainEqual(
      ['paused', state],
    );
  });

  test('is left as it is when it struck before the others wrote', async () => {
    const domain = await freshDomain();
    const { writes } = registrar;
    registrar.afterStrike = () => meanwhile(domain, add(a('theirs', '192.0.2.2')));
    expect(await paused(domain, a('mine', '192.0.2.1'))).toBe('outcome_unknown');
    await repaired(domain);
    expect(recordsAt(domain)).toEqual([a('mine', '192.0.2.1'), a('theirs', '192.0.2.2')]);
    expect(registrar.writes).toBe(writes + 2);
  });
});

describe('versions', () => {
  test('restored give the export of that day to the byte, also after everything was deleted', async () => {
    const domain = await freshDomain();
    const records = add(a('', '192.0.2.1'), a('www', '192.0.2.1'), {
      type: 'TXT',
      subdomain: '',
      text: 'x"y',
    });
    await dns.zones.change(scope, domain, { records });
    const [yesterday] = await dns.zones.versions(scope, domain);
    const file = await dns.zones.export(scope, domain, undefined);
    const now = await dns.zones.read(scope, domain);
    const removal = flatRecords(now.records).map((record): ZoneChange => ({ action: 'remove', record }));
    await dns.zones.change(scope, domain, { records: removal, version: now.version });
    expect(recordsAt(domain)).toEqual([]);
    const then = await dns.zones.version(scope, domain, yesterday?.id ?? '');
    await dns.zones.change(scope, domain, { records: changesBetween([], flatRecords(then.content)) });
    expect(await dns.zones.export(scope, domain, undefined)).toBe(file);
    expect(await dns.zones.export(scope, domain, yesterday?.id)).toBe(file);
  });

  test('of what was changed elsewhere are kept as found, once however many look at the same time', async () => {
    const domain = await freshDomain();
    await dns.zones.read(scope, domain);
    registrar.zones.set(domain, { ...noRecords, A: [{ subdomain: 'x', ip_address: '192.0.2.5' }] });
    await Promise.all(Array.from({ length: 6 }, () => dns.zones.read(scope, domain)));
    expect(await statesOf(domain)).toEqual(['found', 'found']);
  });

  test('and zones of another organisation are not there', async () => {
    const domain = await freshDomain();
    await dns.zones.read(scope, domain);
    const [version] = await dns.zones.versions(scope, domain);
    const { scope: stranger } = await people.organisation('Stranger');
    const tries = [
      dns.zones.read(stranger, domain),
      dns.zones.change(stranger, domain, { records: add(a('x', '192.0.2.1')) }),
      dns.zones.versions(stranger, domain),
      dns.zones.version(stranger, domain, version?.id ?? ''),
      dns.zones.export(stranger, domain, version?.id),
      dns.zones.preview(stranger, domain, 'a A 192.0.2.1'),
      dns.nameservers.force(stranger, domain),
      dns.nameservers.list(stranger, domain),
    ];
    expect(await Promise.all(tries.map(codeOf))).toEqual(tries.map(() => 'not_found'));
    expect(recordsAt(domain)).toEqual([]);
  });
});

describe('a zone that was read a moment ago', () => {
  const bodyOf = (reply: object) => ('body' in reply ? JSON.parse(String(reply.body)).data : reply);

  test('is shown as it was sent, and asked again after a while, a change, or another delegation', async () => {
    const domain = await freshDomain();
    const copying = dnsProcess(database, registrar, people, true);
    const shown = async () => bodyOf(await copying.zones.show(scope, domain));
    const first = await shown();
    registrar.zones.set(domain, { ...noRecords, A: [{ subdomain: 'x', ip_address: '192.0.2.5' }] });
    expect(await shown()).toEqual(first);
    people.clock.forward(16_000);
    expect((await shown()).records.A).toHaveLength(1);
    await copying.zones.change(scope, domain, { records: add(a('y', '192.0.2.6')) });
    expect((await shown()).records.A).toHaveLength(2);
    registrar.delegated.add(domain);
    expect((await shown()).nameservers_ok).toBe(0);
    await inTransaction(database.db, scope, (tx) =>
      recordSettings(
        tx,
        { organisationId: scope.organisationId, address: domain },
        { nameservers: ['ns1.x.com'] },
      ),
    );
    expect((await shown()).nameservers_ok).toBe(1);
  });

  test('is asked again while nobody knows how the last change ended', async () => {
    const domain = await freshDomain();
    const copying = dnsProcess(database, registrar, people, true);
    await copying.zones.show(scope, domain);
    registrar.silence = 'late';
    await codeOf(copying.zones.change(scope, domain, { records: add(a('late', '192.0.2.1')) }));
    expect(bodyOf(await copying.zones.show(scope, domain)).records.A).toEqual([]);
    registrar.strike();
    expect(bodyOf(await copying.zones.show(scope, domain)).records.A).toHaveLength(1);
  });
});

test('an import tells what is there already, what cannot stand beside it, and what is left out', async () => {
  const domain = await freshDomain({ ...noRecords, A: [{ subdomain: 'www', ip_address: '192.0.2.1' }] });
  const file = 'www A 192.0.2.1\nwww CNAME sites.example.net.\nnew 60 A 192.0.2.3\nx CAA 0 issue "y"';
  const preview = await dns.zones.preview(scope, domain, file);
  expect(preview.records.map(({ line, present, problem, note }) => [line, present, problem, note])).toEqual([
    [1, true, null, null],
    [
      2,
      false,
      `An alias (CNAME) must be the only record of its name. www.${domain} has other records.`,
      null,
    ],
    [3, false, null, 'Its time to live changes from 60 seconds to 1 hour'],
  ]);
  expect(preview.leftOut).toMatchObject([
    { line: 4, reason: 'CAA records are not supported by the registrar' },
  ]);
  expect(recordsAt(domain)).toHaveLength(1);
});

test('records prepared during a transfer are kept here, and served when the domain has come', async () => {
  const address = 'moving.com';
  const where = { organisationId: scope.organisationId, address };
  await inTransaction(database.db, scope, (tx) =>
    recordTransferStart(tx, {
      ...{
        ...where,
        customerId: null,
        autoRenew: false,
        privacy: false,
        credentialsSealed: null,
        now: new Date(),
      },
    }),
  );
  expect(await dns.zones.read(scope, address)).toMatchObject({ staged: true, nameservers_ok: 0 });
  const seen = await dns.zones.change(scope, address, { records: add(a('www', '192.0.2.1')) });
  expect(seen).toMatchObject({ staged: true, records: { A: [{ subdomain: 'www' }] } });
  const entries = await logged(database.db, scope, 'dns.changeZone');
  expect(entries.find(({ object }) => object === address)).toMatchObject({
    ...{ by: scope.userId, before: { records: 0 }, after: { records: 1, staged: true } },
  });
  await dns.tasks['dns.publish-staged'](where);
  expect(registrar.zones.has(address)).toBe(false);
  await inTransaction(database.db, scope, (tx) =>
    recordTransferEnd(tx, { ...where, expiresAt: new Date(), registeredAt: new Date(), now: new Date() }),
  );
  await Promise.all([1, 2].map(() => dns.tasks['dns.publish-staged'](where)));
  expect(recordsAt(address)).toEqual([a('www', '192.0.2.1')]);
  expect(registrar.writes).toBeGreaterThan(0);
  expect(await statesOf(address)).toEqual(['applied', 'staged']);
});

test('what was prepared and the registrar refuses is published no more, and the zone can be changed', async () => {
  const address = 'refused.com';
  const where = { organisationId: scope.organisationId, address };
  const start = { ...where, customerId: null, autoRenew: false, privacy: false, credentialsSealed: null };
  await inTransaction(database.db, scope, (tx) => recordTransferStart(tx, { ...start, now: new Date() }));
  await dns.zones.change(scope, address, { records: add(a('www', '192.0.2.1')) });
  await inTransaction(database.db, scope, (tx) =>
    recordTransferEnd(tx, { ...where, expiresAt: new Date(), registeredAt: new Date(), now: new Date() }),
  );
  registrar.refusal = 'Invalid DNS record';
  await expect(dns.tasks['dns.publish-staged'](where)).rejects.toMatchObject({ code: 'registrar_refused' });
  registrar.refusal = null;
  await dns.tasks['dns.publish-staged'](where);
  expect(recordsAt(address)).toEqual([]);
  await dns.zones.change(scope, address, { records: add(a('mail', '192.0.2.2')) });
  expect(recordsAt(address)).toEqual([a('mail', '192.0.2.2')]);
});

describe('hosts below a domain', () => {
  test('keep the address of a family that is left out, and lose it when it is taken away', async () => {
    const domain = await freshDomain();
    const name = `ns1.${domain}`;
    await dns.nameservers.create(scope, domain, { name, ipaddress: '192.0.2.1', ipv6: '2001:db8::1' });
    await dns.nameservers.update(scope, domain, { name, ipaddress: '192.0.2.2' });
    const row = { name, ipaddress: '192.0.2.2', can_delete: 1 };
    expect(await dns.nameservers.list(scope, domain)).toEqual([{ ...row, ipv6: '2001:db8::1' }]);
    await dns.nameservers.update(scope, domain, { name, ipv6: null, new_name: `ns9.${domain}` });
    expect(await dns.nameservers.list(scope, domain)).toEqual([
      { ...row, name: `ns9.${domain}`, ipv6: null },
    ]);
    await dns.nameservers.remove(scope, domain, `ns9.${domain}`);
    expect(await dns.nameservers.list(scope, domain)).toEqual([]);
  });

  test('are refused without an address, or outside of the domain', async () => {
    const domain = await freshDomain();
    expect(await codeOf(dns.nameservers.create(scope, domain, { name: `ns1.${domain}` }))).toBe(
      'validation_failed',
    );
    const elsewhere = { name: 'ns1.example.net', ipaddress: '192.0.2.1' };
    expect(await codeOf(dns.nameservers.create(scope, domain, elsewhere))).toBe('validation_failed');
  });

  test('that serve a domain are not deleted', async () => {
    const domain = await freshDomain();
    const name = `ns1.${domain}`;
    registrar.hosts.set(domain, [{ name, ipv4: '192.0.2.1', ipv6: null, canDelete: false }]);
    expect(await codeOf(dns.nameservers.remove(scope, domain, name))).toBe('unprocessable');
  });

  test('that exist with other addresses are not said to be saved: the field says so, and nothing changes', async () => {
    const domain = await freshDomain();
    const name = `ns1.${domain}`;
    await dns.nameservers.create(scope, domain, { name, ipaddress: '192.0.2.1' });
    await expect(
      dns.nameservers.create(scope, domain, { name, ipaddress: '192.0.2.99' }),
    ).rejects.toMatchObject({
      code: 'already_exists',
      details: [
        {
          path: 'name',
          message: `${name} already exists with the address 192.0.2.1. Edit it to change the address.`,
        },
      ],
    });
    expect(registrar.hosts.get(domain)).toMatchObject([{ name, ipv4: '192.0.2.1' }]);
    // The very same host is what was wanted.
    expect(await codeOf(dns.nameservers.create(scope, domain, { name, ipaddress: '192.0.2.1' }))).toBe('ok');
  });

  test('whose change gets no answer are read again', async () => {
    const domain = await freshDomain();
    const host = { name: `ns1.${domain}`, ipaddress: '192.0.2.1' };
    registrar.silence = 'before';
    expect(await codeOf(dns.nameservers.create(scope, domain, host))).toBe('outcome_unknown');
    expect((await logged(database.db, scope, 'dns.createGlue')).at(-1)).toMatchObject({
      ...{ object: domain, after: { name: host.name, outcome: 'unknown' } },
    });
    registrar.silence = 'after';
    expect(await codeOf(dns.nameservers.create(scope, domain, host))).toBe('ok');
    registrar.silence = 'before';
    const change = { name: host.name, ipaddress: '192.0.2.2' };
    expect(await codeOf(dns.nameservers.update(scope, domain, change))).toBe('outcome_unknown');
    expect((await logged(database.db, scope, 'dns.updateGlue')).at(-1)).toMatchObject({
      ...{ before: host, after: { ...change, outcome: 'unknown' } },
    });
  });
});

test('switching to the managed DNS that gets no answer is told by what the registrar says then', async () => {
  const domain = await freshDomain();
  const force = () => codeOf(dns.nameservers.force(scope, domain));
  registrar.zones.delete(domain);
  registrar.silence = 'after';
  expect(await force()).toBe('ok');
  expect(registrar.delegated.has(domain)).toBe(true);
  // Its zone is there, and nobody knows of its nameservers.
  registrar.delegated.delete(domain);
  registrar.afterStrike = async () => {
    registrar.silence = 'before';
  };
  expect(await force()).toBe('outcome_unknown');
  expect((await logged(database.db, scope, 'dns.forceNameservers')).at(-1)).toMatchObject({
    ...{ object: domain, after: { outcome: 'unknown' } },
  });
});

test('switching to the managed DNS that the registrar takes up later is told so, and shown when it has happened', async () => {
  const domain = await freshDomain();
  const place = { organisationId: scope.organisationId, address: domain };
  const before = ['ns1.elsewhere.example', 'ns2.elsewhere.example'];
  const managed = ['ns1.managed.example', 'ns2.managed.example'];
  await inTransaction(database.db, scope, (tx) => recordSettings(tx, place, { nameservers: before }));
  const answers: Outcome<void>[] = [
    { kind: 'pending', orderId: null, text: 'It takes a while.' },
    { kind: 'done', value: undefined },
  ];
  const { force } = createNameservers({
    ...{ db: database.db, clock: people.clock, leases: testLeases(database), nameservers: managed },
    registrar: {
      ...registrar.asPort(),
      useRegistrarNameservers: async () => answers.shift() as Outcome<void>,
    },
  });
  const shown = () =>
    inTransaction(database.db, scope, async (tx) => {
      const row = await tx
        .selectFrom('domains')
        .select('nameservers')
        .where('address', '=', domain)
        .executeTakeFirst();
      return row?.nameservers;
    });
  expect(await force(scope, domain)).toEqual({ domain, notice: 'It takes a while.' });
  expect(await shown()).toEqual(before);
  expect(await force(scope, domain)).toEqual({ domain, notice: null });
  expect(await shown()).toEqual(managed);
  // The log keeps where it led before: nobody else knows it any more.
  expect((await logged(database.db, scope, 'dns.forceNameservers')).slice(-2)).toMatchObject(
    [1, 2].map(() => ({ object: domain, before: { nameservers: before }, after: { nameservers: managed } })),
  );
});

test('a customer’s own user edits records, and sets nothing else unless allowed', async () => {
  const billing = { billDirectly: false, email: '', allowChangeBilling: false };
  const customer = await people.customers.create(scope, { contacts: contactsOf(), billing }, null);
  const { scope: guest } = await people.join(scope, {
    type: 'MSP_CUSTOMER',
    authorizedClientId: customer.customerId,
  });
  const domain = 'guest-name.com';
  await ownDomain(database, scope, domain, customer.customerId);
  registrar.zones.set(domain, structuredClone(noRecords));
  await dns.zones.change(guest, domain, { records: add(a('www', '192.0.2.1')) });
  expect(await codeOf(dns.nameservers.force(guest, domain))).toBe('forbidden');
  expect(await codeOf(dns.zones.read(guest, await freshDomain()))).toBe('not_found');
});

test('an organisation keeps 100 templates of 64 KB at most, however many are sent at once', async () => {
  const mine = (await people.organisation()).scope;
  const small = { ...noRecords, A: [{ subdomain: '', ip_address: '192.0.2.1' }] };
  const save = (index: number) =>
    dns.templates.save(mine, { name: `t${index}`, records: small, variables: [] });
  for (let index = 0; index < 98; index += 1) await save(index);
  const more = await Promise.allSettled([200, 201, 202, 203, 204].map(save));
  expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  await expect(save(300)).rejects.toMatchObject({
    code: 'unprocessable',
    message: 'There are 100 templates already. Please delete some first.',
  });
  const large = { ...noRecords, TXT: [{ subdomain: '', text: 'x'.repeat(64_000) }] };
  await expect(
    dns.templates.save(mine, { name: 'large', records: large, variables: [] }),
  ).rejects.toMatchObject({
    code: 'validation_failed',
    details: [{ path: 'records' }],
  });
});

test('templates are kept by name, once', async () => {
  const given = {
    name: 'Ours',
    variables: [],
    records: { ...noRecords, A: [{ subdomain: '', ip_address: '192.0.2.1' }] },
  };
  const saved = await dns.templates.save(scope, given);
  expect(await codeOf(dns.templates.save(scope, { ...given, name: 'OURS' }))).toBe('already_exists');
  expect(await dns.templates.list(scope)).toEqual([saved]);
  await dns.templates.remove(scope, saved.id);
  expect(await codeOf(dns.templates.remove(scope, saved.id))).toBe('not_found');
});
