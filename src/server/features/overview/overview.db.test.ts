import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import { ownDomain } from '../../../../tests/support/zone-registrar.ts';
import { createOverview } from './overview.service.ts';

let database: TestDatabase;
let people: People;

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());

const overview = () =>
  createOverview({
    ...{ db: database.db, clock: people.clock, graceDays: 40 },
    certificateBands: async () => bands,
    attention: async () => ({ now: 2, soon: 1 }),
  });
const bands = { attention: 3, valid: 5, open: 1, ended: 2 };
const inDays = (days: number) => new Date(people.clock.now().getTime() + days * 86_400_000);

const newCustomer = {
  contacts: contactsOf(),
  billing: { billDirectly: false, email: '', allowChangeBilling: false },
};

async function domain(scope: Scope, address: string, customerId: string, change: Record<string, unknown>) {
  await ownDomain(database, scope, address);
  await inTransaction(database.db, scope, (tx) =>
    tx
      .updateTable('domains')
      .set({ customer_id: customerId, ...change })
      .where('address', '=', address)
      .execute(),
  );
}

test('counts what lapses to the day, what renews by itself not, and other organizations never', async () => {
  const { scope } = await people.organisation();
  const { scope: other } = await people.organisation();
  const mine = await people.customers.create(scope, newCustomer, null);
  const theirs = await people.customers.create(other, newCustomer, null);
  const id = mine.customerId;
  await domain(scope, 'sixty.com', id, { expires_at: inDays(60), auto_renew: true });
  await domain(scope, 'sixtyone.com', id, { expires_at: inDays(60.1), auto_renew: false, locked: false });
  await domain(scope, 'ninety.com', id, { expires_at: inDays(90), auto_renew: false, locked: true });
  await domain(scope, 'far.com', id, { expires_at: inDays(90.1), auto_renew: false });
  await domain(scope, 'moving.com', id, { status: 'transferring', expires_at: null });
  await domain(scope, 'ended.com', id, { status: 'ended', expires_at: inDays(-90) });
  await domain(scope, 'unconfirmed.com', id, { expires_at: inDays(300), verification: 'waiting' });
  await domain(other, 'foreign.com', theirs.customerId, { expires_at: inDays(1), auto_renew: false });
  expect(await overview().get(scope)).toEqual({
    domains: {
      ...{ held: 5, expiring: 1, lapsing: 2, unverified: 1, transferring: 1 },
      ...{ manual: 4, unlocked: 1 },
    },
    certificates: { flagged: 3, valid: 5, open: 1, ended: 2 },
    customers: { total: 1, billedDirectly: 0 },
    people: { users: 1, invites: 0 },
    charges: { failed: 0 },
    attention: { now: 2, soon: 1 },
  });
});

test('a customer’s own user sees counts of the own customer alone, and none of people and charges', async () => {
  const { scope } = await people.organisation();
  const [one, two] = [
    await people.customers.create(scope, newCustomer, null),
    await people.customers.create(scope, newCustomer, null),
  ];
  await domain(scope, 'own-one.com', one.customerId, { expires_at: inDays(10), auto_renew: false });
  await domain(scope, 'of-another.com', two.customerId, { expires_at: inDays(10), auto_renew: false });
  // How the MSP has it pay is masked from the customer, here as in its list.
  await inTransaction(database.db, scope, (tx) =>
    tx.updateTable('customers').set({ bill_directly: true }).where('id', '=', one.customerId).execute(),
  );
  const { scope: limited } = await people.join(scope, {
    type: 'MSP_CUSTOMER',
    authorizedClientId: one.customerId,
  });
  const seen = await overview().get(limited);
  expect(seen.domains).toMatchObject({ held: 1, expiring: 1, lapsing: 1 });
  expect(seen.customers).toEqual({ total: 1, billedDirectly: 0 });
  expect((await overview().get(scope)).customers).toEqual({ total: 2, billedDirectly: 1 });
  expect([seen.people, seen.charges]).toEqual([null, null]);
});

test('a name past its grace period lapses no more: nobody can renew it, and the renewals do not show it', async () => {
  const { scope } = await people.organisation();
  const { customerId: id } = await people.customers.create(scope, newCustomer, null);
  await domain(scope, 'in-grace.com', id, {
    expires_at: inDays(-39.9),
    auto_renew: false,
    status: 'expired',
  });
  await domain(scope, 'past-grace.com', id, {
    expires_at: inDays(-40),
    auto_renew: false,
    status: 'expired',
  });
  expect((await overview().get(scope)).domains).toMatchObject({ held: 2, expiring: 2, lapsing: 1 });
});

test('a name that has left the account neither expires nor lapses, its registrant has nothing to confirm, it is neither unlocked nor without auto renew, and it is held until somebody ends it', async () => {
  const { scope } = await people.organisation();
  const { customerId: id } = await people.customers.create(scope, newCustomer, null);
  const settings = { auto_renew: false, locked: false, verification: 'waiting' as const };
  const soon = { expires_at: inDays(10), ...settings };
  await domain(scope, 'here.com', id, soon);
  await domain(scope, 'left.com', id, { ...soon, missing_since: people.clock.now() });
  expect((await overview().get(scope)).domains).toMatchObject({
    ...{ held: 2, expiring: 1, lapsing: 1, unverified: 1, manual: 1, unlocked: 1 },
  });
});

test('a deleted customer is not counted any more, whatever was agreed about its bills', async () => {
  const { scope } = await people.organisation();
  const kept = await people.customers.create(scope, newCustomer, null);
  const gone = await people.customers.create(scope, newCustomer, null);
  const bill = (id: string, change: { deleted_at?: Date }) =>
    inTransaction(database.db, scope, (tx) =>
      tx
        .updateTable('customers')
        .set({ bill_directly: true, ...change })
        .where('id', '=', id)
        .execute(),
    );
  await bill(gone.customerId, { deleted_at: people.clock.now() });
  expect((await overview().get(scope)).customers).toEqual({ total: 1, billedDirectly: 0 });
  await bill(kept.customerId, {});
  expect((await overview().get(scope)).customers).toEqual({ total: 1, billedDirectly: 1 });
});
