import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { bodyOfCopy, dropCopy, findCopy, saveCopy } from './copies.repo.ts';
import { servedDomain } from './places.repo.ts';
import {
  acknowledgedSince,
  concludeVersion,
  emptyVersion,
  findVersion,
  givenUpWith,
  giveUpVersion,
  insertVersion,
  isWrittenBy,
  lastDifferences,
  listVersions,
  newestVersion,
  recordsOfHash,
  type VersionState,
  versionOf,
  type ZonePlace,
} from './versions.repo.ts';

/** Each condition of the statements about a zone's versions and copies, beside a row that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let scope: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  scope = { organisationId, reach: { kind: 'organisation' } } as Scope;
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const [before, later] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
const clock = { now: () => now } as Clock;
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const nameservers = ['ns1.example.net', 'ns2.example.net'];
const host = (address: string): DnsRecord =>
  ({ type: 'A', subdomain: 'www', ip_address: address }) as unknown as DnsRecord;

async function zone(change: Parameters<typeof domainRow>[2] = {}): Promise<ZonePlace> {
  const { id, address } = await domainRow(database, organisationId, { nameservers, ...change });
  return { organisationId, domainId: id, address, nameservers };
}
async function version(
  place: ZonePlace,
  state: VersionState,
  records: readonly DnsRecord[],
  known: readonly DnsRecord[] | null = null,
  itemId?: string,
) {
  const id = newId();
  const author = { id: null, name: 'Ada' };
  const made = { id, records, state, author, reason: 'because', before: known, itemId };
  await tenant((tx) => insertVersion(tx, clock, place, made));
  return id;
}
const stateOf = async (place: ZonePlace, id: string) =>
  (await tenant((tx) => findVersion(tx, place, id)))?.head.state;

let mine: ZonePlace;
let other: ZonePlace;
beforeEach(async () => {
  [mine, other] = [await zone(), await zone()];
});

describe('a version', () => {
  test.each([
    ['writing', 'applied'],
    ['unknown', 'applied'],
    ['staged', 'applied'],
    ['refused', 'refused'],
    ['found', 'found'],
  ] as const)('that is %s is %s after its conclusion, and no other is', async (from, to) => {
    const [id, beside] = [await version(mine, from, []), await version(mine, 'writing', [])];
    await tenant((tx) => concludeVersion(tx, mine, id, 'applied'));
    expect([await stateOf(mine, id), await stateOf(mine, beside)]).toEqual([to, 'writing']);
  });

  test.each([
    ['writing', 'refused'],
    ['unknown', 'refused'],
    ['applied', 'applied'],
    ['staged', 'staged'],
  ] as const)('that is %s is %s after it was given up, and no other is', async (from, to) => {
    const [id, beside] = [await version(mine, from, []), await version(mine, 'writing', [])];
    await tenant((tx) => giveUpVersion(tx, mine, id));
    expect([await stateOf(mine, id), await stateOf(mine, beside)]).toEqual([to, 'writing']);
  });

  test('that was given up is known again by its records, the newest of them, in its own zone', async () => {
    const [records, others] = [[host('192.0.2.1')], [host('192.0.2.2')]];
    const known = () => tenant((tx) => givenUpWith(tx, mine, versionOf(records)));
    const giveUp = async (place: ZonePlace, of: readonly DnsRecord[]) => {
      const id = await version(place, 'unknown', of);
      await tenant((tx) => giveUpVersion(tx, place, id));
      return id;
    };
    await version(mine, 'refused', records);
    await giveUp(mine, others);
    await giveUp(other, records);
    expect(await known()).toBeNull();
    await giveUp(mine, records);
    const newest = await giveUp(mine, records);
    await giveUp(mine, others);
    expect(await known()).toBe(newest);
  });

  test.each([
    ['applied', true],
    ['staged', true],
    ['writing', false],
    ['unknown', false],
    ['refused', false],
  ] as const)('that is %s has been written for its item of a change: %s', async (state, isWritten) => {
    const [item, another] = [newId(), newId()];
    await version(mine, state, [], null, item);
    await version(other, 'applied', [], null, another);
    const asked = [item, another].map((id) => tenant((tx) => isWrittenBy(tx, mine, id)));
    expect(await Promise.all(asked)).toEqual([isWritten, false]);
  });

  test('is found and listed in its own zone, under its own number', async () => {
    const [first, second] = [await version(mine, 'applied', []), await version(mine, 'found', [])];
    const foreign = await version(other, 'applied', []);
    expect((await tenant((tx) => listVersions(tx, mine))).map(({ id }) => id)).toEqual([second, first]);
    expect((await tenant((tx) => findVersion(tx, mine, first)))?.head.id).toBe(first);
    expect(await tenant((tx) => findVersion(tx, mine, foreign))).toBeNull();
  });

  test('counts as the newest unless it was refused', async () => {
    const id = await version(mine, 'unknown', []);
    await version(mine, 'refused', []);
    await version(other, 'applied', []);
    expect((await tenant((tx) => newestVersion(tx, clock, mine)))?.id).toBe(id);
  });

  test('is known by its hash in its own zone; the empty zone is always known', async () => {
    const [records, elsewhere] = [[host('192.0.2.1')], [host('192.0.2.2')]];
    await version(mine, 'applied', records);
    await version(other, 'applied', elsewhere);
    const known = (hash: string) => tenant((tx) => recordsOfHash(tx, mine, hash));
    expect(await known(versionOf(records))).toEqual(records);
    expect(await known(versionOf(elsewhere))).toBeNull();
    expect(await known(emptyVersion)).toEqual([]);
  });
});

test('acknowledged since a version is what was applied after it, with what was found before', async () => {
  const [a, b, c, d] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].map((address) => [host(address)]);
  if (!a || !b || !c || !d) throw new Error('no records');
  await version(mine, 'applied', a);
  const begun = await version(mine, 'writing', d);
  await version(mine, 'refused', d);
  await version(mine, 'found', b);
  await version(other, 'applied', d);
  await version(mine, 'applied', c);
  await version(mine, 'staged', d);
  expect(await tenant((tx) => acknowledgedSince(tx, mine, begun))).toEqual([{ before: b, after: c }]);
});

test('who gave a record its present form: of versions in force or prepared, the last one, and of no removal', async () => {
  const records = [host('192.0.2.1')];
  await version(mine, 'applied', records, []);
  await version(mine, 'applied', [], records);
  const last = await version(mine, 'staged', records, []);
  for (const state of ['refused', 'writing', 'unknown'] as const) await version(mine, state, records, []);
  await version(mine, 'found', records, null);
  await version(other, 'applied', [host('192.0.2.9')], []);
  const found = await tenant((tx) => lastDifferences(tx, mine));
  expect(found.map(({ record, versionId }) => ({ record, versionId }))).toEqual([
    { record: expect.objectContaining({ ip_address: '192.0.2.1' }), versionId: last },
  ]);
});

test.each([
  ['active', true],
  ['expired', true],
  ['transferring', false],
  ['ended', false],
] as const)('the zone of a domain that is %s is served: %s', async (status, served) => {
  const { address, domainId } = await zone({ status });
  const found = await tenant((tx) => servedDomain(tx, { organisationId, address }));
  expect(found?.id).toBe(served ? domainId : undefined);
});

describe('a copy', () => {
  const save = (place: ZonePlace, body = 'zone', at = now) => tenant((tx) => saveCopy(tx, place, body, at));
  const found = async (place: ZonePlace, since = before, as = scope) =>
    (await tenant((tx) => findCopy(tx, as, place.address, since)))?.domainId;
  const body = async (place: ZonePlace) =>
    (await tenant((tx) => bodyOfCopy(tx, scope, place.domainId)))?.toString();

  test('answers for its own domain after the moment that is asked for', async () => {
    await save(mine);
    await save(other);
    expect(await found(mine)).toBe(mine.domainId);
    expect(await found(mine, now)).toBeUndefined();
  });

  test('is no answer once the delegation is another, out of reach, or while the domain is on its way', async () => {
    await save(mine);
    const limited = { ...scope, reach: { kind: 'customers', ids: [newId()] } } as unknown as Scope;
    expect(await found(mine, before, limited)).toBeUndefined();
    const change = (set: { nameservers?: string[]; status?: 'transferring' }) =>
      tenant((tx) => tx.updateTable('domains').set(set).where('id', '=', mine.domainId).execute());
    await change({ nameservers: ['ns9.example.net'] });
    expect(await found(mine)).toBeUndefined();
    await change({ nameservers, status: 'transferring' });
    expect(await found(mine)).toBeUndefined();
  });

  test('gives way to a word as new or newer, never to an older one', async () => {
    await save(mine, 'first');
    await save(mine, 'older', before);
    expect(await body(mine)).toBe('first');
    await save(mine, 'same moment');
    expect(await body(mine)).toBe('same moment');
    await save(mine, 'newer', later);
    expect(await body(mine)).toBe('newer');
  });

  test('goes with the next version of its zone, and alone', async () => {
    await save(mine, 'mine');
    await save(other, 'other');
    await version(mine, 'writing', []);
    expect(await found(mine)).toBeUndefined();
    // Who had found it a moment before asks the registrar.
    expect(await body(mine)).toBeUndefined();
    expect(await body(other)).toBe('other');
    await tenant((tx) => dropCopy(tx, other));
    expect(await found(other)).toBeUndefined();
  });
});
