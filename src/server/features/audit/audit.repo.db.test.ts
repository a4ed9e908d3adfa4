import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '#contracts/permissions.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  across,
  customerRow,
  domainRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { type AuditEntry, audit } from '../../kernel/audit.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/logger.ts';
import { rightsOfRole, type Scope } from '../../kernel/scope.ts';
import { createSeal, SealBroken } from '../../kernel/seal.ts';
import { type AuditFilter, entriesAfter, keptHeads, lastRows, listEntries } from './audit.repo.ts';
import { createAudit } from './audit.service.ts';

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
  test.each(['at', '-at'] as const)(
    'each page of the whole log, by %s, has what follows on the one before',
    async (sort) => {
      const pageOf = (page: number, of = organisationId) =>
        within(database, of, (tx) =>
          listEntries(tx, { ...staff(), organisationId: of }, 'all', { sort, page, pageSize: 4 }),
        );
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(titles.length / 4) + 1 }, (_, at) => pageOf(at + 1)),
      );
      expect(pages.flatMap(({ rows }) => rows.map(titleOf))).toEqual(
        sort === 'at' ? titles : titles.toReversed(),
      );
      expect(pages.map(({ rows, total }) => [rows.length <= 4, total])).toEqual(
        pages.map(() => [true, titles.length]),
      );
      expect(await pageOf(1, await organisationRow(database))).toEqual({ total: 0, rows: [] });
    },
  );

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

describe('an entry', () => {
  const service = () =>
    createAudit({
      ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => noon } },
      ...{ seal: createSeal([{ number: 1, secret: 'test' }]), logger: createLogger({ level: 'silent' }) },
    });
  const as = (role: Role, userId: string, reach: object = { kind: 'organisation' }): Scope =>
    ({ organisationId: place, userId, role, reach, rights: rightsOfRole }) as unknown as Scope;
  /** An organization with a log of its own, so that each entry can be told whole. */
  let place: string;
  let boss: string;
  let hand: string;
  let firm: string;
  let token: string;
  beforeAll(async () => {
    place = await organisationRow(database);
    boss = await userRow(database, place, { role: 'MSP_OWNER', email: 'boss@msp.example' });
    hand = await userRow(database, place, { email: 'hand@msp.example' });
    const owner = JSON.stringify({ ...contactsOf().owner, organization: '=Firm' });
    firm = await customerRow(database, place, { owner });
    await domainRow(database, place, { address: 'firm.com', customer_id: firm });
    token = newId();
    const row = {
      ...{ id: token, organisation_id: place, user_id: boss, name: 'CRM sync', permissions: ['audit.read'] },
      ...{ token_hash: Buffer.from(token), reach: 'organisation' as const, customer_id: null },
      ...{ expires_at: null, last_used_at: null, revoked_at: null, ended_because: null },
    };
    await within(database, place, (tx) => tx.insertInto('api_tokens').values(row).execute());
    const say = (userId: string | null, email: string, more: object, entry: Partial<AuditEntry>) =>
      within(database, place, (tx) =>
        audit(
          tx,
          { organisationId: place, userId, email, ip: '192.0.2.7', ...more },
          {
            ...{
              at: noon,
              action: 'domains.lock',
              objectKind: 'domain',
              object: 'firm.com',
              customerId: firm,
            },
            ...entry,
          },
        ),
      );
    await say(boss, '', {}, { before: { locked: false }, after: { locked: true } });
    await say(hand, '', {}, {});
    await say(boss, '', { tokenId: token }, {});
    await say(null, 'a nightly job', { ip: null }, { customerId: null });
  });

  test('names who did it as they are called now, a script beside its person, and the customer', async () => {
    const { rows, total } = await service().list(as('MSP_OWNER', boss), { pageSize: 9 });
    const about = {
      objectKind: 'domain',
      object: 'firm.com',
      action: 'domains.lock',
      at: noon.toISOString(),
    };
    const ofFirm = {
      ...about,
      ip: '192.0.2.7',
      customerId: firm,
      customer: '=Firm',
      before: null,
      after: null,
    };
    expect(rows.toReversed()).toEqual([
      {
        ...ofFirm,
        sequence: 1,
        actorId: boss,
        actor: 'boss@msp.example',
        before: { locked: false },
        after: { locked: true },
      },
      { ...ofFirm, sequence: 2, actorId: hand, actor: 'hand@msp.example' },
      { ...ofFirm, sequence: 3, actorId: boss, actor: 'boss@msp.example (CRM sync)' },
      {
        ...{ ...about, sequence: 4, actorId: null, actor: 'a nightly job', ip: null },
        ...{ customerId: null, customer: '', before: null, after: null },
      },
    ]);
    expect(total).toBe(4);
  });

  test('tells from where it was done to managers, and to others of their own acts alone', async () => {
    const ips = async (scope: Scope) =>
      (await service().list(scope, { pageSize: 9, sort: 'at' })).rows.map(({ sequence, ip }) => [
        sequence,
        ip,
      ]);
    expect(await ips(as('MSP_ADMIN', hand))).toEqual(
      [1, 2, 3].map((n) => [n, '192.0.2.7']).concat([[4, null]] as never),
    );
    expect(await ips(as('MSP_EMPLOYEE', hand))).toEqual([[2, '192.0.2.7']]);
    const ofFirm = { kind: 'customers', ids: [firm] };
    expect(await ips(as('MSP_CUSTOMER', boss, ofFirm))).toEqual([
      [1, '192.0.2.7'],
      [2, null],
      [3, '192.0.2.7'],
      [4, null],
    ]);
  });

  test('is a line of the file, with its hash and nothing that a spreadsheet would run', async () => {
    const lines = (await text(service().csv(as('MSP_ADMIN', boss), {}))).trimEnd().split('\r\n');
    const { rows } = await sql<{ hash: string }>`SELECT encode(hash, 'hex') AS hash FROM audit_log
      WHERE organisation_id = ${place} ORDER BY sequence`.execute(database.systemDb);
    const start = (sequence: number, actor: string) => `${sequence},${noon.toISOString()},${actor}`;
    const hashes = rows.map(({ hash }) => hash);
    const end = (n: number) => `,,,${hashes[n]}`;
    expect(lines).toEqual([
      '\ufeffNumber,At (UTC),Who,From,What,Kind,Object,Customer,Before,After,Hash',
      `${start(1, 'boss@msp.example')},192.0.2.7,domains.lock,domain,firm.com,'=Firm,"{""locked"":false}","{""locked"":true}",${hashes[0]}`,
      `${start(2, 'hand@msp.example')},192.0.2.7,domains.lock,domain,firm.com,'=Firm${end(1)}`,
      `${start(3, 'boss@msp.example (CRM sync)')},192.0.2.7,domains.lock,domain,firm.com,'=Firm${end(2)}`,
      `${start(4, 'a nightly job')},,domains.lock,domain,firm.com,${end(3)}`,
    ]);
    const one = await text(service().csv(as('MSP_ADMIN', boss), { person: hand }));
    expect(one.trimEnd().split('\r\n').slice(1)).toEqual([lines[2]]);
  });

  test('says in its file in plain words what it keeps briefly of a customer', async () => {
    const of = await organisationRow(database);
    const after = {
      contacts: { owner: { city: 'Troy' }, admin: 'as owner', billing: 'as owner' },
      markups: 'none',
    };
    await write('A new customer', { by: null, after }, of);
    const file = await text(service().csv({ ...as('MSP_ADMIN', boss), organisationId: of }, {}));
    const cell = (field: string, words: string) => `""${field}"":""${words}""`;
    for (const field of ['admin', 'billing']) expect(file).toContain(cell(field, 'Same as owner'));
    expect(file).toContain(cell('markups', 'No markup'));
  });

  test('is handed out in a file, and checked, by managers alone', async () => {
    for (const role of ['MSP_EMPLOYEE', 'MSP_CUSTOMER'] as const) {
      const scope = as(role, hand, role === 'MSP_CUSTOMER' ? { kind: 'customers', ids: [firm] } : undefined);
      expect(() => service().csv(scope, {})).toThrow(expect.objectContaining({ code: 'forbidden' }));
      await expect(service().verify(scope)).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(await service().verify(as('MSP_ADMIN', hand))).toMatchObject({
      rows: 4,
      broken: null,
      whole: true,
    });
  });

  test('that cannot be kept or walked keeps no other organization’s from being so; the job fails, and what was tampered with is told', async () => {
    const seal = createSeal([{ number: 1, secret: 'test' }]);
    const told: unknown[] = [];
    const ids = (await lastRows(database.systemDb)).map((row) => row.organisation_id).toSorted();
    // The first in the order in which logs are walked, and one behind it.
    const [first = '', ...others] = ids;
    const second = others[0] ?? '';
    const failing = createAudit({
      ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => noon } },
      logger: { info: () => undefined, error: (what: object) => told.push(what) } as never,
      seal: {
        ...seal,
        seal: (plain: string, context: string) => {
          if (context.includes(first)) throw new RangeError('a key that is none');
          return seal.seal(plain, context);
        },
        open: (sealed: Buffer, context: string) => {
          if (context.includes(first)) throw new RangeError('a key that is none');
          if (context.includes(second)) throw new SealBroken('changed');
          return seal.open(sealed, context);
        },
      },
    });
    await expect(failing.keepHeads()).rejects.toThrow('a key that is none');
    for (const id of others) expect(await keptHeads(database.systemDb, id)).not.toEqual([]);
    await service().keepHeads();
    await expect(failing.tasks['audit.verify']()).rejects.toThrow('a key that is none');
    expect(told).toEqual([expect.objectContaining({ organisation: second })]);
    expect(await service().verifyAll()).toBe(0);
  });

  test('that was kept as the last of its hour shows that the log was cut; the operator is told which log it is', async () => {
    const { keepHeads, verdicts, verifyAll } = service();
    await keepHeads();
    const [verdict] = await verdicts({ only: place });
    expect(verdict).toMatchObject({
      organizationId: place,
      organization: 'Test',
      closedAt: null,
      rows: 4,
      broken: null,
    });
    await expect(verdicts({ only: newId() })).rejects.toMatchObject({ code: 'not_found' });
    const all = (await verdicts()).map(({ organizationId }) => organizationId);
    expect(all).toEqual(all.toSorted());
    expect((await verdicts({ after: place })).map(({ organizationId }) => organizationId)).toEqual(
      all.filter((id) => id > place),
    );
    expect(await verifyAll()).toBe(0);
    await across(database, (tx) =>
      sql`UPDATE organisations SET closed_at = ${noon} WHERE id = ${place}`.execute(tx),
    );
    expect((await verdicts({ only: place }))[0]).toMatchObject({ closedAt: noon.toISOString() });
  });
});
