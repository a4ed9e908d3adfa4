import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Change, ChangeItem } from '#contracts/operations/changes.ts';
import type { SettingRequest } from '#contracts/values/changes.ts';
import { sql } from '#kernel/db/database.ts';
import type { Fence } from '#kernel/fence.ts';
import { newId } from '#kernel/ids.ts';
import { createLogger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { ownDomain, testLeases } from '../../../../tests/support/zone-registrar.ts';
import { type Outcome, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Contact, ContactSet, RegistrarDomain } from '../../ports/registrar.ts';
import { createAudit } from '../audit/index.ts';
import { createDomainSettings } from '../domains/settings.service.ts';
import { type ChangesApi, createChanges } from './changes.service.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let changes: ChangesApi;
let held: Map<string, RegistrarDomain>;
let writes: string[];
/** What the next write does instead of answering. */
let silence: 'struck' | 'lost' | null;
let refusal: string | null;
/** Nobody can read what is there. */
let unreadable: boolean;
/** While an answer is on its way. */
let onAnswer: () => Promise<void>;
const signedIn = () => undefined;

const names = ['alder.com', 'birch.com', 'cedar.com'];
const ann: Contact = {
  ...{ organization: 'Ann Ltd', firstName: 'Ann', lastName: 'Lee', email: 'ann@ann.example' },
  ...{ phone: '+1.2125550100', address1: '1 Main St', city: 'Rome', state: 'NY' },
  ...{ postalCode: '10001', country: 'US' },
};
const bob: Contact = { ...ann, organization: 'Bob Inc', firstName: 'Bob', email: 'bob@bob.example' };
const lock: SettingRequest = { kind: 'lock', locked: true };

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
/** A name is one organization's: the next test has it again. */
afterEach(() => sql`UPDATE domains SET status = 'ended'`.execute(database.systemDb));

/** The registrar with these domains in memory: each write is counted, and answers get lost on demand. */
function registrar() {
  const act = async (domain: string, fence: Fence, set: Partial<RegistrarDomain>): Promise<Outcome<void>> => {
    if ((await fence.holdsForMs()) <= 0) return { kind: 'busy', code: 'too-late', text: 'too late' };
    if (refusal) return { kind: 'refused', reason: 'invalid', code: '465', text: refusal };
    writes.push(domain);
    await onAnswer();
    const how = silence;
    silence = null;
    if (how !== 'lost') Object.assign(held.get(domain) ?? {}, set);
    return how ? { kind: 'unknown', text: 'no answer' } : { kind: 'done', value: undefined };
  };
  return {
    domain: async (domain: string) => {
      if (unreadable) throw new UpstreamUnavailable('no answer');
      return structuredClone(held.get(domain) ?? null);
    },
    dsRecords: async () => [],
    setLock: (domain: string, locked: boolean, fence: Fence) => act(domain, fence, { locked }),
    setAutoRenew: (domain: string, autoRenew: boolean, fence: Fence) => act(domain, fence, { autoRenew }),
    setPrivacy: (domain: string, privacy: boolean, fence: Fence) => act(domain, fence, { privacy }),
    setNameservers: (domain: string, nameservers: string[], fence: Fence) =>
      act(domain, fence, { nameservers }),
    setContacts: (domain: string, contacts: Partial<ContactSet>, fence: Fence) =>
      act(domain, fence, { contacts: { ...held.get(domain)?.contacts, ...contacts } }),
  };
}

beforeEach(async () => {
  ({ scope } = await people.organisation());
  [held, writes, silence, refusal, unreadable] = [new Map(), [], null, null, false];
  onAnswer = async () => undefined;
  const settings = createDomainSettings({
    ...{ db: database.db, clock: people.clock, leases: testLeases(database), customers: people.customers },
    facts: { nameservers: ['ns1.us.example'], periods: { registrantLockDays: 60 } as never },
    registrar: registrar() as never,
  });
  changes = createChanges({
    ...{ db: database.db, systemDb: database.systemDb, clock: people.clock, newId },
    ...{ parallel: 2, claimMs: 30_000, zones: {} as never, templates: {} as never, domains: {} as never },
    settings: settings.many,
    prices: { standardPriceCents: async () => 1_231 },
    logger: createLogger({ level: 'silent' }),
  });
  for (const domain of names) {
    await ownDomain(database, scope, domain);
    held.set(domain, {
      ...{ domain, registeredAt: null, expiresAt: null, updatedAt: null, transferredAt: null, tag: null },
      ...{ autoRenew: false, letExpire: false, locked: false, privacy: true },
      ...{ nameservers: ['ns1.else.example', 'ns2.else.example'], contacts: { owner: ann, tech: ann } },
    });
  }
});

const ref = (change: Pick<Change, 'id'>) => ({ organisationId: scope.organisationId, changeId: change.id });
async function looked(request: SettingRequest, wanted = names): Promise<Change> {
  const targets = { kind: 'names' as const, names: wanted };
  const change = await changes.create(scope, { title: 'A change', reason: '', request, targets });
  return seen(change);
}
async function seen(change: Pick<Change, 'id'>): Promise<Change> {
  await changes.tasks['changes.look'](ref(change));
  return changes.get(scope, change.id);
}
async function run(change: Pick<Change, 'id'>): Promise<Change> {
  await changes.tasks['changes.run'](ref(change));
  return changes.get(scope, change.id);
}
const started = (change: Change, expected = change.counts.ready) =>
  changes.start(scope, change.id, { act: 'apply', expected }, signedIn);
const apply = async (change: Change) => run(await started(change));
async function itemsOf(change: Pick<Change, 'id'>): Promise<Map<string, ChangeItem>> {
  const { items } = await changes.items(scope, change.id, { limit: 200 });
  return new Map(items.map((item) => [item.domain, item]));
}
const logged = async (action: string) =>
  (
    await sql<{ object: string }>`SELECT object FROM audit_log
      WHERE organisation_id = ${scope.organisationId} AND action = ${action} ORDER BY object`.execute(
      database.systemDb,
    )
  ).rows.map(({ object }) => object);
const of = (domain: string) => held.get(domain) as RegistrarDomain;
/** Time goes on until what was put off is due. */
const later = (change: Pick<Change, 'id'>) => {
  people.clock.forward(120_000);
  return run(change);
};

test('a look shows each difference and changes nothing; applied, each domain is set once and is in the log', async () => {
  of('birch.com').locked = true;
  const change = await looked(lock);
  expect(change).toMatchObject({ sentence: 'Lock against transfers', counts: { ready: 2, same: 1 } });
  expect((await itemsOf(change)).get('alder.com')).toMatchObject({
    ...{ difference: null, settings: [{ label: 'Lock', before: 'Unlocked', after: 'Locked' }] },
  });
  expect(writes).toEqual([]);
  expect(await apply(change)).toMatchObject({ state: 'done', counts: { done: 2 } });
  expect(names.map((name) => of(name).locked)).toEqual([true, true, true]);
  expect(writes.sort()).toEqual(['alder.com', 'cedar.com']);
  expect(await logged('domains.lock')).toEqual(['alder.com', 'cedar.com']);
  // A job that comes twice finds nothing to do.
  await run(change);
  expect(writes).toHaveLength(2);
});

test.each(['struck', 'lost'] as const)('an answer that never came (%s) ends in one change', async (how) => {
  const change = await looked(lock, ['alder.com']);
  silence = how;
  await apply(change);
  expect(await later(change)).toMatchObject({ state: 'done', counts: { done: 1 } });
  expect(of('alder.com').locked).toBe(true);
  expect(writes).toHaveLength(how === 'struck' ? 1 : 2);
  expect(await logged('domains.lock')).toEqual(['alder.com']);
});

test('a try that lasted too long leaves it to the one that has taken over: it is in the log once', async () => {
  const change = await looked(lock, ['alder.com']);
  onAnswer = async () => {
    onAnswer = async () => undefined;
    await sql`UPDATE change_items SET attempts = attempts + 1`.execute(database.systemDb);
  };
  await apply(change);
  expect(await logged('domains.lock')).toEqual([]);
  expect(await later(change)).toMatchObject({ state: 'done' });
  expect(writes).toHaveLength(1);
  expect(await logged('domains.lock')).toEqual(['alder.com']);
});

/** The next write strikes, is not answered, and cannot be read. */
const strikeUnseen = () => {
  silence = 'struck';
  onAnswer = async () => {
    unreadable = true;
  };
};

test('what struck while the registrar was away is the change’s own when a person tries again', async () => {
  const change = await looked(lock, ['alder.com']);
  strikeUnseen();
  await apply(change);
  for (let tries = 1; tries < 7; tries += 1) await later(change);
  expect(await changes.get(scope, change.id)).toMatchObject({ state: 'partly', counts: { failed: 1 } });
  unreadable = false;
  await changes.start(scope, change.id, { act: 'retry', expected: 1 }, signedIn);
  expect(await run(change)).toMatchObject({ state: 'done', counts: { done: 1, same: 0 } });
  expect(writes).toEqual(['alder.com']);
  expect(await logged('domains.lock')).toEqual(['alder.com']);
  expect(await seen(await changes.undo(scope, change.id))).toMatchObject({ counts: { ready: 1 } });
});

test('what was refused, and then set by somebody else, is theirs when a person tries again', async () => {
  const change = await looked(lock, ['alder.com']);
  refusal = 'Not now';
  expect(await apply(change)).toMatchObject({ counts: { failed: 1 } });
  refusal = null;
  of('alder.com').locked = true;
  await changes.start(scope, change.id, { act: 'retry', expected: 1 }, signedIn);
  expect(await run(change)).toMatchObject({ state: 'done', counts: { same: 1 } });
  expect(await logged('domains.lock')).toEqual([]);
});

test('an undo waits until nothing of an ended change is on its way, and takes in what was', async () => {
  const change = await looked(lock);
  let early: unknown;
  onAnswer = async () => {
    onAnswer = async () => undefined;
    await changes.cancel(scope, change.id);
    early = await changes.undo(scope, change.id).catch((error: unknown) => error);
  };
  const { counts } = await apply(change);
  expect(early).toMatchObject({
    code: 'in_progress',
    message: 'Some of its domains are being changed at this moment. Please try again in a moment.',
  });
  expect(counts.done).toBeGreaterThan(0);
  expect(await seen(await changes.undo(scope, change.id))).toMatchObject({
    counts: { total: counts.done, ready: counts.done },
  });
});

test('an undo takes in a setting that struck unseen before its change was ended', async () => {
  const change = await looked(lock, ['alder.com']);
  strikeUnseen();
  await apply(change);
  expect(await changes.cancel(scope, change.id)).toMatchObject({ counts: { cancelled: 1 } });
  unreadable = false;
  await apply(await seen(await changes.undo(scope, change.id)));
  expect(of('alder.com').locked).toBe(false);
});

test('an undo takes in a setting that struck unseen and was left out after', async () => {
  const change = await looked(lock, ['alder.com']);
  strikeUnseen();
  await apply(change);
  for (let tries = 1; tries < 7; tries += 1) await later(change);
  const ids = [(await itemsOf(change)).get('alder.com')?.id ?? ''];
  const left = await changes.choose(scope, change.id, { ids, chosen: false });
  expect(left).toMatchObject({ state: 'done', counts: { leftOut: 1 } });
  unreadable = false;
  await apply(await seen(await changes.undo(scope, change.id)));
  expect(of('alder.com').locked).toBe(false);
  expect(await changes.get(scope, change.id)).toMatchObject({ state: 'undone' });
});

test('what others changed in between is kept, and waits for a person', async () => {
  const request: SettingRequest = { kind: 'contacts', roles: ['owner', 'tech'], contact: bob };
  const change = await looked(request, ['alder.com', 'birch.com', 'cedar.com']);
  of('alder.com').contacts.owner = { ...ann, city: 'Oslo' };
  of('birch.com').contacts = { owner: bob, tech: bob };
  // Another role is not what it is about.
  of('cedar.com').contacts.admin = { ...ann, city: 'Oslo' };
  const partly = await apply(change);
  expect(partly).toMatchObject({ state: 'partly', counts: { done: 1, moved: 1, same: 1 } });
  expect(of('alder.com').contacts.owner?.city).toBe('Oslo');
  expect(of('cedar.com').contacts).toMatchObject({ owner: bob, tech: bob, admin: { city: 'Oslo' } });
  expect((await itemsOf(change)).get('alder.com')).toMatchObject({
    ...{ state: 'moved', note: 'Somebody changed this in between. Please look again.' },
    settings: expect.arrayContaining([{ label: 'Owner: city', before: 'Oslo', after: 'Rome' }]),
  });
  await changes.start(scope, change.id, { act: 'retry', expected: 1 }, signedIn);
  expect(await run(change)).toMatchObject({ state: 'done', counts: { done: 2 } });
  expect(of('alder.com').contacts.owner).toMatchObject(bob);
});

test('an undo brings back what still is as it was left, and keeps the rest', async () => {
  const nameservers = ['ns1.new.example', 'ns2.new.example'];
  const change = await apply(await looked({ kind: 'nameservers', nameservers }));
  expect(of('alder.com').nameservers).toEqual(nameservers);
  of('birch.com').nameservers = ['ns1.third.example', 'ns2.third.example'];
  const undo = await seen(await changes.undo(scope, change.id));
  expect(undo.counts).toMatchObject({ ready: 2, same: 1 });
  expect(await apply(undo)).toMatchObject({ state: 'done' });
  expect(of('alder.com').nameservers).toEqual(['ns1.else.example', 'ns2.else.example']);
  expect(of('birch.com').nameservers).toEqual(['ns1.third.example', 'ns2.third.example']);
  expect(await changes.get(scope, change.id)).toMatchObject({ state: 'undone' });
});

test('auto renew is the portal’s own switch: shown with its price, set and undone', async () => {
  const change = await looked({ kind: 'auto-renew', enabled: true }, ['alder.com']);
  expect((await itemsOf(change)).get('alder.com')?.note).toContain('$12.31 a year');
  await apply(change);
  const on = async () =>
    (
      await database.systemDb
        .selectFrom('domains')
        .select('auto_renew')
        .where('address', '=', 'alder.com')
        .where('status', '<>', 'ended')
        .executeTakeFirstOrThrow()
    ).auto_renew;
  expect(await on()).toBe(true);
  // The registrar's own switch stays off.
  expect(of('alder.com').autoRenew).toBe(false);
  await apply(await seen(await changes.undo(scope, change.id)));
  expect(await on()).toBe(false);
});

describe('customers', () => {
  const contactsOf = (contact: Contact) => ({ owner: contact, admin: contact, billing: contact });
  const billing = { billDirectly: false, email: '', allowChangeBilling: false };
  const customer = (contact: Contact) =>
    people.customers.create(scope, { contacts: contactsOf(contact) as never, billing }, null);
  const ownerOf = async (address: string) =>
    (
      await database.systemDb
        .selectFrom('domains')
        .select('customer_id')
        .where('address', '=', address)
        .where('status', '<>', 'ended')
        .executeTakeFirstOrThrow()
    ).customer_id;

  test('domains go to a customer, by name, and back', async () => {
    const { customerId } = await customer(ann);
    const change = await looked({ kind: 'customer', customerId });
    expect(change.sentence).toBe('Assign to Ann Ltd');
    expect((await itemsOf(change)).get('alder.com')?.settings).toEqual([
      { label: 'Customer', before: 'No customer', after: 'Ann Ltd' },
    ]);
    expect(await apply(change)).toMatchObject({ state: 'done', counts: { done: 3 } });
    expect(await ownerOf('birch.com')).toBe(customerId);
    expect(await logged('domains.assign')).toEqual(names);
    expect(writes).toEqual([]);
    await apply(await seen(await changes.undo(scope, change.id)));
    expect(await ownerOf('birch.com')).toBe(null);
  });

  test('whose a domain was is in the log for staff, and not for the users of the customer whose it is now', async () => {
    const [{ customerId: former }, { customerId }] = [await customer(ann), await customer(bob)];
    await apply(await looked({ kind: 'customer', customerId: former }, ['alder.com']));
    await apply(await looked({ kind: 'customer', customerId }, ['alder.com']));
    await apply(await looked(lock, ['alder.com']));
    const { list } = createAudit({ db: database.db } as never);
    const query = { pageSize: 50, sort: 'at' } as const;
    const { scope: theirs } = await people.join(scope, {
      type: 'MSP_CUSTOMER',
      authorizedClientId: customerId,
    });
    const its = await list(theirs, query);
    expect(its.rows.map(({ action }) => action)).toEqual(['domains.lock']);
    expect(JSON.stringify(its.rows)).not.toContain(former);
    const { rows } = await list(scope, { ...query, action: 'domains.assign' });
    expect(rows.at(-1)).toMatchObject({
      ...{ object: 'alder.com', customerId, before: { customerId: former }, after: { customerId } },
    });
  });

  test('nothing goes to one that is deleted meanwhile, or to another organization’s', async () => {
    const { customerId } = await customer(ann);
    const change = await looked({ kind: 'customer', customerId }, ['alder.com']);
    await people.customers.remove(scope, customerId);
    expect(await apply(change)).toMatchObject({ state: 'partly', counts: { failed: 1 } });
    expect((await itemsOf(change)).get('alder.com')?.note).toBe('This customer does not exist any more.');
    const { scope: stranger } = await people.organisation();
    const theirs = await people.customers.create(
      stranger,
      { contacts: contactsOf(ann) as never, billing },
      null,
    );
    const foreign = await looked({ kind: 'customer', customerId: theirs.customerId }, ['birch.com']);
    expect(foreign.sentence).toBe('Assign to another customer');
    await apply(foreign);
    expect(await ownerOf('birch.com')).toBe(null);
  });

  test('contacts come from the customer of each domain', async () => {
    const { customerId } = await customer(bob);
    await apply(await looked({ kind: 'customer', customerId }, ['alder.com']));
    const change = await looked({ kind: 'contacts', roles: ['owner'], contact: null });
    expect(change.counts).toMatchObject({ ready: 1, barred: 2 });
    await apply(change);
    expect(of('alder.com').contacts.owner).toMatchObject({ email: bob.email });
  });

  test('contacts of a customer are not set where the domain has gone to another one since', async () => {
    const [first, second] = [await customer(bob), await customer({ ...bob, email: 'cleo@cleo.example' })];
    await apply(await looked({ kind: 'customer', customerId: first.customerId }, ['alder.com', 'birch.com']));
    const change = await looked({ kind: 'contacts', roles: ['owner'], contact: null }, [
      'alder.com',
      'birch.com',
    ]);
    await apply(await looked({ kind: 'customer', customerId: second.customerId }, ['alder.com']));
    expect(await apply(change)).toMatchObject({ state: 'partly', counts: { done: 1, moved: 1 } });
    expect(of('alder.com').contacts.owner).toMatchObject({ email: ann.email });
    expect(of('birch.com').contacts.owner).toMatchObject({ email: bob.email });
    await changes.start(scope, change.id, { act: 'retry', expected: 1 }, signedIn);
    await run(change);
    expect(of('alder.com').contacts.owner).toMatchObject({ email: 'cleo@cleo.example' });
  });
});

test('opening for transfers needs its permission, and a sign-in of a moment ago, also as an undo', async () => {
  for (const name of names) of(name).locked = true;
  const stale = () => {
    throw new Error('sign in again');
  };
  const unlocking = await looked({ kind: 'lock', locked: false });
  const go = { act: 'apply', expected: 3 } as const;
  await expect(changes.start(scope, unlocking.id, go, stale)).rejects.toThrow('sign in again');
  // So do one that goes on, and one that is tried again.
  await started(unlocking);
  await changes.pause(scope, unlocking.id);
  await expect(changes.resume(scope, unlocking.id, stale)).rejects.toThrow('sign in again');
  await changes.resume(scope, unlocking.id, signedIn);
  refusal = 'Not now';
  expect(await run(unlocking)).toMatchObject({ state: 'partly' });
  refusal = null;
  const retry = { act: 'retry', expected: 3 } as const;
  await expect(changes.start(scope, unlocking.id, retry, stale)).rejects.toThrow('sign in again');
  expect(names.map((name) => of(name).locked)).toEqual([true, true, true]);
  await changes.start(scope, unlocking.id, retry, signedIn);
  expect(await run(unlocking)).toMatchObject({ state: 'done' });
  const locking = await apply(await looked(lock));
  const undo = await seen(await changes.undo(scope, locking.id));
  await expect(changes.start(scope, undo.id, go, stale)).rejects.toThrow('sign in again');
  const limited: Scope = {
    ...scope,
    rights: { kind: 'named', permissions: ['changes.manage', 'domains.settings'] },
  };
  const targets = { kind: 'names' as const, names };
  const body = { title: 'T', reason: '', targets };
  const unlock = { ...body, request: { kind: 'lock' as const, locked: false } };
  await expect(changes.create(limited, unlock)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(changes.undo(limited, locking.id)).rejects.toMatchObject({ code: 'forbidden' });
  const toNobody = { ...body, request: { kind: 'customer' as const, customerId: null } };
  await expect(changes.create(limited, toNobody)).rejects.toMatchObject({ code: 'forbidden' });
  expect(await changes.create(limited, { ...body, request: lock })).toMatchObject({ state: 'draft' });
});

test('what the registrar refuses says so and can be tried again', async () => {
  const change = await looked({ kind: 'privacy', enabled: false });
  refusal = 'Not for this suffix';
  expect(await apply(change)).toMatchObject({ state: 'partly', counts: { failed: 3 } });
  expect((await itemsOf(change)).get('alder.com')?.note).toContain('Not for this suffix');
  refusal = null;
  await changes.start(scope, change.id, { act: 'retry', expected: 3 }, signedIn);
  expect(await run(change)).toMatchObject({ state: 'done', counts: { done: 3 } });
});
