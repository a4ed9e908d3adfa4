import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noMarkups } from '#contracts/values/money.ts';
import { openItemStates } from '#contracts/values/order-states.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  across,
  customerRow,
  domainRow,
  itemRow,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import {
  type CustomerPlace,
  type CustomersPage,
  countCustomers,
  customerExists,
  customersAfter,
  deleteWithoutDomains,
  findCustomer,
  lockContacts,
  lockCustomer,
  updateCustomer,
} from './customers.repo.ts';
import { findKnown } from './imports.repo.ts';
import {
  findBilledCustomer,
  setPaymentCustomer,
  setPaymentMethod,
  waitingForPayment,
} from './payment.repo.ts';
import { customerIsKnown, ownersByEmail, restoreCustomer } from './recovered.repo.ts';

/** Each condition of the statements about customers, beside a row that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let scope: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  scope = { organisationId, reach: { kind: 'organisation' } } as Scope;
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const customer = (change: Parameters<typeof customerRow>[2] = {}) =>
  customerRow(database, organisationId, change);
/** All that is come by, page after page. */
async function walked(pageSize: number): Promise<string[]> {
  const ids: string[] = [];
  let after: CustomerPlace | null = null;
  do {
    const from: CustomerPlace | null = after;
    const page: CustomersPage = await tenant((tx) => customersAfter(tx, scope, from, pageSize));
    ids.push(...page.customers.map(({ customerId }) => customerId));
    if (new Set(ids).size < ids.length) throw new Error('somebody comes twice');
    after = page.last;
  } while (after !== null);
  return ids;
}

const limitedTo = (id: string) => ({ ...scope, reach: { kind: 'customers', ids: [id] } }) as unknown as Scope;

describe('a customer', () => {
  test.each([
    ['found', findCustomer],
    ['locked', lockCustomer],
    ['read for an order', lockContacts],
  ] as const)('is %s while it lives, in reach, and no other', async (_how, find) => {
    const [id, gone] = [await customer(), await customer({ deleted_at: now })];
    const found = async (asked: string, as = scope) =>
      (await tenant<unknown>((tx) => find(tx, as, asked))) !== undefined;
    expect(await found(id)).toBe(true);
    expect(await found(id, limitedTo(id))).toBe(true);
    expect(await found(id, limitedTo(gone))).toBe(false);
    expect(await found(gone)).toBe(false);
    expect(await found(newId())).toBe(false);
  });

  test('that was deleted still exists; one out of reach or never made does not', async () => {
    const [id, gone] = [await customer(), await customer({ deleted_at: now })];
    const exists = (asked: string, as = scope) => tenant((tx) => customerExists(tx, as, asked));
    expect([await exists(id), await exists(gone)]).toEqual([true, true]);
    expect([await exists(id, limitedTo(gone)), await exists(newId())]).toEqual([false, false]);
  });

  test('counts, and is gone through, while it lives', async () => {
    const count = () => tenant((tx) => countCustomers(tx, scope));
    const former = await count();
    const first = await customer();
    await customer({ deleted_at: now });
    const second = await customer();
    expect(await count()).toBe(former + 2);
    expect(await walked(2)).toEqual(expect.arrayContaining([first, second]));
    expect(await walked(2)).toHaveLength(former + 2);
  });

  test('is gone through once each by their making, at whatever page it ends, also when two were made within a millisecond', async () => {
    const made: { micro: string; id: string }[] = [];
    for (const micro of ['000002', '000001', '000002', '000003', '000001']) {
      const id = await customer();
      made.push({ micro, id });
      await tenant((tx) =>
        sql`UPDATE customers SET created_at = ${`2031-01-02T03:04:05.${micro}Z`}::timestamptz WHERE id = ${id}`.execute(
          tx,
        ),
      );
    }
    const inOrder = made.toSorted((a, b) => (a.micro + a.id < b.micro + b.id ? -1 : 1)).map(({ id }) => id);
    for (const pageSize of [1, 2, 3, 5, 100])
      expect((await walked(pageSize)).slice(-inOrder.length)).toEqual(inOrder);
  });

  test('has the domains that have not ended', async () => {
    const [id, other] = [await customer(), await customer()];
    await domainRow(database, organisationId, { customer_id: id });
    await domainRow(database, organisationId, { customer_id: id, status: 'ended' });
    await domainRow(database, organisationId, { customer_id: other });
    expect((await tenant((tx) => findCustomer(tx, scope, id)))?.domainsCount).toBe(1);
  });

  test('is written over the version that was read, while it lives, and alone', async () => {
    const [id, beside, gone] = [await customer(), await customer(), await customer({ deleted_at: now })];
    const write = async (written: string, version: number) => {
      const { contacts, billing, markups } =
        (await tenant((tx) => findCustomer(tx, scope, beside))) ?? ({} as never);
      const change = { id: written, version, contacts, billing, markups, allowDomainSettings: true, now };
      return tenant((tx) => updateCustomer(tx, scope, change));
    };
    const version = (await tenant((tx) => findCustomer(tx, scope, id)))?.version ?? 0;
    expect(await write(id, version + 1)).toBe(false);
    expect(await write(gone, version)).toBe(false);
    expect(await write(id, version)).toBe(true);
    expect(await write(id, version)).toBe(false);
    expect(await tenant((tx) => findCustomer(tx, scope, beside))).toMatchObject({
      version,
      allowDomainSettings: false,
    });
  });
});

test('a customer whom a file names is known wherever in a long file they stand', async () => {
  const id = await customer();
  const { rows } = await tenant((tx) =>
    sql<{ key: string }>`SELECT customer_match_key(owner) AS key FROM customers WHERE id = ${id}`.execute(tx),
  );
  const key = rows[0]?.key ?? '';
  const found = async (wanted: { ids?: string[]; keys?: string[] }) =>
    (await tenant((tx) => findKnown(tx, scope, { ids: [], keys: [], ...wanted }))).map(
      (one) => one.customerId,
    );
  for (const place of [0, 498, 499, 500, 999, 1_000]) {
    const before = <T>(other: () => T, last: T) => [...Array.from({ length: place }, other), last];
    expect(await found({ keys: before(() => 'of nobody', key) }), `key ${place}`).toContain(id);
    expect(await found({ ids: before(newId, id) }), `id ${place}`).toEqual([id]);
  }
  expect(await found({ keys: ['of nobody'], ids: [newId()] })).toEqual([]);
});

describe('a deletion', () => {
  const remove = (id: string) => tenant((tx) => deleteWithoutDomains(tx, scope, id, now));
  const item = async (change: Parameters<typeof itemRow>[2]) =>
    itemRow(database, { organisationId, orderId: await orderRow(database, organisationId) }, change);

  test('takes a customer whose domains and orders have ended, once, and nobody else', async () => {
    const [id, beside] = [await customer(), await customer()];
    await domainRow(database, organisationId, { customer_id: id, status: 'ended' });
    await domainRow(database, organisationId, { customer_id: beside });
    await item({ customer_id: id, state: 'succeeded' });
    await item({ customer_id: id, state: 'declined' });
    await item({ customer_id: beside, state: 'queued' });
    expect(await remove(id)).toBe(true);
    expect(await remove(id)).toBe(false);
    expect(await tenant((tx) => findCustomer(tx, scope, beside))).toBeDefined();
  });

  test.each(['active', 'expired', 'transferring'] as const)(
    'is refused with a domain that is %s',
    async (status) => {
      const id = await customer();
      await domainRow(database, organisationId, { customer_id: id, status });
      expect(await remove(id)).toBe(false);
    },
  );

  test.each([...openItemStates])('is refused with an order that is %s', async (state) => {
    const id = await customer();
    await item({ customer_id: id, state });
    expect(await remove(id)).toBe(false);
  });
});

describe('a customer as direct billing sees it', () => {
  test('is found by each of its three names, and by nobody else’s', async () => {
    const id = await customer({ payment_customer_id: 'cus_mine', payment_method_id: 'pm_mine' });
    await customer({ payment_customer_id: 'cus_other', payment_method_id: 'pm_other' });
    const find = async (by: Parameters<typeof findBilledCustomer>[1], of?: { organisationId: string }) =>
      (await across(database, (tx) => findBilledCustomer(tx, by, of)))?.id;
    for (const by of [{ id }, { paymentCustomer: 'cus_mine' }, { paymentMethod: 'pm_mine' }]) {
      expect(await find(by)).toBe(id);
      expect(await find(by, { organisationId })).toBe(id);
      expect(await find(by, { organisationId: newId() })).toBeUndefined();
    }
    expect(await find({ paymentCustomer: 'cus_unknown' })).toBeUndefined();
  });

  const waits = { bill_directly: true, billing_email: 'ada@example.com' };
  const all = async (what: 'id' | 'method', page?: Parameters<typeof waitingForPayment>[2]) =>
    (await tenant((tx) => waitingForPayment(tx, what, page))).map((found) => found.id);
  const waiting = async (id: string, what: 'id' | 'method') => (await all(what)).includes(id);
  const account = (ready: boolean) =>
    tenant((tx) =>
      tx
        .insertInto('billing_profiles')
        .values({ organisation_id: organisationId, payment_account_ready: ready })
        .onConflict((conflict) =>
          conflict.column('organisation_id').doUpdateSet({ payment_account_ready: ready }),
        )
        .execute(),
    );

  test('waits for an id, then for a method, then for nothing', async () => {
    await account(true);
    const id = await customer(waits);
    expect([await waiting(id, 'id'), await waiting(id, 'method')]).toEqual([true, false]);
    await tenant((tx) => setPaymentCustomer(tx, id, 'cus_waits'));
    expect([await waiting(id, 'id'), await waiting(id, 'method')]).toEqual([false, true]);
    await tenant((tx) => setPaymentMethod(tx, id, { id: 'pm_waits' }));
    expect([await waiting(id, 'id'), await waiting(id, 'method')]).toEqual([false, false]);
  });

  test.each([
    ['billed by the MSP', { bill_directly: false }],
    ['without an email address', { billing_email: '' }],
    ['deleted', { deleted_at: now }],
  ])('waits for nothing when it is %s', async (_how, change) => {
    await account(true);
    expect(await waiting(await customer({ ...waits, ...change }), 'id')).toBe(false);
  });

  test.each([
    ['billed by the MSP', { bill_directly: false }],
    ['without an email address', { billing_email: '' }],
    ['deleted', { deleted_at: now }],
    ['with a method', { payment_method_set: true, payment_method_id: 'pm_has' }],
  ])('waits for no method when it is %s', async (_how, change) => {
    await account(true);
    const known = { ...waits, payment_customer_id: newId() };
    expect(await waiting(await customer(known), 'method')).toBe(true);
    expect(
      await waiting(await customer({ ...known, ...change, payment_customer_id: newId() }), 'method'),
    ).toBe(false);
  });

  test('waits for nothing while the payment account is not ready', async () => {
    const id = await customer(waits);
    await account(false);
    expect(await waiting(id, 'id')).toBe(false);
    await account(true);
    expect(await waiting(id, 'id')).toBe(true);
  });

  test('is listed by its id, so that a list can go on behind the last one of a page', async () => {
    await account(true);
    for (let time = 0; time < 3; time += 1) await customer(waits);
    const ids = await all('id');
    expect(ids).toEqual(ids.toSorted());
    expect(await all('id', { limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await all('id', { after: ids[1], limit: 2 })).toEqual(ids.slice(2, 4));
  });

  test('keeps its first id at the provider', async () => {
    const [id, beside] = [await customer(), await customer()];
    for (const given of ['cus_first', 'cus_second']) await tenant((tx) => setPaymentCustomer(tx, id, given));
    const known = async (asked: string) =>
      (await tenant((tx) => findBilledCustomer(tx, { id: asked })))?.paymentCustomer;
    expect([await known(id), await known(beside)]).toEqual(['cus_first', null]);
  });

  test('gets another method once; what was revoked is named, and its version stays', async () => {
    const [id, beside] = [await customer(), await customer()];
    const set = (method: Parameters<typeof setPaymentMethod>[2]) =>
      tenant((tx) => setPaymentMethod(tx, id, method));
    expect([await set({ id: 'pm_1' }), await set({ id: 'pm_1' })]).toEqual([true, false]);
    expect(await set({ id: null, revoked: 'pm_1' })).toBe(true);
    expect(await tenant((tx) => findBilledCustomer(tx, { id }))).toMatchObject({
      paymentMethod: null,
      revokedMethod: 'pm_1',
    });
    expect(await tenant((tx) => findCustomer(tx, scope, id))).toMatchObject({
      version: 1,
      paymentMethodSet: false,
    });
    expect(await tenant((tx) => findBilledCustomer(tx, { id: beside }))).toMatchObject({
      paymentMethod: null,
      revokedMethod: null,
    });
    // What was revoked stays named when there is another one.
    expect(await set({ id: 'pm_2' })).toBe(true);
    expect(await tenant((tx) => findBilledCustomer(tx, { id }))).toMatchObject({
      paymentMethod: 'pm_2',
      revokedMethod: 'pm_1',
    });
    expect((await tenant((tx) => findCustomer(tx, scope, id)))?.paymentMethodSet).toBe(true);
  });
});

describe('a customer whom the registrar knows, after the database was lost', () => {
  test('is found by the owner’s address in any case while they live, the first one made first', async () => {
    const email = `${newId()}@lost.example`;
    const withEmail = (of: string, more: object = {}) =>
      customerRow(database, of, {
        owner: JSON.stringify({ ...contactsOf().owner, email: email.toUpperCase() }),
        ...more,
      });
    // Whatever order they are stored in.
    const [first, second] = [newId(), newId()].toSorted();
    for (const id of [second, first]) await withEmail(organisationId, { id });
    await withEmail(organisationId, { deleted_at: now });
    await withEmail(await organisationRow(database));
    const found = (asked: string) => across(database, (tx) => ownersByEmail(tx, organisationId, asked));
    for (const asked of [email, email.toUpperCase()]) {
      expect((await found(asked)).map(({ id }) => id)).toEqual([first, second]);
    }
    expect((await found(email))[0]?.owner).toMatchObject({ email: email.toUpperCase() });
    expect(await found('nobody@lost.example')).toEqual([]);
  });

  test('comes back under their id with their contacts, billed by the MSP, and is known then, deleted or not', async () => {
    const id = newId();
    const known = (of = organisationId) =>
      across(database, (tx) => customerIsKnown(tx, { organisationId: of, id }));
    expect(await known()).toBe(false);
    const one = (city: string) => ({ ...contactsOf().owner, city });
    const contacts = { owner: one('Oslo'), admin: one('Rome'), billing: one('Bern') };
    await across(database, (tx) => restoreCustomer(tx, { organisationId, id, contacts, now }));
    expect(await tenant((tx) => findCustomer(tx, scope, id))).toEqual({
      ...{ customerId: id, contacts, markups: noMarkups, domainsCount: 0, paymentMethodSet: false },
      chargesStopped: null,
      billing: { billDirectly: false, email: '', stripeId: null, allowChangeBilling: false },
      ...{ allowDomainSettings: false, version: 1, createdAt: now.toISOString() },
    });
    expect([await known(), await known(newId())]).toEqual([true, false]);
    await tenant((tx) => deleteWithoutDomains(tx, scope, id, now));
    expect(await known()).toBe(true);
  });
});
