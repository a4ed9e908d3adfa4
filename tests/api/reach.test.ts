import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationSpec } from '../../src/contracts/operation.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { mayCall, permitted } from './support/probe.ts';
import {
  type Caller,
  call,
  callers,
  dayFromNow,
  Look,
  parts,
  pathsOf,
  propertiesOf,
  type Query,
  type Reach,
} from './support/reach.ts';
import { seedVariety, wordOf } from './support/reach-world.ts';
import { idsOf, type Organisation, seedOrganisation } from './support/world.ts';

/**
 * Each list, search, count and file with each of its filters and each pair of them: what it shows is within the caller's
 * reach, and is what was asked for. Operations and filters come from the contract: a new one is in it.
 */

/** What answers a list or a file, or is asked with filters. Those with an audit entry come last: others show it. */
const listing = permitted
  .filter(({ method, query, params }) => method === 'GET' && (query || !params))
  .sort((one, other) => Number(Boolean(one.audit)) - Number(Boolean(other.audit)));

/**
 * Where the general way does not fit, and why: all of an operation but its words, or one part of it. Each is found to be
 * needed.
 */
const exceptions: Readonly<Record<string, string>> = {
  'attention.counts':
    'Counts: those of a customer are no rows of those of all. They are compared with the list below.',
  'audit.verify': 'It says whether the log is whole, and has no rows.',
  'customers.importRejects': 'A file of what was faulty, or of what is suggested in its place.',
  'dns.export': 'The registrar does not know the seeded names; a version is given out as a file.',
  'dns.findRecords status': 'Without a text there is nothing to look for.',
  'domains.details': 'One domain, with more or less about it.',
  'domains.lookup': 'It says whether one name is free, with other names or without.',
  'earnings.list': 'Sums: those of a customer are no rows of those of all. They are added up below.',
  'privacy.exportCustomer': 'All about one customer, in either form.',
  'privacy.exportOwn': 'All about the caller, in either form.',
  'privacy.exportUser': 'All about one person, in either form.',
  'renewals.due days': 'Where it is not given, it is 90.',
  'customers.importRows suggested telling': 'The seeded rows have no suggestions.',
  'billing.dashboardLink status': 'The organization has no account at the provider.',
};
/** Parameters that choose another list than the one without them. Each is found to have rows which that has not. */
const otherLists: Readonly<Record<string, Query>> = {
  'attention.list': { snoozed: 'true' },
  'health.board': { muted: 'true' },
};
const needed = new Set<string>();
let faults: string[] = [];

/** Notes a fault, unless the table knows it. */
function fault(id: string, part: string, message: string): void {
  const known = [`${id} ${part}`, ...(part === 'words' ? [] : [id])].filter((key) => key in exceptions);
  for (const key of known) needed.add(key);
  if (known.length === 0) faults.push(message);
}

let portal: Portal;
let a: Organisation;
let b: Organisation;
let reach: Reach;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'quince');
  b = await seedOrganisation(portal, 'walnut');
  for (const organisation of [a, b]) {
    await seedVariety(portal, organisation);
    await putOff(organisation);
  }
  const [, second] = a.customers;
  const others = ['walnut', b.id, ...(await idsOf(portal, b.id))];
  const seconds = [wordOf(second), second.id, ...(await idsOf(portal, a.id, { customerId: second.id }))];
  const { rows } = await portal.owner.query<{ id: string }>('SELECT id FROM zone_versions ORDER BY id');
  reach = {
    ...{ portal, a, b, otherLists, fault },
    versions: rows.map(({ id }) => id),
    forbidden: { MSP_ADMIN: anyOf(others), MSP_CUSTOMER: anyOf([...others, ...seconds]) },
  };
});
afterAll(() => portal[Symbol.asyncDispose]());

const anyOf = (texts: readonly string[]) =>
  new RegExp([...new Set(texts)].map((text) => text.replace(/[.-]/g, '\\$&')).join('|'), 'i');

/** Of what waits about each customer, one thing is put off, and the administrator takes one over. */
async function putOff({ customers, tokens, userIds }: Organisation): Promise<void> {
  const headers = { authorization: `Bearer ${tokens.MSP_ADMIN}` };
  for (const { id } of customers) {
    const list = await portal.app.inject({ method: 'GET', url: `/api/attention?customerId=${id}`, headers });
    const items = list.json().data.items as { id: string; cause: string }[];
    const put = items.find(({ cause }) => cause === 'registrant');
    const taken = items.find((item) => item !== put);
    const snoozedUntil = new Date(Date.now() + 86_400_000).toISOString();
    for (const [item, payload] of [
      [taken, { ownerId: userIds.MSP_ADMIN }],
      [put, { snoozedUntil }],
    ] as const) {
      const url = `/api/attention/${item?.id}`;
      expect((await portal.app.inject({ method: 'PATCH', url, headers, payload })).statusCode).toBe(200);
    }
  }
}

/** Everything that is asked of an operation: how many rows each caller has seen, and which filters told rows apart. */
async function lookAt(operation: OperationSpec) {
  const paths = await pathsOf(reach, operation);
  const seen: Partial<Record<Caller, number>> = {};
  const telling = new Set<string>();
  const other = otherLists[operation.id];
  for (const role of callers.filter((each) => mayCall(operation, each))) {
    for (const [index, path] of paths.entries()) {
      const found = await new Look(reach, operation, path, role, {}).all(index === 0);
      if (found.rows) seen[role] = (seen[role] ?? 0) + found.rows.length;
      for (const name of found.telling) telling.add(name);
      if (!other) continue;
      const beside = await new Look(reach, operation, path, role, other).all(index === 0);
      if (beside.rows?.every((row) => found.rows?.includes(row)) !== false) continue;
      needed.add(operation.id);
      for (const name of Object.keys(other)) telling.add(name);
    }
  }
  return { paths, seen, telling };
}

test.each(listing.map((operation) => [operation.id, operation] as const))(
  '%s shows what is in reach and was asked for',
  async (id, operation) => {
    faults = [];
    const { paths, seen, telling } = await lookAt(operation);
    if (paths.length === 0) fault(id, 'paths', `${id} is about nothing that there is`);
    const { MSP_ADMIN: all, MSP_CUSTOMER: own } = seen;
    const names = Object.keys(propertiesOf(operation)).filter((name) => ![...parts, 'sort'].includes(name));
    // Where nothing is there, nothing is shown by it.
    if (operation.query && !all) fault(id, 'rows', `${id} lists nothing`);
    if (all && mayCall(operation, 'MSP_CUSTOMER') && (!own || own >= all)) {
      fault(id, 'own', `${id} lists ${own} to the customer, ${all} to the administrator`);
    }
    for (const name of names.filter((each) => !telling.has(each))) {
      fault(id, `${name} telling`, `${id}: no value of ${name} leaves out some rows and not all`);
    }
    // One mistake shows in many queries.
    expect({ faults: faults.slice(0, 6), more: faults.length > 6 }).toEqual({ faults: [], more: false });
  },
);

const ofCustomer = (customerId: string | undefined): Query => (customerId ? { customerId } : {});

test.each(callers)('what waits and what is wrong is counted as it is listed, to %s', async (role) => {
  const dataOf = async (path: string, query: Query) =>
    JSON.parse((await call(reach, path, query, role)).body).data;
  const [first, second] = a.customers;
  for (const id of [undefined, first.id, second.id, b.customers[0].id]) {
    const of = ofCustomer(id);
    const counts = await dataOf('/api/attention/counts', of);
    const items: { cause: string; severity: string }[] = (await dataOf('/api/attention', of)).items;
    const [mine, snoozed] = await Promise.all(
      ['mine', 'snoozed'].map(
        async (name) => (await dataOf('/api/attention', { ...of, [name]: 'true' })).items,
      ),
    );
    const now = items.filter(({ severity }) => severity === 'now').length;
    expect({ of, ...counts, causes: tallyOf(counts.causes, 'cause') }).toEqual({
      ...{ of, now, soon: items.length - now, mine: mine.length, snoozed: snoozed.length },
      causes: tally(items.map(({ cause }) => cause)),
    });
    for (const muted of ['true', 'false']) {
      const { counts, rows } = await dataOf('/api/health', { ...of, muted });
      const listed = tally(rows.map(({ kind }: { kind: string }) => kind));
      expect({ of, muted, kinds: tallyOf(counts, 'kind') }).toEqual({ of, muted, kinds: listed });
    }
  }
});

const tally = (names: readonly string[]) =>
  Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((each) => each === name).length]));
const tallyOf = (counts: readonly Record<string, unknown>[], key: string) =>
  Object.fromEntries(
    counts.filter(({ count }) => count !== 0).map((each) => [String(each[key]), each.count]),
  );

test('earnings add up to the same by month, customer and kind; those of a customer are the customer’s row', async () => {
  const sumsOf = async (query: Query) => {
    const { rows } = await call(reach, '/api/account/earnings', query, 'MSP_ADMIN');
    return (rows ?? []).map((row) => JSON.parse(row) as Record<string, string | number>);
  };
  const figures = ['items', 'cost', 'otherCost', 'received', 'earned'];
  const added = (rows: readonly Record<string, string | number>[]) =>
    figures.map((name) => rows.reduce((sum, row) => sum + Number(row[name]), 0));
  const spans: Query[] = [{}, { from: dayFromNow(-200) }, { to: dayFromNow(-25) }];
  for (const span of spans) {
    const all = await sumsOf({ ...span, by: 'customer' });
    expect(all.length).toBeGreaterThan(1);
    for (const id of [undefined, a.customers[0].id, a.customers[1].id, b.customers[0].id]) {
      const expected = added(all.filter(({ key }) => !id || key === id));
      for (const by of ['month', 'kind', 'customer']) {
        const of = { ...span, ...ofCustomer(id), by };
        expect([of, added(await sumsOf(of))]).toEqual([of, expected]);
      }
    }
  }
});

test('each exception is needed', () => {
  const keys = [...Object.keys(exceptions), ...Object.keys(otherLists)];
  expect(keys.filter((key) => !needed.has(key))).toEqual([]);
});
