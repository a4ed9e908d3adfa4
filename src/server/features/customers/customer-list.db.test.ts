import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { customerRow, domainRow, organisationRow } from '../../../../tests/support/rows.ts';
import { inReading } from '../../kernel/db/database.ts';
import type { Scope } from '../../kernel/scope.ts';
import { type CustomerListQuery, listChoices, listCustomers } from './customer-list.repo.ts';

/** The list of customers has a statement for each way to ask for it, and each keeps within the reach of who asks. */

let database: TestDatabase;
let organisationId: string;
/** Living customers of the organization, with what each is called. */
let living: { id: string; name: string }[];
/** A living customer of another organization. */
let foreign: string;

const gone = { deleted_at: new Date('2026-11-22T12:00:00Z') };

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  const make = (of: string, name: string, more: Parameters<typeof customerRow>[2] = {}) =>
    customerRow(database, of, {
      owner: JSON.stringify(contactsOf({ organization: name }).owner),
      ...more,
    });
  living = [];
  for (const name of ['Fig Ash', 'Fig Elm', 'Fig Oak', 'Oak Ash', 'Oak Elm', 'Oak Yew', 'Yew Ash']) {
    living.push({ id: await make(organisationId, name), name });
  }
  for (const name of ['Fig Gone', 'Oak Gone']) await make(organisationId, name, gone);
  const other = await organisationRow(database);
  foreign = await make(other, 'Fig Ash');
  await make(other, 'Oak Ash');
  // Two customers have domains, one has none any more, and the others never had one.
  const [one = '', two = '', three = ''] = living.map(({ id }) => id);
  for (const customer_id of [one, one, two]) await domainRow(database, organisationId, { customer_id });
  await domainRow(database, organisationId, { customer_id: three, status: 'ended' });
  // Domains without a customer are more than anybody has.
  for (let n = 0; n < 3; n += 1) await domainRow(database, organisationId, { customer_id: null });
  await domainRow(database, other, { customer_id: foreign });
});
afterAll(() => database.close());

/** All of the organization, one customer, some, and one whom the organization has not. */
const reaches = () => {
  const [one = '', two = '', , four = '', five = ''] = living.map(({ id }) => id);
  return [null, [one], [two], [one, two, four, five], [foreign]];
};
const scopeOf = (ids: readonly string[] | null) =>
  ({
    organisationId,
    reach: ids ? { kind: 'customers', ids } : { kind: 'organisation' },
  }) as unknown as Scope;

const sorts = [
  ...[undefined, '-organization', 'location', '-contact', 'createdAt'],
  ...['domains', '-domains'],
];

test.each<[string, string | undefined]>([
  ['all', undefined],
  ['a word', 'fig'],
  ['another word', 'OAK'],
  ['two words', 'ash  fig'],
  ['a word of two letters', 'ew'],
  ['words of two letters', 'fi as'],
  ['a word that is of everybody', 'toronto'],
  ['a word that is of nobody', 'willow'],
])(
  'a caller who is limited to some customers finds those alone, on every page and in the total: %s',
  async (_how, search) => {
    const words = (search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const says = (name: string, word: string) => `${name} toronto`.toLowerCase().includes(word);
    const faults: string[] = [];
    for (const ids of reaches()) {
      const scope = scopeOf(ids);
      const wanted = living
        .filter(({ id }) => ids?.includes(id) ?? true)
        .filter(({ name }) => words.every((word) => says(name, word)))
        .map(({ id }) => id)
        .sort();
      const half = Math.max(1, Math.ceil(wanted.length / 2));
      for (const sort of sorts) {
        const list = (query: Omit<CustomerListQuery, 'sort'>) =>
          inReading(database.db, scope, (tx) => listCustomers(tx, scope, { ...query, sort, search }));
        const all = await list({ pageSize: half });
        const pages = [];
        for (const page of [1, 2, 3]) pages.push(await list({ page, pageSize: half }));
        const idsOf = (...lists: (typeof all)[]) =>
          lists.flatMap(({ rows }) => rows.map(({ customerId }) => customerId)).sort();
        const found = {
          all: idsOf(all),
          pages: idsOf(...pages),
          sizes: pages.map(({ rows }) => rows.length),
          totals: [all, ...pages].map(({ total }) => total),
        };
        const sizes = [Math.min(half, wanted.length), Math.max(0, wanted.length - half), 0];
        const right = { all: wanted, pages: wanted, sizes, totals: [0, 0, 0, 0].map(() => wanted.length) };
        if (JSON.stringify(found) !== JSON.stringify(right)) {
          faults.push(JSON.stringify({ ids, sort, found, wanted }));
        }
      }
    }
    expect(faults).toEqual([]);
  },
);

test('a caller who is limited to some customers chooses among those alone, and nobody among deleted ones', async () => {
  for (const ids of reaches()) {
    const scope = scopeOf(ids);
    const choices = await inReading(database.db, scope, (tx) => listChoices(tx, scope));
    expect(choices.map(({ organization }) => organization)).toEqual(
      living.filter(({ id }) => ids?.includes(id) ?? true).map(({ name }) => name),
    );
  }
});

/** Customers who share what lists are ordered by: the place of each in each order, equal where they are. */
const places = {
  organization: [2, 1, 3, 1, 4],
  location: [1, 3, 2, 1, 1],
  contact: [3, 1, 2, 1, 3],
  createdAt: [1, 2, 2, 3, 3],
  domains: [1, 2, 0, 0, 1],
};

test('a list is in the order that was asked for, and equals are in the order of their ids, whichever pages it is read by', async () => {
  const of = await organisationRow(database);
  const scope = { ...scopeOf(null), organisationId: of } as Scope;
  const people = [
    { organization: 'Fig B', firstName: 'Zoe', country: 'CA', at: 1 },
    { organization: 'Fig A', firstName: 'Ada', country: 'US', at: 2 },
    { organization: 'fig C', firstName: 'Bob', country: 'DE', at: 2 },
    { organization: 'Fig A', firstName: 'Ada', country: 'CA', at: 3 },
    { organization: 'Fig D', firstName: 'Zoe', country: 'CA', at: 3 },
  ];
  const ids: string[] = [];
  for (const [index, { at, ...change }] of people.entries()) {
    const owner = JSON.stringify(contactsOf({ lastName: 'Byron', ...change }).owner);
    const created_at = new Date(`2026-11-22T12:00:0${at}Z`);
    const customer_id = await customerRow(database, of, { owner, created_at });
    ids.push(customer_id);
    for (let n = 0; n < (places.domains[index] ?? 0); n += 1) {
      await domainRow(database, of, { customer_id });
    }
  }
  await domainRow(database, of, { customer_id: null });
  const inOrder = (place: readonly number[], sign: number) =>
    ids
      .map((id, index) => ({ id, at: place[index] ?? 0 }))
      .sort((one, other) => sign * (one.at - other.at || (one.id < other.id ? -1 : 1)))
      .map(({ id }) => id);
  for (const [sort, place] of Object.entries(places)) {
    for (const sign of [1, -1]) {
      for (const search of [undefined, 'fi', 'fig']) {
        const list = async (query: { page?: number; pageSize: number }) => {
          const asked = { ...query, sort: `${sign < 0 ? '-' : ''}${sort}`, search };
          const { rows } = await inReading(database.db, scope, (tx) => listCustomers(tx, scope, asked));
          return rows.map(({ customerId }) => customerId);
        };
        const wanted = inOrder(place, sign);
        const what = `${sort} ${sign} ${search}`;
        expect([what, await list({ pageSize: 5 })]).toEqual([what, wanted]);
        const pages = [1, 2, 3].map((page) => list({ page, pageSize: 2 }));
        expect([what, (await Promise.all(pages)).flat()]).toEqual([what, wanted]);
      }
    }
  }
});
