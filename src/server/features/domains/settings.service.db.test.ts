import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { comPeriods } from '#contracts/values/domain-life.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { owner as ann, createPeople, type People } from '../../../../tests/support/people.ts';
import { across, customerRow, domainRow } from '../../../../tests/support/rows.ts';
import { codeOf, testLeases } from '../../../../tests/support/zone-registrar.ts';
import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';
import { createDomainSettings } from './settings.service.ts';

/** One domain in detail, and each of its settings: what is sent, kept and logged. */

let database: TestDatabase;
let people: People;
let scope: Scope;
/** Of another organization, and a user of one of our customers, who may not change settings. */
let stranger: Scope;
let guest: Scope;
let customerId: string;
let theirCustomer: string;
/** What the registrar was asked and sent, in order. */
let sent: unknown[][];
let outcome: Outcome<void>;
/** What it has; an error: it does not say. */
let there: RegistrarDomain | Error | null;
let ds: object[] | Error;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
  ({ scope: stranger } = await people.organisation());
  customerId = await customerRow(database, scope.organisationId);
  theirCustomer = await customerRow(database, scope.organisationId, { allow_domain_settings: false });
  const authorizedClientId = theirCustomer;
  ({ scope: guest } = await people.join(scope, { type: 'MSP_CUSTOMER', authorizedClientId }));
});
afterAll(() => database.close());

const said = (change: Partial<RegistrarDomain> = {}): RegistrarDomain => ({
  ...{ domain: '', registeredAt: null, expiresAt: new Date('2030-01-01T00:00:00Z'), updatedAt: null },
  ...{ transferredAt: null, autoRenew: false, letExpire: false, locked: true, privacy: false, tag: null },
  ...{ nameservers: ['ns1.said.net', 'ns2.said.net'], contacts: { owner: ann }, ...change },
});
beforeEach(async () => {
  [sent, there, ds] = [[], said(), []];
  outcome = { kind: 'done', value: undefined };
  await takeJobs(database.url);
});

function settings() {
  const write =
    (what: string) =>
    async (...told: unknown[]) => {
      sent.push([what, ...told.slice(0, -1)]);
      return outcome;
    };
  return createDomainSettings({
    ...{ db: database.db, clock: people.clock, leases: testLeases(database), customers: people.customers },
    facts: {
      nameservers: ['ns1.ours.net'],
      periods: comPeriods,
    },
    registrar: {
      domain: async (address: string) => {
        sent.push(['read', address]);
        if (there instanceof Error) throw there;
        return there;
      },
      verification: async () => ({
        ...{ state: 'waiting', deadline: null, daysToSuspend: null, emailBounced: true },
      }),
      authCode: async (address: string) => {
        sent.push(['auth code', address]);
        return 'aB3!secret';
      },
      dsRecords: async (address: string) => {
        sent.push(['ds', address]);
        if (ds instanceof Error) throw ds;
        return ds;
      },
      ...{ setLock: write('lock'), setAutoRenew: write('auto renew'), setPrivacy: write('privacy') },
      ...{ setNameservers: write('nameservers'), setContacts: write('contacts') },
    } as never,
  });
}

/** A domain of a customer of ours. */
async function own(change: Parameters<typeof domainRow>[2] = {}): Promise<string> {
  const row = { locked: true, privacy: false, auto_renew: false, customer_id: customerId, ...change };
  return (await domainRow(database, scope.organisationId, row)).address;
}
const copyOf = (address: string) =>
  across(database, (tx) =>
    tx.selectFrom('domains').selectAll().where('address', '=', address).executeTakeFirstOrThrow(),
  );
const entryOf = async (action: Parameters<typeof logged>[2], address: string) =>
  (await logged(database.db, scope, action)).find(({ object }) => object === address);
const fresh = () => undefined;
const stale = () => {
  throw new AppError('fresh_sign_in_required');
};
const [nameservers, bob] = [['ns1.new.net', 'ns2.new.net'], { ...ann, firstName: 'Bob' }];

type Settings = ReturnType<typeof settings>;
interface Case {
  what: string;
  act: (of: Settings, scope: Scope, address: string) => Promise<{ domain: string; notice: string | null }>;
  row?: Parameters<typeof domainRow>[2];
  write: unknown[];
  action: Parameters<typeof logged>[2];
  change: { before?: unknown; after: unknown };
  /** In the portal's copy, when it is done. */
  kept: object;
}
const cases: Case[] = [
  {
    ...{ what: 'unlocking', act: (of, who, name) => of.setLock(who, name, false), write: ['lock', false] },
    ...{ action: 'domains.unlock', kept: { locked: false } },
    change: { before: { locked: true }, after: { locked: false } },
  },
  {
    ...{ what: 'locking', act: (of, who, name) => of.setLock(who, name, true), write: ['lock', true] },
    ...{ row: { locked: false }, action: 'domains.lock', kept: { locked: true } },
    change: { before: { locked: false }, after: { locked: true } },
  },
  {
    ...{ what: 'auto renew', act: (of, who, name) => of.setAutoRenew(who, name, true) },
    ...{ write: ['auto renew', false], action: 'domains.autoRenew', kept: { auto_renew: true } },
    change: { before: { autoRenew: false }, after: { autoRenew: true } },
  },
  {
    ...{ what: 'privacy', act: (of, who, name) => of.setPrivacy(who, name, true) },
    ...{ write: ['privacy', true], action: 'domains.privacy', kept: { privacy: true } },
    change: { before: { privacy: false }, after: { privacy: true } },
  },
  {
    ...{ what: 'nameservers', act: (of, who, name) => of.setNameservers(who, name, { nameservers }) },
    ...{ row: { nameservers: ['ns1.old.net'] }, write: ['nameservers', nameservers] },
    ...{ action: 'domains.updateNameservers', kept: { nameservers } },
    change: { before: { nameservers: ['ns1.old.net'] }, after: { nameservers } },
  },
  {
    ...{ what: 'contacts', act: (of, who, name) => of.setContacts(who, name, { owner: bob }) },
    ...{ write: ['contacts', { owner: bob }], action: 'domains.contacts', kept: {} },
    change: { before: { owner: { firstName: 'Ada' } }, after: { owner: { firstName: 'Bob' } } },
  },
];

describe.each(cases)('a change of $what', ({ act, row = {}, write, action, change, kept }) => {
  const writes = () => sent.filter(([what]) => what === write[0]);

  test('is sent once, kept, in the log about the domain’s customer, and read again', async () => {
    const address = await own(row);
    expect(await act(settings(), scope, address)).toEqual({ domain: address, notice: null });
    expect(writes()).toEqual([[write[0], address, ...write.slice(1)]]);
    expect(await copyOf(address)).toMatchObject(kept);
    expect(await entryOf(action, address)).toMatchObject({ by: scope.userId, kind: 'domain', ...change });
    expect((await loggedAbout(database.db, scope, action)).at(-1)).toBe((await copyOf(address)).customer_id);
    expect(await takeJobs(database.url)).toEqual([
      { task: 'domains.sync', payload: { organisationId: scope.organisationId, address } },
    ]);
  });

  test('that the registrar takes up later is told and logged, and not kept before it is so', async () => {
    outcome = { kind: 'pending', orderId: null, text: 'Within the hour.' };
    const address = await own(row);
    const before = await copyOf(address);
    expect(await act(settings(), scope, address)).toEqual({ domain: address, notice: 'Within the hour.' });
    const { locked, auto_renew, privacy } = before;
    expect(await copyOf(address)).toMatchObject({ locked, auto_renew, privacy });
    expect((await copyOf(address)).nameservers).not.toEqual(nameservers);
    expect(await entryOf(action, address)).toMatchObject(change);
    expect((await takeJobs(database.url)).map(({ task }) => task)).toEqual(['domains.sync']);
  });

  test('that is refused is neither kept nor logged, and nothing is read', async () => {
    outcome = { kind: 'refused', reason: 'invalid', code: '465', text: 'No.' };
    const address = await own(row);
    const { locked, auto_renew, privacy } = await copyOf(address);
    await expect(act(settings(), scope, address)).rejects.toMatchObject({
      ...{ code: 'registrar_refused', message: 'No.' },
    });
    expect(await copyOf(address)).toMatchObject({ locked, auto_renew, privacy });
    expect(await entryOf(action, address)).toBeUndefined();
    expect(await takeJobs(database.url)).toEqual([]);
  });

  test('is made by nobody of another organization, nor of a domain on its way, nor by users who may not', async () => {
    const mine = await own(row);
    expect(await codeOf(act(settings(), stranger, mine))).toBe('not_found');
    const coming = await own({ ...row, status: 'transferring' });
    await expect(act(settings(), scope, coming)).rejects.toMatchObject({
      ...{ code: 'unprocessable', message: 'This is possible once the transfer is complete.' },
    });
    const theirs = await own({ ...row, customer_id: theirCustomer });
    expect(await codeOf(act(settings(), guest, theirs))).toBe('forbidden');
    expect(writes()).toEqual([]);
    const allow = (allow_domain_settings: boolean) =>
      across(database, (tx) =>
        tx.updateTable('customers').set({ allow_domain_settings }).where('id', '=', theirCustomer).execute(),
      );
    await allow(true);
    expect(await codeOf(act(settings(), guest, theirs))).toBe('ok');
    // Also then a domain of another customer is none of theirs.
    expect(await codeOf(act(settings(), guest, mine))).toBe('not_found');
    await allow(false);
  });
});

describe('nameservers of a signed domain', () => {
  const change = (address: string, dnssecConfirmed?: boolean) =>
    settings().setNameservers(scope, address, { nameservers, dnssecConfirmed });

  test('change only when that was confirmed, which the log keeps', async () => {
    ds = [{ keyTag: '1', algorithm: '13', digestType: '2', digest: 'AB' }];
    const address = await own();
    await expect(change(address)).rejects.toMatchObject({ code: 'signed_domain', data: { records: ds } });
    expect(sent).toEqual([['ds', address]]);
    expect(await codeOf(change(address, true))).toBe('ok');
    expect((await entryOf('domains.updateNameservers', address))?.after).toEqual({
      ...{ nameservers, dnssecConfirmed: true },
    });
  });

  test('stay where nobody says whether it is signed', async () => {
    ds = new UpstreamUnavailable('no answer');
    const address = await own();
    expect(await codeOf(change(address))).toBe('upstream_unavailable');
    expect(sent).toEqual([['ds', address]]);
  });
});

describe('contacts', () => {
  test('of nobody are no change, and nothing is sent', async () => {
    const address = await own();
    await expect(settings().setContacts(scope, address, { owner: undefined })).rejects.toMatchObject({
      ...{ code: 'unprocessable', message: 'Please choose at least one contact.' },
    });
    expect(sent).toEqual([]);
  });

  test.each([
    ['cannot be read before', () => new UpstreamUnavailable('no answer'), { owner: bob }],
    ['are those that were there', () => said({ contacts: { owner: bob } }), { owner: bob }],
  ])('that %s are in the log as they were sent', async (_what, before, after) => {
    const address = await own();
    there = before();
    await settings().setContacts(scope, address, { owner: bob });
    const entry = await entryOf('domains.contacts', address);
    expect([entry?.before ?? null, entry?.after]).toEqual([null, after]);
  });
});

describe('the details', () => {
  test('are the portal’s own copy, and the registrar is asked only where that is wanted', async () => {
    const address = await own({ nameservers: ['ns1.copy.net'] });
    expect(await settings().details(scope, address, 'none', stale)).toMatchObject({
      ...{ live: false, nameserver_list: [{ name: 'ns1.copy.net' }], domain_auth_info: null },
    });
    expect(sent).toEqual([]);
    expect(await settings().details(scope, address, 'all_info', stale)).toMatchObject({
      ...{ live: true, nameserver_list: [{ name: 'ns1.said.net' }, { name: 'ns2.said.net' }] },
      verification: { state: 'waiting', bounced: true },
    });
    expect(await copyOf(address)).toMatchObject({
      ...{ nameservers: ['ns1.said.net', 'ns2.said.net'], synced_at: people.clock.now() },
      ...{ verification: 'waiting', expires_at: new Date('2030-01-01T00:00:00Z') },
    });
  });

  test.each<[string, () => Error | null]>([
    ['does not answer', () => new UpstreamUnavailable('no answer')],
    ['refuses to', () => new UpstreamRefused('other', '400', 'No.')],
    ['has no such name', () => null],
  ])('are the copy where the registrar %s, which stays as it is', async (_what, answer) => {
    there = answer();
    const address = await own({ nameservers: ['ns1.copy.net'] });
    expect(await settings().details(scope, address, 'all_info', stale)).toMatchObject({
      ...{ live: false, nameserver_list: [{ name: 'ns1.copy.net' }] },
    });
    expect(await copyOf(address)).toMatchObject({
      ...{ nameservers: ['ns1.copy.net'], synced_at: null, verification: null },
    });
  });

  test('of a domain on its way are asked of nobody; a fault of ours is no silence of the registrar', async () => {
    const coming = await own({ status: 'transferring' });
    expect((await settings().details(scope, coming, 'all_info', stale)).live).toBe(false);
    expect(sent).toEqual([]);
    there = new TypeError('a bug');
    await expect(settings().details(scope, await own(), 'all_info', stale)).rejects.toThrow('a bug');
  });

  test('of another organization’s domain, or another customer’s, are those of none', async () => {
    const address = await own();
    expect(await codeOf(settings().details(stranger, address, 'none', fresh))).toBe('not_found');
    expect(await codeOf(settings().details(guest, address, 'none', fresh))).toBe('not_found');
  });
});

describe('the auth password', () => {
  const auth = (address: string, who = scope, signedIn: () => void = fresh) =>
    settings().details(who, address, 'domain_auth_info', signedIn);
  const readings = async (address: string) =>
    (await logged(database.db, scope, 'domains.readAuthPassword')).filter(({ object }) => object === address);

  test('of an unlocked domain is shown, and each reading is in the log', async () => {
    there = said({ locked: false });
    const address = await own();
    expect((await auth(address)).domain_auth_info).toBe('aB3!secret');
    expect(await readings(address)).toMatchObject([{ by: scope.userId, kind: 'domain' }]);
    expect(JSON.stringify(await readings(address))).not.toContain('secret');
  });

  test.each<[string, () => typeof there]>([
    ['of a locked one', () => said({ locked: true })],
    ['of a name that the registrar does not have', () => null],
  ])('%s is not even asked for', async (_what, answer) => {
    there = answer();
    const address = await own({ locked: false });
    expect((await auth(address)).domain_auth_info).toBeNull();
    expect(sent).toEqual([['read', address]]);
  });

  test('is for those who may unlock, freshly signed in; who may not is not asked to sign in', async () => {
    there = said({ locked: false });
    const address = await own();
    const reader: Scope = { ...scope, rights: { kind: 'named', permissions: ['domains.read'] } };
    expect(await codeOf(auth(address, reader, stale))).toBe('forbidden');
    expect(await codeOf(auth(address, scope, stale))).toBe('fresh_sign_in_required');
    expect([sent, await readings(address)]).toEqual([[], []]);
  });

  test('is in the log also where the registrar then does not answer, which is told', async () => {
    there = new UpstreamUnavailable('no answer');
    const address = await own();
    expect(await codeOf(auth(address))).toBe('upstream_unavailable');
    expect(await readings(address)).toHaveLength(1);
  });

  test('of a domain on its way is none, and nobody is asked', async () => {
    const address = await own({ status: 'transferring' });
    expect((await auth(address)).domain_auth_info).toBeNull();
    expect([sent, await readings(address)]).toEqual([[], []]);
  });
});

describe('a setting that is one of many', () => {
  const look = async (address: string, part: Parameters<Settings['many']['look']>[2]) =>
    settings().many.look(scope, address, part);
  const expires = new Date('2029-01-01T00:00:00Z');

  test('is looked at with what has to be known to change it, and nobody is asked for anything else', async () => {
    ds = [{ keyTag: '1', algorithm: '13', digestType: '2', digest: 'AB' }];
    there = said({ nameservers: ['ns1.ours.net'], contacts: { owner: bob } });
    const address = await own({ nameservers: ['ns1.old.net'], expires_at: expires, auto_renew: true });
    const known = {
      ...{ customerId, expiresAt: expires, managed: false, signed: false, customerContacts: null },
      ...{ providerNameservers: ['ns1.ours.net'], registrantLockDays: comPeriods.registrantLockDays },
    };
    expect(await look(address, 'autoRenew')).toEqual({ ...known, settings: { autoRenew: true } });
    expect(await look(address, 'customerId')).toEqual({ ...known, settings: { customerId } });
    expect(sent).toEqual([]);
    expect(await look(address, 'locked')).toEqual({ ...known, settings: { locked: true } });
    expect(sent).toEqual([['read', address]]);
    // Of a delegation the registrar's own word counts, and whether it is signed.
    expect(await look(address, 'nameservers')).toEqual({
      ...{ ...known, settings: { nameservers: ['ns1.ours.net'] }, managed: true, signed: true },
    });
    const people = await look(address, 'contacts');
    expect(people).toMatchObject({ settings: { contacts: { owner: bob } }, signed: false });
    expect(people.customerContacts?.owner).toMatchObject({ firstName: ann.firstName });
    expect((await look(await own({ customer_id: null }), 'contacts')).customerContacts).toBeNull();
  });

  test('cannot be looked at where the registrar does not know the domain, or does not say whether it is signed', async () => {
    const address = await own();
    there = null;
    await expect(look(address, 'locked')).rejects.toMatchObject({
      ...{ code: 'unprocessable', message: 'The registrar does not know this domain.' },
    });
    there = said();
    ds = new UpstreamUnavailable('no answer');
    expect(await codeOf(look(address, 'nameservers'))).toBe('upstream_unavailable');
  });

  test('is no change where the domain is signed, or nothing is wanted', async () => {
    ds = [{ keyTag: '1', algorithm: '13', digestType: '2', digest: 'AB' }];
    const address = await own();
    const change = (after: object) =>
      settings().many.change(
        scope,
        address,
        { before: { nameservers: ['ns1.said.net', 'ns2.said.net'] }, after },
        { again: false, end: async () => true },
      );
    expect(await codeOf(change({ nameservers }))).toBe('signed_domain');
    expect(await change({})).toBe('same');
    expect(sent).toEqual([['ds', address]]);
  });
});

test('a missing domain can be neither read nor changed at the registrar; what is known of it is shown', async () => {
  const { address } = await domainRow(database, scope.organisationId, {
    ...{ missing_since: people.clock.now(), locked: true },
  });
  const refused = {
    ...{ code: 'unprocessable', message: `The registrar no longer has ${address} in this portal’s account.` },
  };
  for (const { act } of cases) await expect(act(settings(), scope, address)).rejects.toMatchObject(refused);
  await expect(settings().details(scope, address, 'domain_auth_info', fresh)).rejects.toMatchObject(refused);
  expect(await settings().details(scope, address, 'all_info', fresh)).toMatchObject({
    ...{ domain: address, missing: true, live: false },
  });
  expect(sent).toEqual([]);
});
