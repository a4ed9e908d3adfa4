import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { changesBetween } from '#contracts/values/zone-changes.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
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
  mayBeEmpty,
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
  const made = { id, records, state, author, reason: 'because', itemId };
  const changes = known && changesBetween(known, records);
  await tenant((tx) => insertVersion(tx, clock, place, { ...made, changes, hash: versionOf(records) }));
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
    expect((await tenant((tx) => listVersions(tx, mine, scope))).map(({ id }) => id)).toEqual([
      second,
      first,
    ]);
    expect((await tenant((tx) => findVersion(tx, mine, first)))?.head.id).toBe(first);
    expect(await tenant((tx) => findVersion(tx, mine, foreign))).toBeNull();
  });

  test('is listed to those whose the domain was when it was written, and to everybody of the organization', async () => {
    const [mineFirst, thenTheirs] = [
      await customerRow(database, organisationId),
      await customerRow(database, organisationId),
    ];
    const place = await zone({ customer_id: mineFirst });
    const own = await version(place, 'applied', []);
    await tenant((tx) =>
      tx.updateTable('domains').set({ customer_id: thenTheirs }).where('id', '=', place.domainId).execute(),
    );
    const theirs = await version(place, 'found', []);
    const nobodys = await version(mine, 'applied', []);
    const listedTo = async (at: ZonePlace, id?: string) => {
      const reader: Pick<Scope, 'reach'> = id ? { reach: { kind: 'customers', ids: [id] } } : scope;
      return (await tenant((tx) => listVersions(tx, at, reader))).map((head) => head.id);
    };
    expect(await listedTo(place, mineFirst)).toEqual([own]);
    expect(await listedTo(place, thenTheirs)).toEqual([theirs]);
    expect(await listedTo(place)).toEqual([theirs, own]);
    expect([await listedTo(mine, mineFirst), await listedTo(mine)]).toEqual([[], [nobodys]]);
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

test.each([
  ['nothing is known of it', [], true],
  ['it had records', [['applied', 1]], false],
  ['it was found with records', [['found', 1]], false],
  [
    'it was emptied here',
    [
      ['found', 1],
      ['applied', 0],
    ],
    true,
  ],
  [
    'it was found empty',
    [
      ['applied', 1],
      ['found', 0],
    ],
    true,
  ],
  [
    'it had records again',
    [
      ['applied', 1],
      ['applied', 0],
      ['found', 1],
    ],
    false,
  ],
  [
    'it is being emptied',
    [
      ['applied', 1],
      ['writing', 0],
    ],
    true,
  ],
  [
    'nobody knows whether it was emptied',
    [
      ['applied', 1],
      ['unknown', 0],
    ],
    true,
  ],
  [
    'what was to empty it was given up and may strike yet',
    [
      ['applied', 1],
      ['given up', 0],
    ],
    true,
  ],
  [
    'the registrar refused to empty it',
    [
      ['applied', 1],
      ['refused', 0],
    ],
    false,
  ],
  [
    'it is to be empty once its transfer ends',
    [
      ['applied', 1],
      ['staged', 0],
    ],
    false,
  ],
  [
    'nobody knows whether its only records came there',
    [
      ['found', 0],
      ['unknown', 1],
      ['writing', 1],
    ],
    true,
  ],
  [
    'its records were refused, or wait here',
    [
      ['refused', 1],
      ['given up', 1],
      ['staged', 1],
    ],
    true,
  ],
] as const)('a zone may have no records where %s: %s', async (_why, history, may) => {
  const records = [host('192.0.2.1')];
  const third = await zone();
  await version(other, 'found', records);
  for (const [state, count] of history) {
    const id = await version(mine, state === 'given up' ? 'unknown' : state, records.slice(0, count));
    if (state === 'given up') await tenant((tx) => giveUpVersion(tx, mine, id));
  }
  await version(third, 'found', []);
  expect(await tenant((tx) => mayBeEmpty(tx, mine))).toBe(may);
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
  const found = await tenant((tx) => lastDifferences(tx, mine, scope));
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
