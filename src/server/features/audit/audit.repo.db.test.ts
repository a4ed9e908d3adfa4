import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, domainRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { type AuditEntry, audit } from '../../kernel/audit.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { type AuditFilter, entriesAfter, listEntries } from './audit.repo.ts';

/** Who reads which entries of the log: each condition, beside an entry that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let owner: string;
let employee: string;
let mine: string;
let theirs: string;
/** What each entry is called here, by its place in the log. */
const titles: string[] = [];

const day = (text: string) => new Date(`${text}Z`);
const noon = day('2026-11-22T12:00:00');

type Written = Partial<AuditEntry> & { by?: string | null };

/** Entries are told apart by what they are called. */
async function write(title: string, { by = owner, ...entry }: Written, of = organisationId): Promise<void> {
  const actor = {
    organisationId: of,
    userId: by,
    email: by === null ? 'a nightly job' : '',
    ip: '192.0.2.1',
  };
  if (of === organisationId) titles.push(title);
  await within(database, of, (tx) =>
    audit(tx, actor, {
      ...{ at: noon, action: 'domains.lock' as const, objectKind: 'domain', object: '', customerId: null },
      ...{ after: { title }, ...entry },
    }),
  );
}

const domain = (address: string) => ({ objectKind: 'domain', object: address });
const zone = (address: string) =>
  ({ objectKind: 'zone', object: address, action: 'dns.changeZone' }) as const;

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  owner = await userRow(database, organisationId, { role: 'MSP_OWNER', email: 'Olive@msp.example' });
  employee = await userRow(database, organisationId, { email: 'eve@msp.example' });
  mine = await customerRow(database, organisationId);
  theirs = await customerRow(database, organisationId);
  for (const [address, customer_id, status] of [
    ['mine.com', mine, 'active'],
    ['expired.com', mine, 'expired'],
    ['ended.com', mine, 'ended'],
    ['theirs.com', theirs, 'active'],
    ['nobodys.com', null, 'active'],
  ] as const) {
    await domainRow(database, organisationId, { address, customer_id, status });
  }
  const other = await organisationRow(database);
  await domainRow(database, other, { address: 'elsewhere.com' });

  await write('own domain', { ...domain('mine.com'), customerId: mine });
  await write('own domain by an employee', { ...domain('mine.com'), customerId: mine, by: employee });
  await write('own domain by nobody', { ...domain('mine.com'), by: null });
  await write('own zone', { ...zone('mine.com'), customerId: mine });
  await write('own zone by nobody', { ...zone('mine.com'), by: null });
  await write('own expired domain', { ...domain('expired.com'), customerId: mine });
  // The domain was another customer's, with their contacts and their records.
  await write('own domain, of its customer before', { ...domain('mine.com'), customerId: theirs });
  await write('own zone, of its customer before', { ...zone('mine.com'), customerId: theirs });
  // It was theirs when this was written.
  await write('former domain', { ...domain('theirs.com'), customerId: mine });
  await write('former zone', { ...zone('theirs.com'), customerId: mine });
  await write('ended domain', { ...domain('ended.com'), customerId: mine });
  await write('domain of nobody', domain('nobodys.com'));
  await write('other domain', { ...domain('theirs.com'), customerId: theirs });
  await write('own order', { objectKind: 'order', object: 'mine.com', customerId: mine });
  await write('own data', { objectKind: 'customer', object: mine, customerId: mine });
  await write('a user', { objectKind: 'user', object: employee, subject: employee, by: employee });
  const former = { customerId: theirs, by: employee } as const;
  await write('the evening before', {
    ...domain('theirs.com'),
    ...former,
    at: day('2026-11-21T23:59:59.999'),
  });
  await write('the midnight before', { ...domain('theirs.com'), ...former, at: day('2026-11-22T00:00:00') });
  await write('the evening', { ...domain('theirs.com'), ...former, at: day('2026-11-22T23:59:59.999') });
  await write('the midnight', { ...domain('theirs.com'), ...former, at: day('2026-11-23T00:00:00') });
  await write('elsewhere', { ...domain('mine.com'), customerId: mine, by: null }, other);
});
afterAll(() => database.close());

const staff = () => ({ organisationId, userId: owner, reach: { kind: 'organisation' } }) as unknown as Scope;
const worker = () => ({ ...staff(), userId: employee }) as Scope;
const limitedTo = (...ids: string[]) =>
  ({ organisationId, userId: newId(), reach: { kind: 'customers', ids } }) as unknown as Scope;

type Read = { filter?: AuditFilter; reach?: 'all' | 'own' };
const titleOf = ({ after }: { after: unknown }) => (after as { title: string }).title;

/** What somebody reads, in the order of the log: in the list, page by page in it, and in the file. */
async function read(scope: Scope, { filter = {}, reach = 'own' }: Read = {}): Promise<string[]> {
  const asked = (more: { page?: number }) =>
    within(database, organisationId, (tx) =>
      listEntries(tx, scope, reach, { ...filter, sort: 'at', pageSize: 5, ...more }),
    );
  const all = await asked({});
  const listed = all.rows.map(titleOf);
  const paged: string[] = [];
  for (let page = 1; page <= Math.ceil(titles.length / 5); page += 1) {
    paged.push(...(await asked({ page })).rows.map(titleOf));
  }
  const filed: string[] = [];
  // So many times at most: what is read twice is not read for ever.
  let after: number | undefined = 0;
  while (after !== undefined && filed.length <= titles.length) {
    const place: { after: number; limit: number } = { after, limit: 3 };
    const part: Awaited<ReturnType<typeof entriesAfter>> = await within(database, organisationId, (tx) =>
      entriesAfter(tx, scope, reach, filter, place),
    );
    after = part.at(-1)?.sequence;
    filed.push(...part.map(titleOf));
  }
  expect([all.total, paged, filed]).toEqual([listed.length, listed, listed]);
  return listed;
}

const ofMine = [
  ...['own domain', 'own domain by an employee', 'own domain by nobody', 'own zone', 'own zone by nobody'],
  'own expired domain',
];

describe('without a filter', () => {
  test('managers read all of their organization, and an employee what they did themselves', async () => {
    expect(await read(staff(), { reach: 'all' })).toEqual(titles);
    const own = [
      ...['own domain by an employee', 'a user'],
      ...['the evening before', 'the midnight before', 'the evening', 'the midnight'],
    ];
    expect(await read(worker())).toEqual(own);
  });

  test('a customer reads of their own living domains and zones what is theirs or nobody’s, and nothing of a customer before', async () => {
    expect(await read(limitedTo(mine))).toEqual(ofMine);
  });

  test('a caller who is limited to some customers stays so, whatever their role reaches', async () => {
    expect(await read(limitedTo(mine), { reach: 'all' })).toEqual(ofMine);
  });

  test('a customer reads nothing of domains that are others’ by now, though it is about themselves', async () => {
    const ofTheirs = [
      'other domain',
      'the evening before',
      'the midnight before',
      'the evening',
      'the midnight',
    ];
    expect(await read(limitedTo(theirs))).toEqual(ofTheirs);
    const both = await read(limitedTo(mine, theirs));
    const apart = ['ended domain', 'domain of nobody', 'own order', 'own data', 'a user'];
    expect(both).toEqual(titles.filter((title) => !apart.includes(title)));
    expect(await read(limitedTo(newId()))).toEqual([]);
  });
});

describe('a filter', () => {
  const filters = (): [AuditFilter, (title: string) => boolean][] => {
    const byEmployee = /by an employee|a user|evening|midnight/;
    const isOf = (pattern: RegExp) => (title: string) => pattern.test(title);
    return [
      [{ person: employee }, isOf(byEmployee)],
      [{ action: 'dns.changeZone' }, isOf(/zone/)],
      [{ customerId: theirs }, isOf(/before$|other domain|^the /)],
      [{ domain: 'mine.com' }, isOf(/^own (domain|zone|order)/)],
      [{ from: '2026-11-22' }, (title) => title !== 'the evening before'],
      [{ from: '2026-11-23' }, isOf(/^the midnight$/)],
      [{ to: '2026-11-21' }, isOf(/^the evening before$/)],
      [{ to: '2026-11-22' }, (title) => title !== 'the midnight'],
      [{ from: '2026-11-23', to: '2026-11-22' }, () => false],
      [{ search: ' MINE.co ' }, isOf(/^own (domain|zone|order)/)],
      [{ search: 'changezone' }, isOf(/zone/)],
      [{ search: 'nightly' }, isOf(/by nobody/)],
      [{ search: 'EVE@msp' }, isOf(byEmployee)],
      [{ search: '%' }, () => false],
      [{ person: employee, domain: 'mine.com' }, isOf(/by an employee/)],
    ];
  };

  test('lets through what it says, and never more than is read without it', async () => {
    const readers = [
      { scope: staff(), reach: 'all' },
      { scope: worker(), reach: 'own' },
      { scope: limitedTo(mine), reach: 'own' },
      { scope: limitedTo(theirs), reach: 'own' },
    ] as const;
    for (const { scope, reach } of readers) {
      const all = await read(scope, { reach });
      for (const [filter, fits] of filters()) {
        expect([filter, await read(scope, { reach, filter })]).toEqual([filter, all.filter(fits)]);
      }
    }
  });
});
