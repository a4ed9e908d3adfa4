import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  certificateRow,
  customerRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { accessLogEntries, type BuyLimits } from '../../../contracts/values/acme-access.ts';
import { sql, type Tx } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { createSeal } from '../../kernel/seal.ts';
import { findById } from '../certificates/certificates.repo.ts';
import {
  countAccesses,
  findAccess,
  insertAccess,
  listAccesses,
  lockAccess,
  readLog,
  revokeAccess,
  updateAccess,
} from './access.repo.ts';
import { type AcmeLogEntry, createAcmeAccesses } from './access.ts';
import { hmacContext, lockAccess as lockPurchases } from './access-log.repo.ts';
import { insertAccount } from './accounts.repo.ts';
import { findAllowance, putAllowance } from './allowances.repo.ts';
import { eraseFromAcme } from './privacy.repo.ts';

/** Each condition by which an access works, is found and is shown, beside one that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let customerId: string;
let userId: string;
const seal = createSeal([{ number: 1, secret: 'a-key-for-these-tests-alone' }]);
let now = new Date('2026-11-22T12:00:00Z');
const accesses = () => createAcmeAccesses({ systemDb: database.systemDb, clock: { now: () => now }, seal });

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  userId = await userRow(database, organisationId);
});
afterAll(() => database.close());

const everything = { kind: 'organisation' } as const;
const scopeOf = (change: object = {}) =>
  ({ organisationId, userId, reach: everything, role: 'MSP_OWNER', ...change }) as unknown as Scope;
const only = (...ids: string[]) => scopeOf({ role: 'MSP_CUSTOMER', reach: { kind: 'customers', ids } });
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);

interface Made {
  customerId?: string;
  name?: string;
  mayBuy?: BuyLimits | null;
  byCustomer?: boolean;
  hosts?: string[];
  expiresAt?: Date;
  createdAt?: Date;
}
async function made(change: Made = {}) {
  const id = newId();
  const keyId = `nwe_${id}`;
  const whose = change.customerId ?? customerId;
  await tenant((tx) =>
    insertAccess(tx, scopeOf(), {
      ...{ id, keyId, name: change.name ?? 'web server', customerId: whose },
      hmacSealed: seal.seal('c2VjcmV0', hmacContext(organisationId, id)),
      ...{ hosts: change.hosts ?? null, productType: 'rapidssl', mayBuy: change.mayBuy ?? null },
      ...{ byCustomer: change.byCustomer ?? false, expiresAt: change.expiresAt ?? null },
      now: change.createdAt ?? now,
    }),
  );
  return { id, keyId };
}
const set = (table: 'organisations' | 'customers', id: string, change: object) =>
  across(database, (tx) => tx.updateTable(table).set(change).where('id', '=', id).execute());

describe('an access as a machine meets it', () => {
  test('is found by its key id or its own id, with its key opened, and no other is', async () => {
    const mayBuy = { ordersPerMonth: 3, centsPerMonth: 90_00 };
    const [mine, other] = [await made({ mayBuy, hosts: ['a.example.com'] }), await made()];
    const expected = {
      ...{ accessId: mine.id, organisationId, customerId, state: 'active', productId: 'rapidssl', mayBuy },
      ...{ hosts: ['a.example.com'], hmacKey: expect.any(Function), lastUsedAt: null },
    };
    const found = await accesses().findByKeyId(mine.keyId);
    expect(found).toEqual(expected);
    expect(found?.hmacKey()).toEqual(Buffer.from('secret'));
    expect(await accesses().findById(mine.id)).toEqual(expected);
    expect(await accesses().findByKeyId(other.keyId)).toMatchObject({ accessId: other.id, hosts: null });
    expect(await accesses().findByKeyId('nwe_nothing')).toBeNull();
    expect(await accesses().findById(newId())).toBeNull();
  });

  test('is found with an account of it, and each account has its own', async () => {
    for (const hosts of [['a.example.com'], ['b.example.com']]) {
      const { id: accessId } = await made({ hosts });
      const [id, jwk] = [newId(), { kty: 'EC' }];
      const own = {
        organisation_id: organisationId,
        access_id: accessId,
        created_at: now,
        contacts: ['mailto:a@b.example'],
      };
      await tenant((tx) => insertAccount(tx, { id, ...own, thumbprint: id, jwk }));
      expect(await accesses().ofAccount(id)).toMatchObject({
        account: { id, ...own, thumbprint: id, jwk, status: 'valid' },
        access: { accessId, hosts, customerId, state: 'active' },
      });
    }
    expect(await accesses().ofAccount(newId())).toBeNull();
  });

  test('ends at the next request when it is revoked, its customer deleted or its organization closed', async () => {
    const theirs = await customerRow(database, organisationId);
    const [revoked, ofDeleted, ending] = [
      await made(),
      await made({ customerId: theirs }),
      await made({ expiresAt: new Date(now.getTime() + 60_000) }),
    ];
    const states = async () =>
      Promise.all([revoked, ofDeleted, ending].map(async ({ id }) => (await accesses().findById(id))?.state));
    expect(await states()).toEqual(['active', 'active', 'active']);
    await tenant((tx) => revokeAccess(tx, scopeOf(), revoked.id, now));
    await set('customers', theirs, { deleted_at: now });
    now = new Date(now.getTime() + 60_000);
    expect(await states()).toEqual(['revoked', 'revoked', 'expired']);
    await set('organisations', organisationId, { closed_at: now });
    expect(await states()).toEqual(['revoked', 'revoked', 'revoked']);
    await set('organisations', organisationId, { closed_at: null });
  });

  test('of a customer’s own user buys what the customer’s allowance of that moment says', async () => {
    const theirs = await customerRow(database, organisationId);
    const mayBuy = { ordersPerMonth: 3, centsPerMonth: 90_00 };
    const [own, msp] = [
      await made({ customerId: theirs, mayBuy, byCustomer: true }),
      await made({ customerId: theirs, mayBuy }),
    ];
    const buys = async () =>
      Promise.all([own, msp].map(async ({ id }) => (await accesses().findById(id))?.mayBuy));
    expect(await buys()).toEqual([null, mayBuy]);
    const allow = (limits: BuyLimits | null) =>
      tenant((tx) =>
        putAllowance(tx, scopeOf(), theirs, { mostAccesses: 2, productType: 'rapidssl', limits }),
      );
    await allow({ ordersPerMonth: 2, centsPerMonth: 200_00 });
    expect(await buys()).toEqual([{ ordersPerMonth: 2, centsPerMonth: 90_00 }, mayBuy]);
    await allow(null);
    expect(await buys()).toEqual([null, mayBuy]);
  });

  test('says when it was used, once a minute', async () => {
    const [mine, other] = [await made(), await made()];
    const used = async (id = mine.id) => (await tenant((tx) => findAccess(tx, scopeOf(), id)))?.lastUsedAt;
    const first = now;
    await accesses().touch({ accessId: mine.id, lastUsedAt: null });
    now = new Date(first.getTime() + 60_000);
    await accesses().touch({ accessId: mine.id, lastUsedAt: null });
    expect(await used()).toEqual(first);
    now = new Date(first.getTime() + 60_001);
    await accesses().touch({ accessId: mine.id, lastUsedAt: null });
    expect(await used()).toEqual(now);
    expect(await used(other.id)).toBeNull();
  });
});

describe('the log of an access', () => {
  const entry: AcmeLogEntry = {
    ...{ event: 'order', identifiers: ['a.example.com'] },
    ...{ outcome: 'refused', detail: 'Not among its names.' },
  };
  const entries = (id: string) => tenant((tx) => readLog(tx, scopeOf(), id));

  test('has what was done, newest first, and counts what repeats the entry before it', async () => {
    const [mine, other] = [await made(), await made()];
    const first = now;
    await accesses().log(mine.id, entry);
    now = new Date(first.getTime() + 5_000);
    await accesses().log(mine.id, entry);
    await accesses().log(other.id, entry);
    await accesses().log(mine.id, { ...entry, outcome: 'done' });
    await accesses().log(mine.id, { ...entry, outcome: 'done', detail: 'x'.repeat(600) });
    await accesses().log(mine.id, { ...entry, outcome: 'done', identifiers: ['b.example.com'] });
    await accesses().log(mine.id, { ...entry, event: 'finalize', identifiers: ['b.example.com'] });
    const found = await entries(mine.id);
    expect(found.map(({ event, outcome, times }) => [event, outcome, times])).toEqual([
      ['finalize', 'refused', 1],
      ['order', 'done', 1],
      ['order', 'done', 1],
      ['order', 'done', 1],
      ['order', 'refused', 2],
    ]);
    expect(found.at(-1)).toMatchObject({ at: first, lastAt: now, identifiers: ['a.example.com'] });
    expect(found[2]?.detail).toHaveLength(500);
    expect(await entries(other.id)).toHaveLength(1);
  });

  test('keeps the newest entries, and of another access all', async () => {
    const [mine, other] = [await made(), await made()];
    await accesses().log(other.id, entry);
    for (let n = 1; n <= accessLogEntries + 2; n += 1) {
      await accesses().log(mine.id, { ...entry, detail: `entry ${n}` });
    }
    const found = await entries(mine.id);
    expect(found).toHaveLength(accessLogEntries);
    expect([found.at(0)?.detail, found.at(-1)?.detail]).toEqual([`entry ${accessLogEntries + 2}`, 'entry 3']);
    for (let n = 1; n <= 60; n += 1) await accesses().log(mine.id, { ...entry, detail: `more ${n}` });
    const stored = await tenant((tx) =>
      tx.selectFrom('acme_access_log').select('id').where('access_id', '=', mine.id).execute(),
    );
    // Fewer than are shown are never left, and never many more.
    expect(stored.length).toBeGreaterThanOrEqual(accessLogEntries);
    expect(stored.length).toBeLessThanOrEqual(accessLogEntries + 50);
    expect(await entries(other.id)).toHaveLength(1);
  });

  test('of an access that does not exist is nothing', async () => {
    await accesses().log(newId(), entry);
  });

  test('shows beside the access what failed last, until something succeeds', async () => {
    const mine = await made();
    const problem = async () => (await tenant((tx) => findAccess(tx, scopeOf(), mine.id)))?.newest;
    expect(await problem()).toBeNull();
    await accesses().log(mine.id, entry);
    expect(await problem()).toMatchObject({ outcome: 'refused', detail: 'Not among its names.' });
    await accesses().log(mine.id, { ...entry, outcome: 'done', detail: '' });
    expect(await problem()).toMatchObject({ outcome: 'done' });
  });
});

describe('an access as people see it', () => {
  test('lists those in reach by customer, state and search, living ones first', async () => {
    const [one, two] = [
      await customerRow(database, organisationId),
      await customerRow(database, organisationId),
    ];
    const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));
    const old = await made({ customerId: one, name: 'Old SÉRVER', createdAt: at(1) });
    const ended = await made({ customerId: one, name: 'Ended', createdAt: at(2), expiresAt: at(3) });
    const gone = await made({ customerId: one, name: 'Gone', createdAt: at(3) });
    const young = await made({
      ...{ customerId: one, name: 'young_server', createdAt: at(4), hosts: ['shop.example.org'] },
    });
    const beside = await made({ customerId: two, createdAt: at(5) });
    await tenant((tx) => revokeAccess(tx, scopeOf(), gone.id, now));
    const ids = async (query: object, scope = scopeOf()) =>
      (await tenant((tx) => listAccesses(tx, scope, { page: 1, pageSize: 20, ...query }, now))).rows.map(
        ({ id }) => id,
      );
    expect(await ids({ customerId: one })).toEqual([young.id, old.id, gone.id, ended.id]);
    expect(await ids({ customerId: one, sort: 'createdAt' })).toEqual([old.id, young.id, ended.id, gone.id]);
    expect(await ids({ customerId: one, sort: 'name' })).toEqual([old.id, young.id, ended.id, gone.id]);
    expect(await ids({ customerId: one, state: 'active' })).toEqual([young.id, old.id]);
    expect(await ids({ customerId: one, state: 'expired' })).toEqual([ended.id]);
    expect(await ids({ customerId: one, state: 'revoked' })).toEqual([gone.id]);
    expect(await ids({ customerId: one, search: 'OLD' })).toEqual([old.id]);
    expect(await ids({ customerId: one, search: 'sérv' })).toEqual([old.id]);
    expect(await ids({ customerId: one, search: 'g_s' })).toEqual([young.id]);
    expect(await ids({ search: 'shop.example.org' })).toEqual([young.id]);
    expect(await ids({ search: beside.keyId })).toEqual([beside.id]);
    expect(await ids({}, only(two))).toEqual([beside.id]);
    expect(await ids({ customerId: one, pageSize: 1, page: 2 })).toEqual([old.id]);
    expect(await ids({}, scopeOf({ organisationId: newId() }))).toEqual([]);
    const { total } = await tenant((tx) =>
      listAccesses(tx, scopeOf(), { customerId: one, pageSize: 1, page: 9 }, now),
    );
    expect(total).toBe(4);
    // With its customer they end.
    await set('customers', one, { deleted_at: now });
    expect(await ids({ customerId: one, state: 'revoked' })).toHaveLength(4);
  });

  test('is found, locked, changed and revoked in the own organization alone, and revoked once', async () => {
    const [mine, beside] = [await made(), await made()];
    const foreign = scopeOf({ organisationId: newId() });
    const change = { name: 'new', hosts: ['a.example.com'], productType: 'x', mayBuy: null, expiresAt: null };
    expect(await tenant((tx) => findAccess(tx, foreign, mine.id))).toBeUndefined();
    expect(await tenant((tx) => findAccess(tx, only(newId()), mine.id))).toBeUndefined();
    expect(await tenant((tx) => lockAccess(tx, foreign, mine.id))).toBeUndefined();
    expect(await tenant((tx) => lockAccess(tx, only(newId()), mine.id))).toBeUndefined();
    expect(await tenant((tx) => lockAccess(tx, only(customerId), mine.id))).toMatchObject({ id: mine.id });
    expect(await tenant((tx) => updateAccess(tx, foreign, mine.id, change))).toBe(false);
    expect(await tenant((tx) => updateAccess(tx, scopeOf(), mine.id, change))).toBe(true);
    expect(await tenant((tx) => findAccess(tx, scopeOf(), beside.id))).toMatchObject({ name: 'web server' });
    expect(await tenant((tx) => revokeAccess(tx, foreign, mine.id, now))).toBe(false);
    expect(await tenant((tx) => revokeAccess(tx, scopeOf(), mine.id, now))).toBe(true);
    expect(await tenant((tx) => revokeAccess(tx, scopeOf(), mine.id, now))).toBe(false);
    expect(await tenant((tx) => updateAccess(tx, scopeOf(), mine.id, change))).toBe(false);
    expect(await accesses().findById(beside.id)).toMatchObject({ state: 'active' });
  });

  test('its log is read in the own organization alone', async () => {
    const mine = await made();
    await accesses().log(mine.id, { event: 'order', identifiers: [], outcome: 'done', detail: '' });
    const foreign = scopeOf({ organisationId: newId() });
    expect(await tenant((tx) => readLog(tx, foreign, mine.id))).toEqual([]);
  });

  test('the limits count what is not revoked: of the organization, and of a customer what its users made', async () => {
    const theirs = await customerRow(database, organisationId);
    const before = await tenant((tx) => countAccesses(tx, scopeOf()));
    const own = await made({ customerId: theirs, byCustomer: true });
    await made({ customerId: theirs });
    await made({ byCustomer: true });
    const counts = () =>
      tenant(async (tx) => [
        (await countAccesses(tx, scopeOf())) - before,
        await countAccesses(tx, scopeOf(), theirs),
      ]);
    expect(await counts()).toEqual([3, 1]);
    await tenant((tx) => revokeAccess(tx, scopeOf(), own.id, now));
    expect(await counts()).toEqual([2, 0]);
    expect(await tenant((tx) => countAccesses(tx, scopeOf({ organisationId: newId() })))).toBe(0);
  });
});

describe('an allowance', () => {
  const allowance = { mostAccesses: 2, productType: 'rapidssl', limits: null };
  const find = (id: string, scope = scopeOf()) => tenant((tx) => findAllowance(tx, scope, id));

  test('is set, replaced and taken back, for a living customer in reach', async () => {
    const [theirs, other] = [
      await customerRow(database, organisationId),
      await customerRow(database, organisationId),
    ];
    expect(await find(theirs)).toEqual({ customerId: theirs, allowance: null });
    const put = (id: string, given: typeof allowance | null) =>
      tenant((tx) => putAllowance(tx, scopeOf(), id, given));
    await put(theirs, allowance);
    await put(other, allowance);
    await put(theirs, { ...allowance, mostAccesses: 3 });
    expect(await find(theirs)).toMatchObject({ allowance: { mostAccesses: 3 } });
    expect(await find(theirs, only(theirs))).toMatchObject({ allowance: { mostAccesses: 3 } });
    expect(await find(theirs, only(other))).toBeUndefined();
    expect(await find(theirs, scopeOf({ organisationId: newId() }))).toBeUndefined();
    await put(theirs, null);
    expect([await find(theirs), await find(other)]).toMatchObject([{ allowance: null }, { allowance }]);
    await set('customers', other, { deleted_at: now });
    expect(await find(other)).toBeUndefined();
  });
});

test('an erased customer leaves accesses that open nothing and say nothing; others stay', async () => {
  const theirs = await customerRow(database, organisationId);
  const [mine, other] = [await made({ customerId: theirs, name: 'Anna’s server' }), await made()];
  const entry = { event: 'order', identifiers: ['anna.example.com'], outcome: 'done', detail: '' } as const;
  for (const { id } of [mine, other]) await accesses().log(id, entry);
  const allowance = { mostAccesses: 2, productType: 'rapidssl', limits: null };
  await tenant((tx) => putAllowance(tx, scopeOf(), theirs, allowance));
  await tenant((tx) => eraseFromAcme(tx, { organisationId: newId() }, theirs, now));
  expect(await accesses().findById(mine.id)).toMatchObject({ state: 'active' });
  await tenant((tx) => eraseFromAcme(tx, { organisationId }, theirs, now));
  const found = await accesses().findById(mine.id);
  expect([found?.state, found?.hmacKey()]).toEqual(['revoked', Buffer.alloc(0)]);
  expect(await tenant((tx) => findAccess(tx, scopeOf(), mine.id))).toMatchObject({ name: 'Erased' });
  expect(await tenant((tx) => readLog(tx, scopeOf(), mine.id))).toEqual([]);
  expect(await tenant((tx) => findAllowance(tx, scopeOf(), theirs))).toMatchObject({ allowance: null });
  expect(await tenant((tx) => readLog(tx, scopeOf(), other.id))).toHaveLength(1);
  expect(await accesses().findById(other.id)).toMatchObject({ state: 'active' });
});

test('a certificate says by which access it came and what happened with that last; another organization’s says nothing', async () => {
  const [mine, other] = [await made({ name: 'Its server' }), await made()];
  await accesses().log(mine.id, { event: 'order', identifiers: [], outcome: 'done', detail: '' });
  const about = (name: string) => ({
    event: 'finalize' as const,
    identifiers: [name],
    outcome: 'failed' as const,
  });
  await accesses().log(mine.id, { ...about('a.example.com'), detail: 'No balance.' });
  await accesses().log(mine.id, { ...about('b.example.com'), detail: 'Another host.' });
  await accesses().log(mine.id, { ...about('a.example.com'), identifiers: [], detail: 'A registration.' });
  await accesses().log(other.id, { event: 'order', identifiers: [], outcome: 'refused', detail: 'Another.' });
  await accesses().touch({ accessId: mine.id, lastUsedAt: null });
  const byMachine = await certificateRow(database, organisationId, {
    ...{ acme_access_id: mine.id, host_names: ['a.example.com', 'www.a.example.com'] },
  });
  const byPerson = await certificateRow(database, organisationId);
  const foreign = await organisationRow(database);
  const strange = await certificateRow(database, foreign, { acme_access_id: mine.id });
  const told = async (whose: string, id: string) =>
    (await across(database, (tx) => findById(tx, { organisationId: whose, certificateId: id })))?.installer;
  expect(await told(organisationId, byMachine)).toMatchObject({
    ...{ accessId: mine.id, name: 'Its server', issuedId: null },
    ...{ newest: { outcome: 'failed', detail: 'No balance.' }, revokedAt: null, expiresAt: null },
  });
  expect(new Date((await told(organisationId, byMachine))?.lastUsedAt ?? '')).toEqual(now);
  expect(await told(organisationId, byPerson)).toBeNull();
  expect(await told(foreign, strange)).toBeNull();
  // What the machine has by now: the newest that was issued of this certificate, by this access.
  const account = newId();
  const order = (at: number, issued_id: string | null, of: { access: string; certificate: string | null }) =>
    tenant((tx) =>
      tx
        .insertInto('acme_orders')
        .values({
          ...{ id: newId(at), organisation_id: organisationId, account_id: account, access_id: of.access },
          ...{
            customer_id: customerId,
            names: ['a.example.com'],
            state: 'valid' as const,
            chain: 'PEM',
            replaces: null,
          },
          ...{ created_at: now, expires_at: now, issued_id, certificate_id: of.certificate },
        })
        .execute(),
    );
  const own = { organisation_id: organisationId, access_id: mine.id, created_at: now, contacts: [] };
  await tenant((tx) => insertAccount(tx, { id: account, ...own, thumbprint: account, jwk: {} }));
  const ours = { access: mine.id, certificate: byMachine };
  await order(1_000, 'first', ours);
  await order(2_000, 'second', ours);
  await order(3_000, null, ours);
  await order(4_000, 'of another certificate', { ...ours, certificate: byPerson });
  await order(5_000, 'by another access', { ...ours, access: other.id });
  expect(await told(organisationId, byMachine)).toMatchObject({ issuedId: 'second' });
});

describe('the lock of an access', () => {
  /** As a new account or order of the access: its foreign key holds the row of the access. */
  const refer = (tx: Tx, accessId: string) =>
    tx
      .insertInto('acme_accounts')
      .values({
        ...{ id: newId(), organisation_id: organisationId, access_id: accessId, thumbprint: newId() },
        ...{ jwk: '{}', contacts: [], status: 'valid', created_at: now },
      })
      .execute();

  /** With which the lock of a purchase travels. */
  const next = async (tx: Tx) => void (await sql`SELECT 1`.execute(tx));

  test.each([
    ['of a purchase', (tx: Tx, id: string) => lockPurchases(tx, id).then(() => next(tx))],
    ['of a change', (tx: Tx, id: string) => lockAccess(tx, scopeOf(), id).then(() => undefined)],
  ])('%s is had beside those who refer to the access, and by one at a time', async (_whose, lock) => {
    const { id } = await made();
    await tenant(async (first) => {
      await refer(first, id);
      const another = tenant(async (second) => {
        await refer(second, id);
        // Two who refer to it and then lock it: with the lock of a deletion, each would wait for the other one.
        await sql`SET LOCAL lock_timeout = '5s'`.execute(first);
        await lock(first, id);
        await sql`SET LOCAL lock_timeout = '50ms'`.execute(second);
        await lock(second, id);
      });
      await expect(another).rejects.toThrow('lock timeout');
    });
  });
});
