import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { customerRow, within } from '../../../../tests/support/rows.ts';
import {
  codeOf,
  noRecords,
  ownDomain,
  testLeases,
  ZoneRegistrar,
} from '../../../../tests/support/zone-registrar.ts';
import type { Outcome } from '../../ports/outcome.ts';
import { recordSettings } from '../domains/index.ts';
import { createNameservers } from './nameservers.service.ts';

/** What switching to the managed DNS leaves behind: the nameservers that are shown, the entry in the log, and a look at the registrar. */

let database: TestDatabase;
let people: People;
let scope: Scope;
let registrar: ZoneRegistrar;
let domain: string;
let customerId: string;
let made = 0;
const elsewhere = ['ns1.elsewhere.example', 'ns2.elsewhere.example'];
const managed = ['ns1.managed.example', 'ns2.managed.example'];

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope } = await people.organisation());
  registrar = new ZoneRegistrar();
  made += 1;
  domain = `moving-${made}.com`;
  customerId = await customerRow(database, scope.organisationId);
  await ownDomain(database, scope, domain, customerId);
  const place = { organisationId: scope.organisationId, address: domain };
  await within(database, scope.organisationId, (tx) => recordSettings(tx, place, { nameservers: elsewhere }));
  await takeJobs(database.url);
});

const force = (answer: Outcome<void> | null, dnssecConfirmed?: boolean, as = scope) =>
  createNameservers({
    ...{ db: database.db, clock: people.clock, leases: testLeases(database), nameservers: managed },
    registrar: {
      ...registrar.asPort(),
      useRegistrarNameservers: async () => {
        if (!answer) throw new Error('nothing may be sent');
        return answer;
      },
    },
  }).force(as, domain, dnssecConfirmed);

const entries = () => logged(database.db, scope, 'dns.forceNameservers');
const entry = (after: object) => ({
  ...{ by: scope.userId, kind: 'domain', object: domain, before: { nameservers: elsewhere }, after },
});
const sync = () => ({
  ...{ task: 'domains.sync', payload: { organisationId: scope.organisationId, address: domain } },
});
const shown = async () => {
  const row = await within(database, scope.organisationId, (tx) =>
    tx.selectFrom('domains').select('nameservers').where('address', '=', domain).executeTakeFirst(),
  );
  return row?.nameservers;
};

test.each<[string, Outcome<void>, string | null, string[]]>([
  ['done', { kind: 'done', value: undefined }, null, managed],
  // The registrar takes it up later: what is shown stays true until then.
  [
    'taken up later',
    { kind: 'pending', orderId: null, text: 'It takes a while.' },
    'It takes a while.',
    elsewhere,
  ],
])(
  'a switch that is %s is told, logged with what was before, and read again',
  async (_what, answer, notice, then) => {
    expect(await force(answer)).toEqual({ domain, notice });
    expect(await shown()).toEqual(then);
    expect(await entries()).toEqual([entry({ nameservers: managed })]);
    expect(await loggedAbout(database.db, scope, 'dns.forceNameservers')).toEqual([customerId]);
    expect(await takeJobs(database.url)).toEqual([sync()]);
  },
);

test('the log says who confirmed it for a signed domain; without that nothing is sent', async () => {
  registrar.signed.set(domain, [{ keyTag: '1', algorithm: '8', digestType: '2', digest: 'AB' }]);
  expect(await codeOf(force(null))).toBe('signed_domain');
  expect(await codeOf(force(null, false))).toBe('signed_domain');
  expect(registrar.zones.has(domain)).toBe(false);
  expect(await entries()).toEqual([]);
  expect(await force({ kind: 'done', value: undefined }, true)).toEqual({ domain, notice: null });
  expect(await entries()).toEqual([entry({ nameservers: managed, dnssecConfirmed: true })]);
});

test('a switch that the registrar refuses changes nothing that is shown, and stands nowhere', async () => {
  registrar.zones.set(domain, noRecords);
  const refused = force({ kind: 'refused', reason: 'other', code: '465', text: 'Not now' });
  await expect(refused).rejects.toMatchObject({ code: 'registrar_refused', message: 'Not now' });
  expect(await shown()).toEqual(elsewhere);
  expect(await entries()).toEqual([]);
  expect(await takeJobs(database.url)).toEqual([]);
});

test('a switch without an answer is logged as such, and read when it can strike no more', async () => {
  const unknown = { kind: 'unknown', text: 'no answer' } as const;
  expect(await codeOf(force(unknown))).toBe('outcome_unknown');
  expect(await shown()).toEqual(elsewhere);
  expect(await entries()).toEqual([entry({ nameservers: managed, outcome: 'unknown' })]);
  expect(await runsAt(database.url, `domains.sync:${domain}`)).toEqual(
    new Date(people.clock.now().getTime() + 60_000),
  );
  expect(await takeJobs(database.url)).toEqual([sync()]);
  // The zone shows that it has happened.
  registrar.delegated.add(domain);
  expect(await force(unknown)).toEqual({ domain, notice: null });
  expect(await shown()).toEqual(managed);
});

test('nameservers are not switched to a zone of which nobody knows whether it is there', async () => {
  registrar.silence = 'before';
  expect(await codeOf(force(null))).toBe('outcome_unknown');
  registrar.refusal = 'No zone for you';
  await expect(force(null)).rejects.toMatchObject({ code: 'registrar_refused', message: 'No zone for you' });
  expect([await shown(), await entries()]).toEqual([elsewhere, []]);
});

test('of a domain that is on its way here, or whose customer may not set it, nothing is switched', async () => {
  const guest: Scope = { ...scope, role: 'MSP_CUSTOMER', reach: { kind: 'customers', ids: [customerId] } };
  expect(await codeOf(force(null, undefined, guest))).toBe('forbidden');
  await within(database, scope.organisationId, (tx) =>
    tx.updateTable('domains').set({ status: 'transferring' }).where('address', '=', domain).execute(),
  );
  expect(await codeOf(force(null))).toBe('unprocessable');
  expect([registrar.zones.has(domain), await entries()]).toEqual([false, []]);
});
