import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, domainRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { codeOf, testLeases } from '../../../../tests/support/zone-registrar.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { GlueRecord } from '../../ports/registrar.ts';
import { createDnssec } from './dnssec.service.ts';
import { createGlueHosts } from './glue.service.ts';

/** What the registry is sent of hosts and keys below a domain, what is replied, and what the log keeps of how it was before. */

let database: TestDatabase;
let scope: Scope;
let customerId: string;
let domain: string;
let name: string;
let known: GlueRecord[];
let answer: Outcome<void>;
let sent: unknown[][];
/** While the answer is on its way. */
let onSent: () => void;
const clock = { now: () => new Date('2026-11-22T12:00:00Z') };

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  const organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  customerId = await customerRow(database, organisationId);
  scope = {
    ...{ organisationId, userId, email: 'ann@msp.example', role: 'MSP_ADMIN', reach: wholeOrganisation },
    ...{ rights: rightsOfRole, ip: null, requestId: 'test' },
  };
  domain = (await domainRow(database, organisationId, { customer_id: customerId })).address;
  name = `ns1.${domain}`;
  [known, answer, sent, onSent] = [[], { kind: 'done', value: undefined }, [], () => undefined];
});

const note =
  (act: string) =>
  async (...given: unknown[]) => {
    sent.push([act, ...given.slice(0, -1)]);
    onSent();
    return answer;
  };
const base = () => ({ db: database.db, clock, leases: testLeases(database) });
const hosts = () =>
  createGlueHosts({
    ...base(),
    registrar: {
      glue: async () => known,
      ...{ createGlue: note('create'), updateGlue: note('update'), deleteGlue: note('delete') },
    },
  });
const there = (change: Partial<GlueRecord> = {}): GlueRecord => ({
  ...{ name, ipv4: '192.0.2.1', ipv6: '2001:db8::1', canDelete: true, ...change },
});

async function expectEntry(action: AuditAction, before: unknown, after: unknown) {
  expect(await logged(database.db, scope, action)).toEqual([
    { by: scope.userId, kind: 'domain', object: domain, before, after },
  ]);
  expect(await loggedAbout(database.db, scope, action)).toEqual([customerId]);
}

test('a host is made with both of its addresses', async () => {
  const reply = await hosts().create(scope, domain, { name, ipaddress: '192.0.2.1', ipv6: '2001:db8::1' });
  expect(reply).toEqual({ domain, notice: null });
  const host = { name, ipv4: '192.0.2.1', ipv6: '2001:db8::1' };
  expect(sent).toEqual([['create', domain, host]]);
  await expectEntry('dns.createGlue', null, host);
});

test('a host is changed as a whole: what is left out goes along as it is there, and the log has how it was', async () => {
  known = [there({ name: `ns0.${domain}`, ipv4: '192.0.2.9' }), there()];
  const body = { name, ipaddress: '192.0.2.2', new_name: `ns2.${domain}` };
  expect(await hosts().update(scope, domain, body)).toEqual({ domain, notice: null });
  const wanted = { name, ipv4: '192.0.2.2', ipv6: '2001:db8::1', newName: `ns2.${domain}` };
  expect(sent).toEqual([['update', domain, wanted]]);
  const before = { name, ipaddress: '192.0.2.1', ipv6: '2001:db8::1', can_delete: 1 };
  await expectEntry('dns.updateGlue', before, body);
});

test('a host that keeps its name is sent without a new one, and one without any address not at all', async () => {
  known = [there()];
  await hosts().update(scope, domain, { name, ipv6: null, new_name: name });
  expect(sent).toEqual([['update', domain, { name, ipv4: '192.0.2.1', ipv6: null }]]);
  const none = hosts().update(scope, domain, { name, ipv6: null, ipaddress: null });
  await expect(none).rejects.toMatchObject({ code: 'validation_failed', details: [{ path: 'ipaddress' }] });
  const outside = hosts().update(scope, domain, { name, new_name: 'ns1.elsewhere.example' });
  await expect(outside).rejects.toMatchObject({ code: 'validation_failed', details: [{ path: 'new_name' }] });
  expect(sent).toHaveLength(1);
});

test('a host is deleted with the addresses that it has, which the log keeps', async () => {
  known = [there({ name: `ns0.${domain}` }), there({ ipv6: null })];
  answer = { kind: 'pending', orderId: null, text: 'It takes a while.' };
  expect(await hosts().remove(scope, domain, name)).toEqual({ domain, notice: 'It takes a while.' });
  expect(sent).toEqual([['delete', domain, there({ ipv6: null })]]);
  await expectEntry('dns.deleteGlue', { name, ipaddress: '192.0.2.1', ipv6: null, can_delete: 1 }, null);
});

test('of a host that serves a domain, or is not there, nothing is sent', async () => {
  known = [there({ canDelete: false })];
  expect(await hosts().list(scope, domain)).toMatchObject([{ name, can_delete: 0 }]);
  await expect(hosts().remove(scope, domain, name)).rejects.toMatchObject({
    ...{ code: 'unprocessable' },
    message: `${name} serves a domain. Please remove it from that domain's nameservers first.`,
  });
  const other = `ns8.${domain}`;
  await expect(hosts().remove(scope, domain, other)).rejects.toMatchObject({ code: 'not_found' });
  const gone = hosts().update(scope, domain, { name: other, ipaddress: '192.0.2.2' });
  await expect(gone).rejects.toMatchObject({ code: 'not_found' });
  expect(sent).toEqual([]);
  expect(await logged(database.db, scope, 'dns.deleteGlue')).toEqual([]);
});

test('the keys of a domain are taken away as a whole, and the log keeps which they were', async () => {
  const records = [
    { keyTag: '1', algorithm: '8', digestType: '2', digest: 'AB' },
    { keyTag: '2', algorithm: '13', digestType: '2', digest: 'CD' },
  ];
  const dnssec = createDnssec({
    ...base(),
    registrar: { dsRecords: async () => records, removeDsRecords: note('remove') },
  });
  answer = { kind: 'refused', reason: 'other', code: '465', text: 'Not now' };
  const refused = dnssec.remove(scope, domain);
  await expect(refused).rejects.toMatchObject({ code: 'registrar_refused', message: 'Not now' });
  answer = { kind: 'pending', orderId: null, text: 'It takes a while.' };
  expect(await dnssec.remove(scope, domain)).toEqual({ domain, notice: 'It takes a while.' });
  expect(sent).toEqual([1, 2].map(() => ['remove', domain]));
  // What was refused is in no log.
  await expectEntry('dns.removeDnssec', { records }, null);
});

const ipv6 = '2001:db8::1';
const acts = {
  create: (as: Scope) => hosts().create(as, domain, { name, ipv6 }),
  rename: (as: Scope) => hosts().update(as, domain, { name, new_name: `ns2.${domain}` }),
  remove: (as: Scope) => hosts().remove(as, domain, name),
};
type Act = keyof typeof acts;

describe('an act on a host that gets no answer is told by what the registry has then', () => {
  const one = (change: Partial<GlueRecord> = {}) => [there({ ipv4: null, ...change })];
  const renamed = (change: Partial<GlueRecord> = {}) => one({ name: `ns2.${domain}`, ...change });
  test.each<[Act, string, string, () => GlueRecord[]]>([
    ['create', 'with the same address, otherwise written', 'ok', () => one({ ipv6: '2001:0DB8:0:0::0001' })],
    ['create', 'with one address more', 'outcome_unknown', () => one({ ipv4: '192.0.2.9' })],
    ['create', 'under another name alone', 'outcome_unknown', () => renamed()],
    ['rename', 'under its new name', 'ok', () => renamed()],
    ['rename', 'under its former name', 'outcome_unknown', () => one()],
    ['rename', 'with another address', 'outcome_unknown', () => renamed({ ipv6: '2001:db8::2' })],
    ['remove', 'not any more, but another', 'ok', () => renamed()],
    ['remove', 'still', 'outcome_unknown', () => one()],
  ])('%s: it is there %s: %s', async (act, _how, code, then) => {
    known = act === 'create' ? [] : one();
    answer = { kind: 'unknown', text: 'no answer' };
    onSent = () => {
      known = then();
    };
    expect(await codeOf(acts[act](scope))).toBe(code);
    expect(sent).toHaveLength(1);
  });
});

test.each<Act>(['create', 'rename', 'remove'])(
  '%s: what the registry refuses, or the customer may not do, is in no log',
  async (act) => {
    known = act === 'create' ? [] : [there({ ipv4: null })];
    answer = { kind: 'refused', reason: 'other', code: '465', text: 'Not now' };
    await expect(acts[act](scope)).rejects.toMatchObject({ code: 'registrar_refused', message: 'Not now' });
    const guest: Scope = { ...scope, role: 'MSP_CUSTOMER', reach: { kind: 'customers', ids: [customerId] } };
    expect(await codeOf(acts[act](guest))).toBe('forbidden');
    expect(sent).toHaveLength(1);
    const actions = ['dns.createGlue', 'dns.updateGlue', 'dns.deleteGlue'] as const;
    expect(await Promise.all(actions.map((action) => logged(database.db, scope, action)))).toEqual([
      [],
      [],
      [],
    ]);
  },
);

test('a host that is there with other addresses is named with all of them, and a name that only ends alike is refused', async () => {
  known = [there()];
  await expect(acts.create(scope)).rejects.toMatchObject({
    ...{ code: 'already_exists', details: [{ path: 'name' }] },
    message: `${name} already exists with the address 192.0.2.1, 2001:db8::1. Edit it to change the address.`,
  });
  const alike = hosts().create(scope, domain, { name: `ns1-${domain}`, ipv6 });
  await expect(alike).rejects.toMatchObject({
    details: [{ path: 'name', message: `Please enter a name that ends in .${domain}` }],
  });
  const former = hosts().update(scope, domain, { name: `ns1-${domain}`, ipv6 });
  await expect(former).rejects.toMatchObject({ details: [{ path: 'name' }] });
  expect(sent).toEqual([]);
});

test('the keys of a domain that is on its way here, or whose customer may not set it, stay', async () => {
  const dnssec = createDnssec({
    ...base(),
    registrar: { dsRecords: async () => [], removeDsRecords: note('remove') },
  });
  const guest: Scope = { ...scope, role: 'MSP_CUSTOMER', reach: { kind: 'customers', ids: [customerId] } };
  expect(await codeOf(dnssec.remove(guest, domain))).toBe('forbidden');
  await within(database, scope.organisationId, (tx) =>
    tx.updateTable('domains').set({ status: 'transferring' }).where('address', '=', domain).execute(),
  );
  expect(await codeOf(dnssec.remove(scope, domain))).toBe('unprocessable');
});
