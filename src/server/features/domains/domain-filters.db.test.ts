import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, domainRow, organisationRow } from '../../../../tests/support/rows.ts';
import { inReading } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { createCustomers } from '../customers/index.ts';
import { type DomainListQuery, listDomains } from './domains.repo.ts';
import { createDomains } from './domains.service.ts';

/** The list of domains has a statement for each way to ask for it, and a filter counts in each of them. */

type Row = NonNullable<Parameters<typeof domainRow>[2]> & { address: string };

const now = new Date('2026-11-22T12:00:00Z');
const [before, later] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
let database: TestDatabase;
let organisationId: string;
let customers: [string, string];
let rows: Row[];

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  customers = [await customerRow(database, organisationId), await customerRow(database, organisationId)];
  rows = domainsOf(customers);
  for (const row of rows) await domainRow(database, organisationId, row);
  const other = await organisationRow(database);
  for (const locked of [true, false]) {
    const kept = { locked, auto_renew: locked, verification: 'suspended', expires_at: before } as const;
    await domainRow(database, other, { address: `fig-foreign-${locked}.com`, ...kept });
  }
});
afterAll(() => database.close());

/** Two of each kind that a filter can tell apart, and a few that no filter may take for what they are not. */
function domainsOf([one, two]: [string, string]): Row[] {
  const kinds = [one, two, null].flatMap((customer_id) =>
    [true, false].flatMap((locked) =>
      [true, false].map((auto_renew) => ({ customer_id, locked, auto_renew })),
    ),
  );
  const all: Omit<Row, 'address'>[] = [
    ...kinds.map((kind) => ({ ...kind, expires_at: before, verification: 'waiting' as const })),
    ...kinds.map((kind) => ({ ...kind, expires_at: now, verification: 'suspended' as const })),
    ...kinds.map((kind) => ({ ...kind, expires_at: later, verification: 'verified' as const })),
    ...[true, false].flatMap((locked) => {
      const odd = { customer_id: one, locked, auto_renew: locked, expires_at: before };
      return [
        { ...odd, verification: 'reviewing' as const, status: 'expired' as const },
        { ...odd, verification: 'suspended' as const, missing_since: before },
        { ...odd, verification: 'suspended' as const, status: 'ended' as const },
        { ...odd, verification: null, status: 'transferring' as const },
      ];
    }),
    { customer_id: two, locked: null, auto_renew: false, expires_at: null },
  ];
  return all.map((row, number) => ({ ...row, address: `${number % 3 ? 'fig' : 'oak'}-${100 + number}.com` }));
}

type Asked = Omit<DomainListQuery, 'pageSize'> & { ofUser?: true };

/** Of what is on its way here, or has left the account, the settings are not ours. */
const isHeld = ({ status = 'active', missing_since }: Row) =>
  !missing_since && (status === 'active' || status === 'expired');
const isUnverified = ({ verification }: Row) =>
  ['waiting', 'reviewing', 'suspended'].includes(verification ?? '');

interface Filter {
  asked: Asked;
  fits: (row: Row) => boolean;
}

/** What each filter lets through. */
const filters = (): Filter[] => [
  { asked: { locked: 'yes' }, fits: (row) => isHeld(row) && row.locked === true },
  { asked: { locked: 'no' }, fits: (row) => isHeld(row) && row.locked === false },
  { asked: { autoRenew: 'on' }, fits: (row) => isHeld(row) && row.auto_renew === true },
  { asked: { autoRenew: 'off' }, fits: (row) => isHeld(row) && row.auto_renew === false },
  { asked: { registrant: 'unverified' }, fits: (row) => !row.missing_since && isUnverified(row) },
  {
    asked: { registrant: 'suspended' },
    fits: (row) => !row.missing_since && row.verification === 'suspended',
  },
  { asked: { expiresBefore: now }, fits: (row) => !row.missing_since && row.expires_at === before },
  { asked: { customerId: customers[1] }, fits: (row) => row.customer_id === customers[1] },
  // A customer's own user, whose reach is no filter of theirs.
  { asked: { ofUser: true }, fits: (row) => row.customer_id === customers[0] },
];

/** None, every filter alone, and each with each other one that can be chosen beside it. */
const choices = (): (readonly Filter[])[] => {
  const all = filters();
  const pairs = all.flatMap((one, at) => all.slice(at + 1).map((other) => [one, other] as const));
  const areApart = ([one, other]: (typeof pairs)[number]) =>
    Object.keys(one.asked).join() !== Object.keys(other.asked).join();
  return [[], ...all.map((one) => [one]), ...pairs.filter(areApart)];
};

test.each<[string, Pick<DomainListQuery, 'sort' | 'search'>]>([
  ['by name', {}],
  ['by name, the other way round', { sort: '-address' }],
  ['by expiry', { sort: 'expireDate' }],
  ['by customer', { sort: 'customer' }],
  ['by name, searched', { search: 'fig' }],
  ['by expiry, searched', { sort: '-expireDate', search: 'fig' }],
  ['by customer, searched', { sort: 'customer', search: 'fig' }],
  ['by name, searched by two letters', { search: 'fi' }],
])(
  'each filter, alone and with each other one, is heeded on every page and in the total: %s',
  async (_how, query) => {
    const faults: string[] = [];
    for (const picked of choices()) {
      const { ofUser, ...asked }: Asked = Object.assign({}, ...picked.map((one) => one.asked));
      const wanted = rows
        .filter((row) => row.status !== 'ended' && row.address.includes(query.search ?? ''))
        .filter((row) => picked.every(({ fits }) => fits(row)))
        .map(({ address }) => address)
        .sort();
      const scope = {
        organisationId,
        reach: ofUser ? { kind: 'customers', ids: [customers[0]] } : { kind: 'organisation' },
      } as unknown as Scope;
      const list = (page: number | undefined, pageSize: number) =>
        inReading(database.db, scope, (tx) => listDomains(tx, scope, { ...query, ...asked, page, pageSize }));
      const half = Math.max(1, Math.ceil(wanted.length / 2));
      const all = await list(undefined, half);
      const pages = [await list(1, half), await list(2, half), await list(3, half)];
      const found = {
        all: all.rows.map(({ address }) => address).sort(),
        pages: pages.flatMap((page) => page.rows.map(({ address }) => address)).sort(),
        totals: [all, ...pages].map(({ total }) => total),
      };
      const right = { all: wanted, pages: wanted, totals: [0, 0, 0, 0].map(() => wanted.length) };
      if (JSON.stringify(found) !== JSON.stringify(right)) {
        faults.push(JSON.stringify({ asked, ofUser, found, wanted }));
      }
    }
    expect(faults).toEqual([]);
  },
);

describe('what a list is asked for', () => {
  const domains = () =>
    createDomains({
      ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => now }, registrar: {} },
      ...{ pricing: {}, facts: {}, customers: createCustomers({ db: database.db } as never), leases: {} },
      ...{ resolver: {}, zoneSource: {}, transferTimes: {}, publicUrl: '' },
    } as never);
  const own = async () => {
    const id = await organisationRow(database);
    return { id, scope: { organisationId: id, reach: { kind: 'organisation' } } as unknown as Scope };
  };

  test('within days is what expires before that moment: to the millisecond, and also what has expired', async () => {
    const { id, scope } = await own();
    const at = (ms: number) => new Date(now.getTime() + ms);
    const names: string[] = [];
    for (const ms of [-1, 7 * 86_400_000 - 1, 7 * 86_400_000]) {
      names.push((await domainRow(database, id, { expires_at: at(ms) })).address);
    }
    const found = async (expiringWithinDays?: number) =>
      (await domains().list(scope, { pageSize: 50, expiringWithinDays })).rows.map(({ address }) => address);
    expect((await found(7)).sort()).toEqual(names.slice(0, 2).sort());
    expect(await found()).toHaveLength(3);
  });

  test('of a customer is theirs alone, and nothing of one that is not there or is another organization’s', async () => {
    const [{ id, scope }, other] = [await own(), await own()];
    const [one, two] = [await customerRow(database, id), await customerRow(database, id)];
    const { address } = await domainRow(database, id, { customer_id: one });
    await domainRow(database, id, { customer_id: two });
    const listed = (customerId: string, who = scope) =>
      domains().listForCustomer(who, customerId, { pageSize: 50, customerId: two });
    expect((await listed(one)).rows.map((row) => row.address)).toEqual([address]);
    await expect(listed(one, other.scope)).rejects.toMatchObject({ code: 'not_found' });
    await expect(listed(newId())).rejects.toMatchObject({ code: 'not_found' });
  });
});
