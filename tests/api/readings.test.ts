import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asked, type CountedDatabase, countDatabase } from '../support/round-trips.ts';
import { looksOf } from './support/looks.ts';
import { ask, type Portal, startPortal } from './support/portal.ts';
import { seedOrganisation } from './support/world.ts';

/** To know who asks, and what they ask for. */
const usual = 2;
/** Those that wait more often, or less. The figures may only shrink (docs/decisions/0213). */
const others: Readonly<Record<string, number>> = {
  // What is asked for depends on what was found.
  ...{
    'acme.list': 3,
    'changes.list': 3,
    'direct.list': 3,
    'moves.list': 3,
    'orders.get': 3,
    'orders.list': 3,
  },
  ...{ 'dns.export': 3, 'dns.lastChanges': 4, 'dns.version': 3, 'dns.versions': 3, 'health.get': 3 },
  ...{ 'audit.verify': 3, 'certificates.get': 3, 'privacy.planErasure': 5 },
  // Several parts, of which each is asked for by itself.
  ...{ 'billing.account': 3, 'health.report': 3, 'overview.get': 6, 'statement.pdf': 5 },
  // What was found is brought up to date, or what was shown is written down.
  ...{ 'attention.counts': 4, 'attention.list': 4, 'billing.topUpStatus': 3, 'transfers.status': 5 },
  ...{ 'billing.accountLink': 4, 'customers.csvExport': 3, 'domains.lookup': 6, 'domains.suggestions': 4 },
  ...{ 'privacy.exportCustomer': 35, 'privacy.exportOwn': 21, 'privacy.exportUser': 21 },
  'privacy.readHold': 3,
  // Nothing is asked for but who it is.
  ...{ 'customers.csvSample': 1, 'users.logoUploadUrl': 1 },
};

/** In the seeded world nothing of these is there: they ask the registrar or the payment provider, or need what was paid for. */
const absent = [
  ...['billing.dashboardLink', 'certificates.file', 'customers.resendPaymentLink', 'dns.dnssec'],
  ...['dns.glue', 'dns.zone', 'moves.zone', 'statement.receipt'],
];

let portal: Portal;
let counted: CountedDatabase;
const measured = new Map<string, Asked>();
const unanswered: string[] = [];

beforeAll(async () => {
  portal = await startPortal();
  counted = await countDatabase(portal.stack.database.urls);
  const { app } = await portal.withPools(counted);
  const owner = await seedOrganisation(portal, 'aa');
  for (const { id, request } of await looksOf(portal, owner)) {
    if (!request) unanswered.push(id);
    // A slow machine may renew a lease on the way: the best of several counts.
    for (let time = 0; request && time < 3; time += 1) {
      const asked = await counted.count(() => ask(app, request));
      if (asked.trips < (measured.get(id)?.trips ?? Number.POSITIVE_INFINITY)) measured.set(id, asked);
    }
  }
});
afterAll(async () => {
  await counted[Symbol.asyncDispose]();
  await portal[Symbol.asyncDispose]();
});

test('each GET waits for the database exactly as often as is written here', () => {
  const found = [...measured].map(([id, { trips }]) => [id, trips] as const);
  expect(Object.fromEntries(found.filter(([, trips]) => trips !== usual))).toEqual(others);
});

test('no GET begins a transaction in which it only reads: it would wait for the commit besides', () => {
  const faults = [...measured].flatMap(([id, { onlyRead }]) =>
    onlyRead.map((statements) => `${id}: ${statements.join('; ')}`),
  );
  expect(faults).toEqual([]);
});

test('each GET was asked for something that is there', () => {
  expect(unanswered.toSorted()).toEqual(absent);
});
