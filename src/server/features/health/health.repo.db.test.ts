import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  certificateRow,
  customerRow,
  domainRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { insertVersion, versionOf } from '../dns/versions.repo.ts';
import { healthAttention } from './attention.repo.ts';
import {
  type Claimed,
  findCustomer,
  findDomain,
  findingsOf,
  noteRegistration,
  ownFacts,
  planNew,
  recordVerdicts,
  takeDue,
  watchedFacts,
} from './health.repo.ts';
import { heldHere, insertWatched } from './watched.repo.ts';

/** What is planned, who takes it, and what the portal knows of it. */

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
const domain = (change: Parameters<typeof domainRow>[2] = {}) =>
  domainRow(database, organisationId, { status: 'active', ...change });
const planned = () =>
  across(
    database,
    async (tx) =>
      (
        await sql<{ domain_id: string; next_at: Date }>`SELECT domain_id, next_at FROM health_checks
          WHERE organisation_id = ${organisationId} ORDER BY next_at`.execute(tx)
      ).rows,
  );
const plan = (...ids: string[]) => across(database, (tx) => planNew(tx, ids, now));

test('domains of the named organizations are planned within ten minutes, once; those that ended are looked at no more', async () => {
  const many = await Promise.all(Array.from({ length: 12 }, () => domain()));
  const other = await domain({ status: 'expired' });
  await domain({ status: 'ended' });
  await domain({ status: 'transferring' });
  await plan(await organisationRow(database));
  expect(await planned()).toEqual([]);
  await plan(organisationId);
  const first = await planned();
  const ids = many.map(({ id }) => id).sort();
  expect(first.map((row) => row.domain_id).sort()).toEqual([...ids, other.id].sort());
  for (const { next_at } of first) {
    expect(next_at.getTime()).toBeGreaterThanOrEqual(now.getTime());
    expect(next_at.getTime()).toBeLessThanOrEqual(minutes(10).getTime());
  }
  await plan(organisationId);
  expect(await planned()).toEqual(first);
  await across(database, (tx) =>
    tx.updateTable('domains').set({ status: 'ended' }).where('id', '=', other.id).execute(),
  );
  await plan(organisationId);
  expect((await planned()).map((row) => row.domain_id).sort()).toEqual(ids);
});

test('what has left the account is not looked at, and nothing that was found of it is said; when it is found again, it is both', async () => {
  const customerId = await customerRow(database, organisationId);
  const { id, address } = await domain({ customer_id: customerId, nameservers: ['ns1.ours.example'] });
  const reach = { kind: 'organisation' };
  const userId = await userRow(database, organisationId);
  const scope = { organisationId, reach, userId } as unknown as Scope;
  const place: Claimed = { organisationId, subjectId: id, watched: false, until: now };
  await plan(organisationId);
  await across(database, (tx) =>
    recordVerdicts(tx, place, { found: [{ kind: 'ns-differs', detail: '' }], cleared: [], now }),
  );
  const seen = () =>
    across(database, async (tx) => {
      const question = { now, organisationIds: [organisationId] };
      return {
        facts: (await ownFacts(tx, place, { managed: [], now }))?.address,
        attention: (await healthAttention.present(tx, question)).map((one) => one.object),
        findings: (await findingsOf(tx, scope, id)).map(({ kind }) => kind),
        reported: (await findCustomer(tx, scope, customerId))?.domains,
        missing: (await findDomain(tx, scope, address))?.missing,
      };
    });
  const miss = (since: Date | null) =>
    across(database, (tx) =>
      tx.updateTable('domains').set({ missing_since: since }).where('id', '=', id).execute(),
    );
  const here = { facts: address, attention: [id], findings: ['ns-differs'], reported: 1, missing: false };
  expect(await seen()).toEqual(here);
  await miss(now);
  expect(await seen()).toEqual({ facts: undefined, attention: [], findings: [], reported: 0, missing: true });
  await plan(organisationId);
  expect(await planned()).toEqual([]);
  // It is held elsewhere, and may be watched like any such name until it is found again.
  expect(await across(database, (tx) => heldHere(tx, scope, [address]))).toEqual(new Set());
  await across(database, (tx) => insertWatched(tx, scope, { names: [address], customerId: null, now }));
  await plan(organisationId);
  expect(await across(database, (tx) => findDomain(tx, scope, address))).toMatchObject({
    ...{ watched: true, missing: false, nextAt: now },
  });
  await miss(null);
  expect(await across(database, (tx) => heldHere(tx, scope, [address]))).toEqual(new Set([address]));
  await plan(organisationId);
  expect((await planned()).map(({ domain_id }) => domain_id)).toEqual([id]);
  expect(await seen()).toEqual(here);
});

test('so many are taken as may be, the longest due first, and nobody else takes them for two minutes', async () => {
  const rows = await Promise.all(Array.from({ length: 4 }, () => domain()));
  await plan(organisationId);
  const at = (id: string | undefined, next: Date) =>
    across(database, (tx) =>
      sql`UPDATE health_checks SET next_at = ${next} WHERE domain_id = ${id}`.execute(tx),
    );
  const [oldest, due, just, later] = rows.map(({ id }) => id);
  // Not in the order in which they lie in the table.
  await at(later, minutes(1));
  await at(just, now);
  await at(due, minutes(-1));
  await at(oldest, minutes(-9));
  const take = async (most: number, when = now) =>
    (
      await across(database, async (tx) => {
        // The index has the order already.
        await sql`SET LOCAL enable_indexscan = off`.execute(tx);
        await sql`SET LOCAL enable_bitmapscan = off`.execute(tx);
        return takeDue(tx, when, most);
      })
    )
      .filter((claimed) => claimed.organisationId === organisationId)
      .map(({ subjectId }) => subjectId)
      .sort();
  expect(await take(2)).toEqual([oldest, due].sort());
  expect(await take(10)).toEqual([just]);
  expect(await take(10)).toEqual([]);
  expect(await take(10, minutes(2))).toEqual([oldest, due, just, later].sort());
});

test('aliases are those of the zone here only where each nameserver is ours: else the world asks another zone', async () => {
  const managed = ['ns1.ours.example', 'ns2.ours.example'];
  const aliasesAt = async (...nameservers: string[]) => {
    const { id, address } = await domain({ nameservers });
    const place = { organisationId, domainId: id, address, nameservers };
    const records = [{ type: 'CNAME', subdomain: 'shop', hostname: 'gone.example.' } as const];
    const version = {
      ...{ records, hash: versionOf(records), changes: null },
      author: { id: null, name: 'A' },
      reason: '',
    };
    await within(database, organisationId, (tx) =>
      insertVersion(tx, { now: () => now }, place, { id: newId(), state: 'applied', ...version }),
    );
    const look = { organisationId, subjectId: id, watched: false };
    return (await across(database, (tx) => ownFacts(tx, look, { managed, now })))?.aliases;
  };
  expect(await aliasesAt(...managed)).toEqual([{ name: 'shop', target: 'gone.example' }]);
  expect(await aliasesAt('ns1.ours.example', 'ns1.else.example')).toBeNull();
  expect(await aliasesAt()).toBeNull();
});

test('a certificate is a machine’s while its access works; once it has ended, people hear of its serial and its proof', async () => {
  const { id, address } = await domain({ nameservers: ['ns1.else.example'] });
  const customerId = await customerRow(database, organisationId);
  const madeBy = await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  const access = async (ended: { revoked_at?: Date; expires_at?: Date }) => {
    const accessId = newId();
    await within(database, organisationId, (tx) =>
      tx
        .insertInto('acme_accesses')
        .values({
          ...{ id: accessId, organisation_id: organisationId, customer_id: customerId, name: 'web' },
          ...{ key_id: newId(), hmac_sealed: Buffer.from('k'), hosts: null, product_type: 'product' },
          ...{ orders_per_month: null, cents_per_month: null, made_by: madeBy, by_customer: false },
          ...{ expires_at: null, last_used_at: null, revoked_at: null },
          ...ended,
        })
        .execute(),
    );
    return accessId;
  };
  const facts = async (accessId: string | null) => {
    const held = await certificateRow(database, organisationId, {
      ...{ address, host_names: [], serial: '0a', validation_method: 'DNS', auto_reissue: true },
      ...{ valid_to: minutes(60), term_ends_at: minutes(100_000), acme_access_id: accessId },
      proof: JSON.stringify({ dnsName: `_p.${address}`, dnsType: 'CNAME', dnsValue: 'v.example' }),
    });
    const look = { organisationId, subjectId: id, watched: false };
    const found = await across(database, (tx) => ownFacts(tx, look, { managed: ['ns1.ours.example'], now }));
    await within(database, organisationId, (tx) =>
      tx.deleteFrom('certificates').where('id', '=', held).execute(),
    );
    return found?.certificates.map(({ serial, proof }) => [serial, proof !== null]);
  };
  expect(await facts(null)).toEqual([['0a', true]]);
  expect(await facts(await access({}))).toEqual([[null, false]]);
  expect(await facts(await access({ expires_at: minutes(1) }))).toEqual([[null, false]]);
  expect(await facts(await access({ expires_at: now }))).toEqual([['0a', true]]);
  expect(await facts(await access({ revoked_at: minutes(-1) }))).toEqual([['0a', true]]);
});

describe('what the portal knows of a domain', () => {
  const managed = ['ns1.ours.example', 'ns2.ours.example'];
  const look = (subjectId: string) =>
    across(database, (tx) => ownFacts(tx, { organisationId, subjectId, watched: false }, { managed, now }));
  const held = (address: string, change: Parameters<typeof certificateRow>[2] = {}, of = organisationId) =>
    certificateRow(database, of, { address, host_names: [], serial: '0a', ...change });

  test('are the running certificates for it and names in it, of its own organization', async () => {
    const { id, address } = await domain();
    await held(address, { host_names: [`www.${address}`], product_type: 'rapidssl' });
    await held(`shop.${address}`);
    for (const state of ['pending', 'declined'] as const) await held(address, { state });
    await held(`not-${address}`);
    await held(address, {}, await organisationRow(database));
    const facts = await look(id);
    expect(facts?.certificates.map(({ hosts }) => hosts)).toEqual([
      [address, `www.${address}`],
      [`shop.${address}`],
    ]);
    expect(facts?.certificates[0]).toMatchObject({ productType: 'rapidssl', serial: '0a', proof: null });
  });

  const dns = {
    ...{
      validation_method: 'DNS',
      auto_reissue: true,
      valid_to: minutes(60),
      term_ends_at: minutes(100_000),
    },
    proof: JSON.stringify({ dnsName: '_p.example', dnsType: 'CNAME', dnsValue: 'v.example' }),
  } as const;
  test.each<[string, object, string[], boolean]>([
    ['by a record in a zone of others', {}, ['ns1.else.example'], true],
    ['by mail', { validation_method: 'EMAIL' }, ['ns1.else.example'], false],
    ['by nobody: reissues are off', { auto_reissue: false }, ['ns1.else.example'], false],
    ['to the end of its term', { term_ends_at: minutes(60 + 1_440) }, ['ns1.else.example'], false],
    ['a day before the end of its term', { term_ends_at: minutes(61 + 1_440) }, ['ns1.else.example'], true],
    ['without a record that is known', { proof: '{}' }, ['ns1.else.example'], false],
    ['where one of the nameservers is ours', {}, ['ns1.ours.example', 'ns1.else.example'], false],
  ])('is the record that proves a reissue %s', async (_how, change, nameservers, known) => {
    const { id, address } = await domain({ nameservers });
    await held(address, { ...dns, ...change });
    expect((await look(id))?.certificates[0]?.proof).toEqual(
      known ? { name: '_p.example', type: 'CNAME', value: 'v.example' } : null,
    );
  });

  test('are the aliases of its newest zone that is served, and of no mark in it', async () => {
    const { id, address } = await domain({ nameservers: managed });
    const place = { organisationId, domainId: id, address, nameservers: managed };
    const version = async (state: 'applied' | 'writing', ...subdomains: string[]) => {
      const records = subdomains.map((subdomain) => ({
        ...({ type: 'CNAME', subdomain, hostname: 'Site.Example.' } as const),
      }));
      const made = { hash: versionOf(records), author: { id: null, name: 'A' }, reason: '', changes: null };
      await within(database, organisationId, (tx) =>
        insertVersion(tx, { now: () => now }, place, { id: newId(), state, records, ...made }),
      );
    };
    expect((await look(id))?.aliases).toEqual([]);
    await version('applied', 'old');
    await version('applied', 'shop', '_dmarc', 'x._domainkey');
    await version('writing', 'next');
    expect((await look(id))?.aliases).toEqual([{ name: 'shop', target: 'site.example' }]);
  });

  test('is its state as the portal has it, while it is here', async () => {
    const { id, address } = await domain({
      ...{ nameservers: ['ns1.else.example'], locked: false, auto_renew: true, expires_at: minutes(5) },
      ...{ verification: 'waiting', verification_bounced: true },
    });
    expect(await look(id)).toEqual({
      ...{ address, aliases: null, certificates: [] },
      registered: {
        ...{ nameservers: ['ns1.else.example'], locked: false, autoRenew: true, expiresAt: minutes(5) },
        ...{ verification: 'waiting', bounced: true },
      },
    });
    for (const status of ['ended', 'transferring'] as const) {
      expect(await look((await domain({ status })).id)).toBeUndefined();
    }
  });
});

test('a watched name knows the certificates of its own customer, or of all where it is nobody’s, and what its registry said', async () => {
  const [mine, theirs] = [
    await customerRow(database, organisationId),
    await customerRow(database, organisationId),
  ];
  const scope = {
    ...{ organisationId, reach: { kind: 'organisation' }, userId: await userRow(database, organisationId) },
  } as unknown as Scope;
  const [ofMine, ofNobody] = [`mine-${newId()}.com`, `nobody-${newId()}.com`];
  const ids = new Map<string, string>();
  for (const [name, customerId] of [
    [ofMine, mine],
    [ofNobody, null],
  ] as const) {
    await across(database, (tx) => insertWatched(tx, scope, { names: [name], customerId, now }));
    const found = await across(database, (tx) => findDomain(tx, scope, name));
    ids.set(name, found?.subjectId ?? '');
    for (const customer_id of [mine, theirs, null]) {
      await certificateRow(database, organisationId, { address: `www.${name}`, customer_id, host_names: [] });
    }
  }
  const place = (name: string) => ({ organisationId, subjectId: ids.get(name) ?? '', watched: true });
  const known = async (name: string) => across(database, (tx) => watchedFacts(tx, place(name), now));
  expect([(await known(ofMine))?.certificates.length, (await known(ofNobody))?.certificates.length]).toEqual([
    1, 3,
  ]);
  expect(await known(ofMine)).toMatchObject({ address: ofMine, registered: null, aliases: null });
  const note = (registration: Parameters<typeof noteRegistration>[2], name = ofMine) =>
    across(database, (tx) => noteRegistration(tx, place(name), registration));
  const said = async () => {
    const found = await across(database, (tx) => findDomain(tx, scope, ofMine));
    return [found?.registrar, found?.expiresAt];
  };
  const registration = { registrar: 'Other', expiresAt: minutes(9) };
  expect(await note(registration as never)).toBe(true);
  expect(await said()).toEqual(['Other', minutes(9)]);
  // Silence leaves what is known; that nobody has it is an answer.
  expect(await note(undefined)).toBe(true);
  expect(await said()).toEqual(['Other', minutes(9)]);
  expect(await note(null)).toBe(true);
  expect(await said()).toEqual([null, null]);
  ids.set('gone.com', newId());
  expect(await note(registration as never, 'gone.com')).toBe(false);
});
