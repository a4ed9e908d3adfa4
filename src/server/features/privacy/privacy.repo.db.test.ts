import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Permission } from '#contracts/permissions.ts';
import { openItemStates } from '#contracts/values/order-states.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { postLetter } from '#kernel/letters.ts';
import { createLogger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { createSeal } from '#kernel/seal.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, identityOf, type People } from '../../../../tests/support/people.ts';
import {
  across,
  certificateRow,
  customerRow,
  domainRow,
  itemRow,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { emailsOf, findBlockers, ownerEmailOf, wordsAbout } from './privacy.repo.ts';
import { createPrivacy, type PrivacyApi } from './privacy.service.ts';

/** Who can be erased, what is in its way, and what is kept: each condition, beside somebody who differs in it alone. */

let database: TestDatabase;
let people: People;
let privacy: PrivacyApi;
let admin: Scope;
let organisationId: string;
let mine: string;
let another: string;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  privacy = createPrivacy(deps());
});
afterAll(() => database.close());
beforeEach(async () => {
  admin = (await people.organisation()).scope;
  organisationId = admin.organisationId;
  [mine, another] = [
    await customerRow(database, organisationId),
    await customerRow(database, organisationId),
  ];
});

const deps = () => ({
  ...{ db: database.db, systemDb: database.systemDb, clock: people.clock, newId, users: people.users },
  ...{ seal: createSeal([{ number: 1, secret: 'test' }]), logger: createLogger({ level: 'silent' }) },
});
const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);
const now = () => people.clock.now();
const inMs = (ms: number) => new Date(now().getTime() + ms);
const item = async (change: Parameters<typeof itemRow>[2] = {}, of = organisationId) =>
  itemRow(database, { organisationId: of, orderId: await orderRow(database, of) }, change);

describe('what is in the way of an erasure', () => {
  const blockers = async (customerId = mine) =>
    (await tenant((tx) => findBlockers(tx, { organisationId }, customerId, now()))).map(
      ({ kind, subject }) => `${kind} ${subject}`,
    );
  /** Named after the customer, so that each is told from those beside it. */
  const named = (state: string, of = mine) => `${state}-${of}.com`;

  async function transfer(state: string, change: object, of = mine) {
    const row = {
      ...{ id: newId(), organisation_id: organisationId, customer_id: of, address: named(state, of) },
      ...{ requested_at: now(), registrar_status: null, status_since: null, asked_at: null },
      ...{ nameservers_before: null, nameservers_after: null, compared_at: null, reason: null },
      ...{ completed_at: null, failed_at: null, ...change },
    };
    await tenant((tx) => tx.insertInto('transfers').values(row).execute());
  }
  async function charge(
    state: 'collecting' | 'sending' | 'processing' | 'succeeded' | 'failed' | 'waived',
    of = mine,
  ) {
    const order_id = await orderRow(database, organisationId);
    const row = {
      ...{
        id: newId(),
        organisation_id: organisationId,
        customer_id: of,
        order_id,
        part: 1,
        cents: 5,
        state,
      },
      ...{ failure: null, note: null, payment_intent: null, next_try_at: null, sent_at: null },
    };
    await tenant((tx) => tx.insertInto('direct_charges').values(row).execute());
    return order_id;
  }
  async function refund(state: 'wanted' | 'sending' | 'done' | 'failed' | 'none', of = mine) {
    const item_id = await item({ customer_id: of, state: 'succeeded', address: named(state, of) });
    const row = {
      item_id,
      organisation_id: organisationId,
      charge_id: null,
      state,
      refund_id: null,
      failure: null,
    };
    await tenant((tx) => tx.insertInto('direct_refunds').values(row).execute());
  }
  const file = (state: 'ready' | 'importing' | 'done' | 'discarded', of = organisationId) =>
    across(database, (tx) =>
      tx
        .insertInto('imports')
        .values({
          ...{
            id: newId(),
            organisation_id: of,
            upload_key: newId(),
            file_name: `${state}.csv`,
            columns: [],
          },
          ...{ state, mode: null, new_rows: 0, changed_rows: 0, same_rows: 0, faulty_rows: 0 },
          ...{ actor_id: newId(), actor: 'Ann', actor_ip: null, actor_role: 'MSP_ADMIN', token_id: null },
          ...{ created_at: now(), started_at: null, ended_at: null },
        })
        .execute(),
    );

  test('is a domain until it has ended, and an order that is open', async () => {
    for (const status of ['active', 'expired', 'transferring', 'ended'] as const) {
      await domainRow(database, organisationId, { customer_id: mine, status, address: named(status) });
    }
    for (const state of [...openItemStates, 'succeeded', 'declined'] as const) {
      await item({ customer_id: mine, state, address: named(state) });
    }
    expect((await blockers()).sort()).toEqual(
      [
        ...['active', 'expired', 'transferring'].map((status) => `domain ${named(status)}`),
        ...openItemStates.map((state) => `order ${named(state)}`),
      ].sort(),
    );
  });

  test('is a transfer that has neither come nor failed, and a certificate that is made or valid', async () => {
    await transfer('open', {});
    await transfer('done', { completed_at: now() });
    await transfer('failed', { failed_at: now() });
    const certificate = (
      state: 'sending' | 'unknown' | 'running' | 'completed' | 'declined',
      valid_to: Date | null,
    ) =>
      certificateRow(database, organisationId, {
        ...{ customer_id: mine, state, valid_to },
        address: named(`${state}${valid_to ? valid_to.getTime() - now().getTime() : ''}`),
      });
    for (const state of ['sending', 'unknown', 'running', 'declined'] as const)
      await certificate(state, null);
    for (const ms of [0, 1]) await certificate('completed', inMs(ms));
    await certificate('declined', inMs(1));
    expect((await blockers()).sort()).toEqual(
      [
        `transfer ${named('open')}`,
        ...['sending', 'unknown', 'running', 'completed1'].map((state) => `certificate ${named(state)}`),
      ].sort(),
    );
  });

  test('is a charge that is not settled, a refund under way, and a file of the organization that is being imported', async () => {
    const orders = new Map<string, string>();
    for (const state of ['collecting', 'sending', 'processing', 'failed', 'succeeded', 'waived'] as const) {
      orders.set(state, await charge(state));
    }
    for (const state of ['wanted', 'sending', 'done', 'failed', 'none'] as const) await refund(state);
    for (const state of ['ready', 'importing', 'done', 'discarded'] as const) await file(state);
    await file('importing', await organisationRow(database));
    expect((await blockers()).sort()).toEqual(
      [
        ...['collecting', 'sending', 'processing', 'failed'].map((state) => `charge ${orders.get(state)}`),
        ...['wanted', 'sending'].map((state) => `refund ${named(state)}`),
        'import importing.csv',
      ].sort(),
    );
  });

  test('is nothing of another customer, whatever is under way for them', async () => {
    await domainRow(database, organisationId, { customer_id: another, address: named('held', another) });
    await item({ customer_id: another, state: 'queued', address: named('bought', another) });
    await transfer('open', {}, another);
    await certificateRow(database, organisationId, { customer_id: another, address: named('made', another) });
    const order = await charge('failed', another);
    await refund('wanted', another);
    expect(await blockers()).toEqual([]);
    // The most urgent first.
    expect(await blockers(another)).toEqual([
      ...[`domain ${named('held', another)}`, `order ${named('bought', another)}`],
      ...[`transfer ${named('open', another)}`, `certificate ${named('made', another)}`],
      ...[`charge ${order}`, `refund ${named('wanted', another)}`],
    ]);
  });

  test('is said with how many more there are, and refuses the erasure', async () => {
    const erase = () => privacy.eraseCustomer(admin, mine);
    const refusal = (message: string) => ({ code: 'unprocessable', message });
    await domainRow(database, organisationId, { customer_id: mine, address: named('a') });
    const first = `This customer cannot be erased yet. ${named('a')} is still registered for this customer.`;
    await expect(erase()).rejects.toMatchObject(refusal(first));
    await item({ customer_id: mine, address: named('b') });
    await expect(erase()).rejects.toMatchObject({
      ...refusal(`${first} 1 more item prevents it.`),
      details: [
        { path: 'domain', message: `${named('a')} is still registered for this customer.` },
        { path: 'order', message: `An order for ${named('b')} is still being processed.` },
      ],
    });
    await transfer('c', {});
    await expect(erase()).rejects.toMatchObject(refusal(`${first} 2 more items prevent it.`));
    expect(await logged(database.db, admin, 'privacy.eraseCustomer')).toEqual([]);
  });
});

describe('an erasure', () => {
  /** Fifteen months before the clock of the tests, 2026-11-21. */
  const longAgo = new Date('2025-08-21T12:00:00Z');
  const ended = (
    address: string,
    at: Partial<Record<'ended_at' | 'expires_at' | 'created_at', Date>>,
    of = mine,
  ) => domainRow(database, organisationId, { customer_id: of, status: 'ended', address, ...at });

  test('is planned with what is kept: registrations that ended within 15 months, orders, and whose sign-ins go', async () => {
    const name = (what: string) => `${what}-${mine}.com`;
    await ended(name('z-just'), { ended_at: new Date(longAgo.getTime() + 1) });
    await ended(name('over'), { ended_at: longAgo });
    // Without a known end the day of expiry counts, and without that the day it came here.
    await ended(name('b-expired'), { expires_at: new Date('2026-03-31T12:00:00Z'), created_at: longAgo });
    await ended(name('a-came'), { created_at: new Date('2025-11-30T12:00:00Z') });
    await ended(name('theirs'), { ended_at: now() }, another);
    await domainRow(database, organisationId, { customer_id: another });
    const orderId = await orderRow(database, organisationId);
    for (const customer_id of [mine, mine, another]) {
      await itemRow(database, { organisationId, orderId }, { customer_id, state: 'succeeded' });
    }
    await item({ customer_id: mine, state: 'declined' });
    await item({ customer_id: another, state: 'declined' });
    await tenant((tx) =>
      tx
        .updateTable('customers')
        .set({ payment_customer_id: `cus_${mine}` })
        .where('id', '=', mine)
        .execute(),
    );
    const as = { type: 'MSP_CUSTOMER', authorizedClientId: mine } as const;
    await people.join(admin, as);
    await people.join(admin, { ...as, authorizedClientId: another });
    const plan = await privacy.plan(admin, mine);
    expect(plan).toMatchObject({ blockers: [], orders: 2, paymentCustomer: `cus_${mine}` });
    const day = (text: string) => `${text}T12:00:00.000Z`;
    expect(plan.held).toEqual([
      { address: name('a-came'), endedAt: day('2025-11-30'), deleteAfter: day('2027-02-28') },
      { address: name('b-expired'), endedAt: day('2026-03-31'), deleteAfter: day('2027-06-30') },
      ...[
        {
          address: name('z-just'),
          endedAt: '2025-08-21T12:00:00.001Z',
          deleteAfter: '2026-11-21T12:00:00.001Z',
        },
      ],
    ]);
    // One who signs in, and the invitation by which they came.
    expect(plan.people).toBe(2);
    expect((await privacy.plan(admin, another)).paymentCustomer).toBeNull();
    // Asking changes nothing.
    expect((await people.customers.get(admin, mine)).customerId).toBe(mine);
    for (const ask of [privacy.plan, privacy.eraseCustomer]) {
      await expect(ask(admin, newId())).rejects.toMatchObject({ code: 'not_found' });
      const { scope: stranger } = await people.organisation();
      await expect(ask(stranger, mine)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('keeps what registries need of each of these, with the contacts of its orders, until its day, once', async () => {
    const address = `held-${mine}.com`;
    await ended(address, { ended_at: new Date('2026-01-31T12:00:00Z') });
    const details = (city: string) => JSON.stringify({ contacts: { owner: { city } } });
    const at = (ms: number) => ({ created_at: inMs(ms), state: 'succeeded' as const, address });
    await item({ ...at(2), customer_id: mine, details: details('Rome') });
    await item({ ...at(1), customer_id: mine, details: details('Oslo') });
    await item({ ...at(0), customer_id: mine });
    await item({ ...at(3), customer_id: another, details: details('Bern') });
    const done = await privacy.eraseCustomer(admin, mine);
    expect(done.held.map((one) => one.address)).toEqual([address]);
    await privacy.eraseCustomer(admin, mine);
    expect(await privacy.readHold(admin, address)).toEqual([
      {
        ...{
          address,
          endedAt: '2026-01-31T12:00:00.000Z',
          deleteAfter: '2027-04-30T12:00:00.000Z',
          fault: null,
        },
        data: {
          ...{ address, registeredAt: null, endedAt: '2026-01-31T12:00:00.000Z', contacts: contactsOf() },
          ordered: [{ owner: { city: 'Oslo' } }, { owner: { city: 'Rome' } }],
        },
      },
    ]);
    // Each reading is in the log, as one about the customer.
    expect(await logged(database.db, admin, 'privacy.readHold')).toEqual([
      { by: admin.userId, kind: 'held data', object: address, before: null, after: null },
    ]);
    expect(await loggedAbout(database.db, admin, 'privacy.readHold')).toEqual([mine]);
    const { scope: stranger } = await people.organisation();
    await expect(privacy.readHold(stranger, address)).rejects.toMatchObject({ code: 'not_found' });
    // On its day it goes, and not before.
    const forgetAt = (day: string) =>
      createPrivacy({ ...deps(), clock: { now: () => new Date(day) } }).tasks['privacy.forget']();
    await forgetAt('2027-04-30T11:59:59.999Z');
    expect(await privacy.readHold(admin, address)).toHaveLength(1);
    await forgetAt('2027-04-30T12:00:00.000Z');
    await expect(privacy.readHold(admin, address)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of a customer leaves nothing in the log of who was invited for them, and what it says of others', async () => {
    const as = (of: string) => ({ type: 'MSP_CUSTOMER' as const, authorizedClientId: of });
    for (const [email, of] of [
      ['guest@acme.example', mine] as const,
      ['guest@zeta.example', another] as const,
    ]) {
      await people.users.invites.invite(admin, { email, ...as(of) });
    }
    await privacy.eraseCustomer(admin, mine);
    const invited = await logged(database.db, admin, 'users.invite');
    expect(invited.map(({ after }) => JSON.stringify(after).includes('guest@'))).toEqual([false, true]);
  });

  test('of a customer takes nothing of another one', async () => {
    const as = { type: 'MSP_CUSTOMER', authorizedClientId: another } as const;
    const { identity } = await people.join(admin, as);
    const { address } = await domainRow(database, organisationId, { customer_id: another });
    const itemId = await item({ customer_id: another, details: '{"contacts": {}}' });
    const read = () =>
      tenant(async (tx) => ({
        customer: await people.customers.get(admin, another),
        domain: await tx.selectFrom('domains').selectAll().where('address', '=', address).execute(),
        item: await tx.selectFrom('order_items').selectAll().where('id', '=', itemId).execute(),
        user: await people.users.loadActor(identity),
      }));
    const before = await read();
    await privacy.eraseCustomer(admin, mine);
    expect(await read()).toEqual(before);
    expect(await logged(database.db, admin, 'privacy.eraseCustomer')).toEqual([
      { by: admin.userId, kind: 'customer', object: mine, before: null, after: null },
    ]);
    expect(await loggedAbout(database.db, admin, 'privacy.eraseCustomer')).toEqual([mine]);
  });
});

describe('a person’s data', () => {
  const script = (...permissions: Permission[]): Scope => ({
    ...{ ...admin, rights: { kind: 'named', permissions } },
  });

  test('is erased by who manages both people and their data, and an owner by an owner alone, removed or not', async () => {
    const removed = { removed_at: now() };
    const [owner, employee] = [
      await userRow(database, organisationId, { role: 'MSP_OWNER', ...removed }),
      await userRow(database, organisationId, removed),
    ];
    const forbidden = { code: 'forbidden' };
    for (const scope of [script('privacy.manage'), script('users.manage')]) {
      await expect(privacy.eraseUser(scope, employee)).rejects.toMatchObject(forbidden);
    }
    await expect(privacy.eraseUser(admin, owner)).rejects.toMatchObject({
      ...{ ...forbidden, message: 'Only an owner can erase an owner.' },
    });
    await expect(privacy.eraseUser(admin, newId())).rejects.toMatchObject({ code: 'not_found' });
    expect(await logged(database.db, admin, 'privacy.eraseUser')).toEqual([]);
    await privacy.eraseUser(script('privacy.manage', 'users.manage'), employee);
    await privacy.eraseUser({ ...admin, role: 'MSP_OWNER', reach: { kind: 'organisation' } }, owner);
    expect(await logged(database.db, admin, 'privacy.eraseUser')).toMatchObject(
      [employee, owner].map((object) => ({ kind: 'user', object, before: null, after: null })),
    );
  });

  test('is erased for the time before they were removed alone, where they are a user again', async () => {
    const identity = identityOf();
    const { scope: former } = await people.join(admin, { type: 'MSP_EMPLOYEE' }, identity);
    people.clock.forward(1_000);
    await people.users.remove(admin, former.userId, () => undefined);
    people.clock.forward(1_000);
    const { scope: again } = await people.join(admin, { type: 'MSP_EMPLOYEE' }, identity);
    const letter = { subject: 'For you', parts: ['Hello'] };
    const sender = { organisationId, inItsName: false };
    await tenant((tx) => postLetter(tx, { to: identity.email ?? '', sender, messageId: newId(), letter }));
    const letters = async () => {
      const { rows } = await sql<{ count: number }>`
        SELECT count(*)::int AS count FROM graphile_worker._private_jobs
        WHERE payload ->> 'to' = ${identity.email}`.execute(database.systemDb);
      return rows[0]?.count;
    };
    await privacy.eraseUser(admin, former.userId);
    expect(await letters()).toBe(1);
    const invites = await tenant((tx) =>
      tx.selectFrom('invites').select(['email', 'accepted_at']).orderBy('created_at').execute(),
    );
    expect(invites.map(({ email }) => email)).toEqual([
      expect.stringContaining('Erased user'),
      identity.email,
    ]);
    const said = (await logged(database.db, admin, 'users.acceptInvite')).map(({ after }) => after);
    expect(said).toMatchObject([{ erased: true }, { type: 'MSP_EMPLOYEE' }]);
    expect((await people.scopeOf(identity)).userId).toBe(again.userId);
    // Removed once more, they are erased as anybody.
    await privacy.eraseUser(admin, again.userId);
    const left = await tenant((tx) => tx.selectFrom('invites').select('email').execute());
    expect(left.map(({ email }) => email).join()).not.toContain(identity.email);
    expect(await letters()).toBe(0);
  });

  test('is handed out to the person themselves, and of others to who manages it; each time is in the log', async () => {
    const { scope: employee } = await people.join(admin, { type: 'MSP_EMPLOYEE' });
    const data = async (file: Promise<Buffer>) => JSON.parse((await file).toString()) as { subject: object };
    expect((await data(privacy.exportUser(employee, employee.userId, 'json'))).subject).toEqual({
      ...{ kind: 'user', id: employee.userId },
    });
    expect((await data(privacy.exportUser(admin, employee.userId, 'json'))).subject).toEqual({
      ...{ kind: 'user', id: employee.userId },
    });
    expect((await data(privacy.exportCustomer(admin, mine, 'json'))).subject).toEqual({
      kind: 'customer',
      id: mine,
    });
    expect((await privacy.exportCustomer(admin, mine, 'csv')).toString()).toMatch(
      /^\ufeff?Section,Record,Field,Value/,
    );
    for (const refused of [
      () => privacy.exportUser(employee, admin.userId, 'json'),
      () => privacy.exportCustomer(employee, mine, 'json'),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: 'forbidden' });
    }
    const { scope: stranger } = await people.organisation();
    for (const refused of [
      () => privacy.exportUser(stranger, employee.userId, 'json'),
      () => privacy.exportCustomer(stranger, mine, 'json'),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: 'not_found' });
    }
    const entry = (by: string, kind: string, object: string) => ({
      by,
      kind,
      object,
      before: null,
      after: null,
    });
    expect(await logged(database.db, admin, 'privacy.export')).toEqual([
      entry(employee.userId, 'user', employee.userId),
      entry(admin.userId, 'user', employee.userId),
      entry(admin.userId, 'customer', mine),
      entry(admin.userId, 'customer', mine),
    ]);
    expect(await loggedAbout(database.db, admin, 'privacy.export')).toEqual([null, null, mine, mine]);
  });

  test('of a customer says in plain words what the log keeps briefly', async () => {
    const billing = { billDirectly: false, email: '', allowChangeBilling: false };
    const made = await people.customers.create(admin, { contacts: contactsOf(), billing }, null);
    const file = (await privacy.exportCustomer(admin, made.customerId, 'json')).toString();
    expect(file).toContain('"admin": "Same as owner"');
    expect(file).not.toContain('"as owner"');
  });

  test('of a customer does not say from where the MSP’s people acted', async () => {
    const acting = { ...admin, ip: '198.51.100.7' };
    await privacy.exportCustomer(acting, mine, 'json');
    const file = (await privacy.exportCustomer(admin, mine, 'json')).toString();
    expect(file).toContain('privacy.export');
    expect(file).toContain('"ip": null');
    expect(file).not.toContain(acting.ip);
  });
});

test('who is gone is listed latest first, equals by their ids, without those who are there, were erased or are others’', async () => {
  const at = (ms: number) => inMs(ms - 10_000);
  const gone = (ms: number, of = organisationId) => customerRow(database, of, { deleted_at: at(ms) });
  const customers = [await gone(1), await gone(2), await gone(2)];
  const removed = (ms: number, more: object = {}) =>
    userRow(database, organisationId, { removed_at: at(ms), ...more });
  const users = [await removed(1), await removed(2), await removed(2)];
  await removed(3, { identity_issuer: 'erased' });
  await userRow(database, organisationId);
  await privacy.eraseCustomer(admin, await gone(3));
  const { scope: stranger } = await people.organisation();
  await gone(4, stranger.organisationId);
  await userRow(database, stranger.organisationId, { removed_at: at(4) });
  const wanted = ([first = '', ...ties]: string[]) => [...ties.toSorted().reverse(), first];
  const ids = (rows: readonly object[]) => rows.map((row) => Object.values(row)[0]);
  for (const [list, all, sort] of [
    [privacy.formerCustomers, wanted(customers), 'deletedAt'],
    [privacy.formerUsers, wanted(users), 'removedAt'],
  ] as const) {
    const read = async (query: object) => {
      const { rows, total } = await list(admin, { page: 1, pageSize: 5, ...query });
      return [total, ...ids(rows)];
    };
    expect(await read({})).toEqual([3, ...all]);
    expect(await read({ sort: `-${sort}` })).toEqual([3, ...all]);
    expect(await read({ sort })).toEqual([3, ...all.toReversed()]);
    expect(await read({ page: 2, pageSize: 2 })).toEqual([3, all[2]]);
    expect(await read({ search: 'nobody at all' })).toEqual([0]);
    const employee: Scope = { ...admin, role: 'MSP_EMPLOYEE', reach: { kind: 'organisation' } };
    await expect(list(employee, { page: 1, pageSize: 5 })).rejects.toMatchObject({
      code: 'forbidden',
    });
  }
});

test('a customer’s persons are known by their addresses, numbers and full names, each once, and by nothing that is empty', () => {
  const of = (change: object) => ({ ...contactsOf().owner, ...change });
  const customer = {
    ...{ owner: of({ email: 'Ada@X.example', phone: '+1.1' }), billing_email: 'pay@x.example' },
    admin: of({ email: 'ada@x.example', phone: '', firstName: '' }),
    billing_contact: of({ email: '', phone: '+1.1', lastName: 'Smith' }),
  };
  expect(wordsAbout(customer)).toEqual([
    ...['Ada@X.example', '+1.1', 'Ada Byron', 'ada@x.example', 'Ada Smith', 'pay@x.example'],
  ]);
  expect(emailsOf(customer)).toEqual(['ada@x.example', 'pay@x.example']);
  expect(ownerEmailOf(customer)).toEqual(['ada@x.example']);
  expect(ownerEmailOf({ owner: of({ email: '' }) })).toEqual([]);
});
