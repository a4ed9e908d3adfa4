import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Markup, noMarkups } from '#contracts/values/money.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import { inTransaction, sql } from '../../kernel/db/database.ts';
import { isClosedOrganisation } from '../../kernel/db/open-organisation.ts';
import { newId } from '../../kernel/ids.ts';
import { lockCustomer, updateCustomer } from './customers.repo.ts';
import { stateOf } from './customers.rules.ts';
import { createCustomers } from './customers.service.ts';
import { setPaymentCustomer } from './payment.repo.ts';

/** What the log keeps of a customer: all at the beginning and at the end, and what differs in between. */

let database: TestDatabase;
let people: People;
let admin: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  admin = (await people.organisation()).scope;
  await takeJobs(database.url);
});

const noBilling = { billDirectly: false, email: '', allowChangeBilling: false };
const billed = { billDirectly: true, email: 'pay@customer.example', allowChangeBilling: true };
const tenPercent: Markup = { type: 'percentage', value: 10 };
const markups = { ...noMarkups, domain: { purchase: tenPercent, renewal: tenPercent } };
const state = { contacts: contactsOf(), billing: noBilling, markups: noMarkups, allowDomainSettings: false };
const entryOf = (customerId: string) => ({ by: admin.userId, kind: 'customer', object: customerId });
const create = (change: object = {}) =>
  people.customers.create(admin, { contacts: contactsOf(), billing: noBilling, ...change }, null);

test('a new customer is in the log as a whole, and so is one who was deleted', async () => {
  const { customerId } = await create({ billing: billed, markups });
  const said = { owner: state.contacts.owner, admin: 'as owner', billing: 'as owner' };
  const whole = { ...state, contacts: said, billing: billed, markups };
  const entry = entryOf(customerId);
  expect(await logged(database.db, admin, 'customers.create')).toEqual([
    { ...entry, before: null, after: whole },
  ]);
  await people.customers.remove(admin, customerId);
  expect(await logged(database.db, admin, 'customers.delete')).toEqual([
    { ...entry, before: whole, after: null },
  ]);
  for (const action of ['customers.create', 'customers.delete'] as const) {
    expect(await loggedAbout(database.db, admin, action)).toEqual([customerId]);
  }
});

test('a change is in the log with what was and what is, of that alone which differs', async () => {
  const { customerId } = await create();
  const owner = { ...contactsOf().owner, city: 'Ottawa' };
  const steps = [
    { contacts: { ...contactsOf(), owner } },
    { billing: { ...noBilling, allowChangeBilling: true } },
    { markups: { domain: { purchase: tenPercent } } },
    { allowDomainSettings: true },
  ];
  for (const step of steps) await people.customers.update(admin, customerId, step as never);
  const noPercent = { type: 'percentage', value: 0 };
  expect(await logged(database.db, admin, 'customers.update')).toEqual(
    [
      [{ contacts: { owner: { city: 'Toronto' } } }, { contacts: { owner: { city: 'Ottawa' } } }],
      [{ billing: { allowChangeBilling: false } }, { billing: { allowChangeBilling: true } }],
      [
        { markups: { domain: { purchase: { value: noPercent.value } } } },
        { markups: { domain: { purchase: { value: 10 } } } },
      ],
      [{ allowDomainSettings: false }, { allowDomainSettings: true }],
    ].map(([before, after]) => ({ ...entryOf(customerId), before, after })),
  );
  expect((await people.customers.get(admin, customerId)).version).toBe(1 + steps.length);
});

test('a customer who is billed directly has a job that makes them known to the provider, should the request not have done it', async () => {
  const { customerId } = await create({ billing: billed });
  expect(await runsAt(database.url, `connect:${customerId}`)).toEqual(
    new Date(people.clock.now().getTime() + 20_000),
  );
  const payload = { organisationId: admin.organisationId, customerId };
  expect(await takeJobs(database.url)).toEqual([{ task: 'direct-billing.connect', payload }]);
  await create({ billing: { ...billed, email: '' } });
  await create();
  expect(await takeJobs(database.url)).toEqual([]);
});

test('a customer is saved whether or not the payment provider answers; a job makes it known later', async () => {
  const asked: object[] = [];
  const silent = createCustomers({
    ...{ db: database.db, clock: people.clock, newId, users: people.users },
    connect: async (customer) => {
      asked.push(customer);
      throw new Error('no answer');
    },
  });
  const made = await silent.create(admin, { contacts: contactsOf(), billing: billed }, null);
  const of = { organisationId: admin.organisationId, customerId: made.customerId };
  expect(made.billing).toMatchObject({ ...billed, stripeId: null });
  const changed = await silent.update(admin, made.customerId, { allowDomainSettings: true } as never);
  expect(changed).toMatchObject({ customerId: made.customerId, allowDomainSettings: true });
  expect(asked).toEqual([of, of]);
  expect(await takeJobs(database.url)).toEqual([{ task: 'direct-billing.connect', payload: of }]);
});

test('a customer whom the provider takes at once is answered with their id there, and is made known once', async () => {
  const asked: string[] = [];
  const answering = createCustomers({
    ...{ db: database.db, clock: people.clock, newId, users: people.users },
    connect: async ({ organisationId, customerId }) => {
      asked.push(customerId);
      await inTransaction(database.db, { organisationId }, (tx) =>
        setPaymentCustomer(tx, customerId, 'cus_1'),
      );
    },
  });
  const unbilled = await answering.create(admin, { contacts: contactsOf(), billing: noBilling }, null);
  expect([unbilled.billing.stripeId, asked]).toEqual([null, []]);
  const { customerId } = unbilled;
  const change = (billing: object) => answering.update(admin, customerId, { billing } as never);
  expect((await change(billed)).billing.stripeId).toBe('cus_1');
  expect((await change({ allowChangeBilling: false })).billing).toMatchObject({
    ...{ stripeId: 'cus_1', allowChangeBilling: false },
  });
  expect(asked).toEqual([customerId]);
});

test('changes of two people at once that name no version are both made, the second over the first', async () => {
  const { customerId } = await create();
  const gate = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const first = inTransaction(database.db, admin, async (tx) => {
    const before = await lockCustomer(tx, admin, customerId);
    if (!before) throw new Error('no customer');
    locked.resolve();
    await gate.promise;
    const change = { ...stateOf(before), allowDomainSettings: true };
    await updateCustomer(tx, admin, { id: customerId, version: 1, now: people.clock.now(), ...change });
  });
  await locked.promise;
  const billing = { allowChangeBilling: true };
  const second = people.customers.update(admin, customerId, { billing } as never).catch(({ code }) => code);
  // Until it waits for the first one, as it must.
  const waiting = sql`SELECT 1 FROM pg_locks WHERE NOT granted`;
  let isOver = false;
  void second.finally(() => {
    isOver = true;
  });
  while (!isOver && (await waiting.execute(database.systemDb)).rows.length === 0);
  gate.resolve();
  await first;
  expect(await second).toMatchObject({ allowDomainSettings: true, billing, version: 3 });
});

test('a refused act on a customer leaves nothing in the log', async () => {
  const { customerId } = await create();
  const employee = (await people.join(admin, { type: 'MSP_EMPLOYEE' })).scope;
  const refused = [
    people.customers.create(employee, { contacts: contactsOf(), billing: billed }, null),
    people.customers.update(employee, customerId, { markups } as never),
    people.customers.update(admin, customerId, { allowDomainSettings: true, version: 9 } as never),
    people.customers.remove(employee, customerId),
  ];
  const codes = await Promise.all(refused.map((act) => act.catch(({ code }) => code)));
  expect(codes).toEqual(['forbidden', 'forbidden', 'conflict', 'forbidden']);
  expect(await loggedAbout(database.db, admin, 'customers.create')).toEqual([customerId]);
  for (const action of ['customers.update', 'customers.delete'] as const) {
    expect(await loggedAbout(database.db, admin, action)).toEqual([]);
  }
});

test('an organization that was closed gets no customer', async () => {
  await people.users.close(admin);
  const error: unknown = await create().catch((refusal: unknown) => refusal);
  expect(error instanceof Error && isClosedOrganisation(error)).toBe(true);
});
