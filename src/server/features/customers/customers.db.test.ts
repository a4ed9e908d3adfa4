import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { listedCustomers } from '../../../../tests/support/listed-customers.ts';
import { contactsOf, createPeople, owner, type People } from '../../../../tests/support/people.ts';
import type { CreateCustomerBody, Customer } from '../../../contracts/operations/customers.ts';
import { countries } from '../../../contracts/values/countries.ts';
import { type Markup, noMarkup, noMarkups } from '../../../contracts/values/money.ts';
import { inTransaction, sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { setPaymentMethod } from './payment.repo.ts';

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
});

const noBilling = { billDirectly: false, email: '', allowChangeBilling: false };
const tenPercent: Markup = { type: 'percentage', value: 10 };

function body(change: Partial<CreateCustomerBody> = {}): CreateCustomerBody {
  return { contacts: contactsOf(), billing: noBilling, ...change };
}
const named = (organization: string) => body({ contacts: contactsOf({ organization }) });
const create = (scope: Scope, what = body(), key: string | null = null) =>
  people.customers.create(scope, what, key);
const code = (expected: string) => ({ code: expected });

async function giveDomain(scope: Scope, customer: Customer, status: 'active' | 'ended' = 'active') {
  const address = `${newId()}.com`;
  await inTransaction(database.db, scope, (tx) =>
    tx
      .insertInto('domains')
      .values({
        id: newId(),
        organisation_id: scope.organisationId,
        customer_id: customer.customerId,
        address,
        status,
        registered_at: null,
        expires_at: null,
        locked: null,
        privacy: null,
        credentials_sealed: null,
        synced_at: null,
        ended_at: null,
        end_reason: null,
      })
      .execute(),
  );
  return address;
}

test('choices name every living customer, with markups of those whose chip is Active; a customer’s user sees the own name', async () => {
  const direct = { ...noBilling, billDirectly: true, email: 'pay@customer.example' };
  const rules = { ...noMarkups, domain: { purchase: tenPercent, renewal: noMarkup } };
  const zebra = await create(admin, { ...named('Zebra'), billing: direct, markups: rules });
  const ant = await create(admin, named('Ant'));
  const gone = await create(admin, named('Gone'));
  await people.customers.remove(admin, gone.customerId);
  // Nobody is charged yet: there is no payment method.
  expect((await people.customers.choices(admin)).map(({ markups }) => markups)).toEqual([null, null]);
  await inTransaction(database.db, admin, (tx) => setPaymentMethod(tx, zebra.customerId, { id: 'pm_1' }));
  expect(await people.customers.choices(admin)).toEqual([
    { customerId: ant.customerId, organization: 'Ant', markups: null },
    { customerId: zebra.customerId, organization: 'Zebra', markups: rules },
  ]);
  const client: Scope = {
    ...admin,
    role: 'MSP_CUSTOMER',
    reach: { kind: 'customers', ids: [zebra.customerId] },
  };
  expect(await people.customers.choices(client)).toEqual([
    { customerId: zebra.customerId, organization: 'Zebra', markups: null },
  ]);
});

test('a customer is stored as it was sent, with 0 percent where no markup was', async () => {
  const created = await create(admin);
  expect(created).toMatchObject({
    contacts: contactsOf(),
    billing: { ...noBilling, stripeId: null },
    markups: noMarkups,
    domainsCount: 0,
    paymentMethodSet: false,
    allowDomainSettings: false,
    version: 1,
  });
  expect(await people.customers.get(admin, created.customerId)).toEqual(created);
});

test('the same Idempotency-Key creates one customer, also when both come at once; other contents are refused', async () => {
  const [one, two] = await Promise.all([
    create(admin, named('Once'), 'key-0001'),
    create(admin, named('Once'), 'key-0001'),
  ]);
  expect(two).toEqual(one);
  expect((await listedCustomers(people.customers, admin, { pageSize: 50 })).total).toBe(1);
  await expect(create(admin, named('Twice'), 'key-0001')).rejects.toMatchObject(
    code('idempotency_key_reused'),
  );
});

test('a repeat hears of its customer although there is no room for another one meanwhile', async () => {
  const first = await create(admin, named('Last'), 'key-last');
  const full = (customers: number) =>
    sql`INSERT INTO kept_counts (organisation_id, customers) VALUES (${admin.organisationId}, ${customers})`.execute(
      database.systemDb,
    );
  await full(1_000_000);
  await expect(create(admin, named('One more'), 'key-more')).rejects.toMatchObject(code('unprocessable'));
  expect(await create(admin, named('Last'), 'key-last')).toEqual(first);
  await full(-1_000_000);
  expect((await create(admin, named('One more'), 'key-more')).contacts.owner.organization).toBe('One more');
});

test('a list pages, counts domains of the page and knows the total behind the last page too', async () => {
  const made: Customer[] = [];
  for (const name of ['Delta', 'alpha', 'Charlie', 'Bravo', 'Ärzte']) {
    made.push(await create(admin, named(name)));
    people.clock.forward(1);
  }
  await giveDomain(admin, made[0]!);
  await giveDomain(admin, made[0]!);
  await giveDomain(admin, made[0]!, 'ended');
  await giveDomain(admin, made[3]!);
  const names = async (query: { page?: number; sort?: string; search?: string; pageSize?: number }) => {
    const found = await listedCustomers(people.customers, admin, { pageSize: 2, ...query });
    return [
      found.total,
      ...found.rows.map((row) => `${row.contacts.owner.organization} ${row.domainsCount}`),
    ];
  };
  expect(await names({ page: 1 })).toEqual([5, 'alpha 0', 'Ärzte 0']);
  expect(await names({ page: 3 })).toEqual([5, 'Delta 2']);
  expect(await names({ page: 4 })).toEqual([5]);
  expect(await names({ page: 1, sort: '-organization' })).toEqual([5, 'Delta 2', 'Charlie 0']);
  expect(await names({ page: 1, sort: '-domains' })).toEqual([5, 'Delta 2', 'Bravo 1']);
  expect(await names({ page: 1, sort: 'createdAt' })).toEqual([5, 'Delta 2', 'alpha 0']);
  expect(await names({})).toEqual([5, 'alpha 0', 'Ärzte 0', 'Bravo 1', 'Charlie 0', 'Delta 2']);
  expect(await names({ page: 1, search: 'ÄRZ' })).toEqual([1, 'Ärzte 0']);
  expect(await names({ page: 1, search: 'canada  delta' })).toEqual([1, 'Delta 2']);
  expect(await names({ page: 1, search: 'nobody' })).toEqual([0]);
  expect(await names({ page: 1, search: '%' })).toEqual([0]);
  expect(await names({ page: 1, search: '_elta' })).toEqual([0]);
});

test('a list by most domains ends with customers who have none any more, and those who never had one', async () => {
  const [most, over] = [await create(admin, named('Most')), await create(admin, named('Over'))];
  await create(admin, named('Never'));
  await giveDomain(admin, most);
  await giveDomain(admin, over, 'ended');
  const query = { pageSize: 10, page: 1, sort: '-domains' };
  const { rows, total } = await listedCustomers(people.customers, admin, query);
  const listed = rows.map((row) => row.contacts.owner.organization);
  expect([total, listed[0], ...listed.slice(1).sort()]).toEqual([3, 'Most', 'Never', 'Over']);
});

test('lists say of a customer what it says itself, and the database keeps nothing in contacts that is not shown', async () => {
  const odd = contactsOf({ organization: 'Ümlaut "Quoted" \\ Ltd', address2: 'Back door' });
  const made = await create(admin, body({ contacts: odd }));
  const { rows } = await listedCustomers(people.customers, admin, { pageSize: 50, page: 1 });
  expect(rows).toEqual([await people.customers.get(admin, made.customerId)]);
  for (const column of ['owner', 'admin', 'billing_contact']) {
    const added = sql`UPDATE customers SET ${sql.ref(column)} = ${sql.ref(column)} || '{"ssn": "1"}'`;
    await expect(added.execute(database.systemDb)).rejects.toMatchObject({ code: '23514' });
  }
});

test('locations sort by the name of the country, not by its code', async () => {
  for (const country of ['CH', 'DE', 'ES', 'AT']) {
    await create(admin, body({ contacts: contactsOf({ country, organization: country }) }));
  }
  const { rows } = await listedCustomers(people.customers, admin, {
    pageSize: 10,
    page: 1,
    sort: 'location',
  });
  expect(rows.map((row) => row.contacts.owner.country)).toEqual(['AT', 'DE', 'ES', 'CH']);
});

test('the database names every country as the contract does', async () => {
  const { rows } = await sql<{ name: string }>`SELECT country_name(code) AS name
    FROM unnest(${countries.map((country) => country.code)}::text[]) WITH ORDINALITY AS c (code, at) ORDER BY at`.execute(
    database.db,
  );
  expect(rows.map((row) => row.name)).toEqual(countries.map((country) => country.name));
});

test('of two editors the second is told, gets the present state, and overwrites nothing', async () => {
  const { customerId, version } = await create(admin);
  const edit = (city: string) =>
    people.customers.update(admin, customerId, { contacts: contactsOf({ city }), version });
  const results = await Promise.allSettled([edit('Oslo'), edit('Rome')]);
  const won = results.find((result) => result.status === 'fulfilled')!;
  const lost = results.find((result) => result.status === 'rejected')!;
  const present = await people.customers.get(admin, customerId);
  expect(won.value).toEqual(present);
  expect(present.version).toBe(2);
  expect(lost.reason).toMatchObject({ code: 'conflict', data: present });
});

test('what is sent back unchanged raises no version and leaves no trace in the log', async () => {
  const { customerId, ...shown } = await create(admin);
  const { stripeId: _, ...billing } = shown.billing;
  const after = await people.customers.update(admin, customerId, {
    contacts: shown.contacts,
    billing,
    markups: shown.markups,
  });
  expect(after.version).toBe(1);
  const log = await inTransaction(database.db, admin, (tx) =>
    tx.selectFrom('audit_log').select('action').where('object', '=', customerId).execute(),
  );
  expect(log).toEqual([{ action: 'customers.create' }]);
});

test('direct billing that is turned on later has the customer made known to the provider, too', async () => {
  const { customerId } = await create(admin);
  await takeJobs(database.url);
  await people.customers.update(admin, customerId, { allowDomainSettings: true });
  expect(await takeJobs(database.url)).toEqual([]);
  await people.customers.update(admin, customerId, {
    billing: { billDirectly: true, email: 'pay@customer.test', allowChangeBilling: false },
  });
  expect(await takeJobs(database.url)).toEqual([
    { task: 'direct-billing.connect', payload: { organisationId: admin.organisationId, customerId } },
  ]);
});

test('a markup that is left out stays, and one that was never there is 0 percent', async () => {
  const { customerId } = await create(admin);
  await inTransaction(database.db, admin, (tx) =>
    tx
      .updateTable('customers')
      .set({ markups: JSON.stringify({ domain: { purchase: tenPercent } }) })
      .execute(),
  );
  const fixed: Markup = { type: 'fixed', value: 2.5 };
  const after = await people.customers.update(admin, customerId, { markups: { domain: { renewal: fixed } } });
  expect(after.markups).toEqual({
    domain: { purchase: tenPercent, renewal: fixed },
    certificate: { purchase: noMarkup, renewal: noMarkup },
  });
});

test('an employee changes contacts, and is refused direct billing and markups, with the field named', async () => {
  const { customerId } = await create(admin);
  const employee = (await people.join(admin, { type: 'MSP_EMPLOYEE' })).scope;
  const update = (change: Parameters<typeof people.customers.update>[2]) =>
    people.customers.update(employee, customerId, change);
  expect((await update({ contacts: contactsOf({ city: 'Oslo' }) })).contacts.owner.city).toBe('Oslo');
  await expect(update({ billing: { billDirectly: true } })).rejects.toMatchObject({
    code: 'forbidden',
    details: [{ path: 'billing.billDirectly' }],
  });
  await expect(update({ markups: { domain: { purchase: tenPercent } } })).rejects.toMatchObject({
    code: 'forbidden',
    details: [{ path: 'markups.domain.purchase.value' }],
  });
  const direct = { ...noBilling, billDirectly: true };
  await expect(create(employee, body({ billing: direct }))).rejects.toMatchObject(code('forbidden'));
  expect((await update({ billing: { billDirectly: false } })).version).toBe(2);
  await expect(people.customers.remove(employee, customerId)).rejects.toMatchObject(code('forbidden'));
});

test('an MSP_CUSTOMER sees and edits the own contacts only, and nothing of markups or payment', async () => {
  const markups = { ...noMarkups, domain: { purchase: tenPercent, renewal: tenPercent } };
  const billing = { billDirectly: true, email: 'pay@example.com', allowChangeBilling: false };
  const own = await create(admin, body({ billing, markups }));
  const other = await create(admin, named('Other'));
  const as = { type: 'MSP_CUSTOMER', authorizedClientId: own.customerId } as const;
  const client = (await people.join(admin, as)).scope;
  const { rows, total } = await listedCustomers(people.customers, client, { pageSize: 50, page: 1 });
  expect(total).toBe(1);
  expect(rows[0]).toMatchObject({ customerId: own.customerId, markups: noMarkups, billing: noBilling });
  await expect(people.customers.get(client, other.customerId)).rejects.toMatchObject(code('not_found'));
  const foreign = people.customers.update(client, other.customerId, { contacts: contactsOf() });
  await expect(foreign).rejects.toMatchObject(code('not_found'));
  const mine = await people.customers.update(client, own.customerId, {
    contacts: contactsOf({ city: 'Oslo' }),
    billing: noBilling,
    markups: noMarkups,
  });
  expect(mine.contacts.owner.city).toBe('Oslo');
  expect(await people.customers.get(admin, own.customerId)).toMatchObject({ billing, markups });
  const settings = people.customers.update(client, own.customerId, { allowDomainSettings: true });
  await expect(settings).rejects.toMatchObject({ details: [{ path: 'allowDomainSettings' }] });
  await expect(create(client)).rejects.toMatchObject(code('forbidden'));
  const stale = people.customers.update(client, own.customerId, { version: 1 });
  await expect(stale).rejects.toMatchObject({ data: { markups: noMarkups, billing: noBilling } });
});

test('a customer with active domains is not deleted, nor one whose order is under way', async () => {
  const customer = await create(admin);
  const address = await giveDomain(admin, customer);
  const remove = () => people.customers.remove(admin, customer.customerId);
  const refusal = { code: 'has_active_domains', message: "Can't delete customers with active domains" };
  await expect(remove()).rejects.toMatchObject(refusal);
  await inTransaction(database.db, admin, (tx) =>
    tx.updateTable('domains').set({ status: 'ended' }).where('address', '=', address).execute(),
  );
  const itemId = await order(admin, customer);
  // It has no domain any more: the words of the other refusal would be about nothing that is to be seen.
  await expect(remove()).rejects.toMatchObject({
    ...refusal,
    message: 'This customer has an order under way. It can be deleted once the order has ended.',
  });
  await inTransaction(database.db, admin, (tx) =>
    tx.updateTable('order_items').set({ state: 'declined' }).where('id', '=', itemId).execute(),
  );
  await remove();
  await expect(remove()).rejects.toMatchObject(code('not_found'));
  await expect(people.customers.get(admin, customer.customerId)).rejects.toMatchObject(code('not_found'));
  expect((await listedCustomers(people.customers, admin, { pageSize: 5 })).rows).toEqual([]);
  // What they had can be looked at, and nothing is ordered for them.
  await visible(admin, customer.customerId);
  const contacts = await inTransaction(database.db, admin, (tx) =>
    people.customers.contactsForOrder(tx, admin, customer.customerId),
  );
  expect(contacts).toBeNull();
});

const visible = (scope: Scope, id: string) =>
  inTransaction(database.db, scope, (tx) => people.customers.requireVisible(tx, scope, id));

test('the lists of a customer that is not there, or is another organization’s, are not found, and not empty', async () => {
  const { scope: other } = await people.organisation();
  const { customerId } = await create(other);
  await visible(other, customerId);
  const { scope: admin } = await people.organisation();
  for (const id of [customerId, newId()]) {
    await expect(visible(admin, id)).rejects.toMatchObject(code('not_found'));
  }
});

async function order(scope: Scope, customer: Customer): Promise<string> {
  const [orderId, itemId] = [newId(), newId()];
  const base = { organisation_id: scope.organisationId };
  await inTransaction(database.db, scope, async (tx) => {
    await people.customers.contactsForOrder(tx, scope, customer.customerId);
    await tx
      .insertInto('orders')
      .values({
        id: orderId,
        ...base,
        user_id: null,
        source: 'cart',
        state: 'held',
        total_cents: 0,
        ended_at: null,
      })
      .execute();
    await sql`INSERT INTO order_items (id, organisation_id, order_id, position, kind, address, customer_id, years,
      price_cents, cost_cents, details, state) VALUES (${itemId}, ${scope.organisationId}, ${orderId}, 0, 'domain',
      ${`${itemId}.com`}, ${customer.customerId}, 1, 0, 0, '{}', 'queued')`.execute(tx);
  });
  return itemId;
}

test('an order that is being written when the deletion comes is seen by it: never both', async () => {
  const customer = await create(admin);
  let finish = () => {};
  const gate = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let locked = () => {};
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const buying = inTransaction(database.db, admin, async (tx) => {
    expect(await people.customers.contactsForOrder(tx, admin, customer.customerId)).toEqual(contactsOf());
    locked();
    await gate;
    await giveDomainIn(tx, admin, customer);
  });
  await isLocked;
  const removing = people.customers.remove(admin, customer.customerId).then(
    () => 'deleted',
    (error) => error.code,
  );
  await Promise.race([blockedSession(), removing]);
  finish();
  await buying;
  expect(await removing).toBe('has_active_domains');
});

type Tx = Parameters<Parameters<typeof inTransaction>[2]>[0];
async function giveDomainIn(tx: Tx, scope: Scope, customer: Customer): Promise<void> {
  await sql`INSERT INTO domains (id, organisation_id, customer_id, address, status) VALUES (${newId()},
    ${scope.organisationId}, ${customer.customerId}, ${`${newId()}.com`}, 'active')`.execute(tx);
}

/** Until a session of this database waits for a lock: the deletion has come as far as it can. */
async function blockedSession(): Promise<void> {
  const waiting = sql`SELECT 1 FROM pg_locks WHERE NOT granted`;
  while ((await waiting.execute(database.systemDb)).rows.length === 0);
}

test("another organisation's customer is as unknown as an invented one, in every call", async () => {
  const { customerId } = await create(admin);
  const foreign = (await people.organisation('Other MSP')).scope;
  const calls = [
    (id: string) => people.customers.get(foreign, id),
    (id: string) => people.customers.update(foreign, id, { contacts: contactsOf() }),
    (id: string) => people.customers.remove(foreign, id),
  ];
  for (const call of calls) {
    const [theirs, invented] = await Promise.all(
      [customerId, newId()].map((id) =>
        call(id).catch((error) => ({ code: error.code, message: error.message })),
      ),
    );
    expect(theirs).toEqual({ code: 'not_found', message: 'This could not be found.' });
    expect(invented).toEqual(theirs);
  }
});

test('row-level security alone hides and protects a foreign customer, without a condition in the query', async () => {
  const { customerId } = await create(admin);
  const foreign = (await people.organisation('Other MSP')).scope;
  await inTransaction(database.db, foreign, async (tx) => {
    expect(await tx.selectFrom('customers').selectAll().execute()).toEqual([]);
    expect(
      await tx.selectFrom('audit_log').select('object').where('object', '=', customerId).execute(),
    ).toEqual([]);
    const changed = await tx.updateTable('customers').set({ deleted_at: new Date() }).executeTakeFirst();
    expect(changed.numUpdatedRows).toBe(0n);
  });
  // Without a tenant nothing shows at all.
  expect(await database.db.selectFrom('customers').selectAll().execute()).toEqual([]);
  const smuggled = inTransaction(database.db, foreign, (tx) =>
    tx
      .insertInto('customers')
      .values({
        id: newId(),
        organisation_id: admin.organisationId,
        owner: JSON.stringify(owner),
        admin: JSON.stringify(owner),
        billing_contact: JSON.stringify(owner),
        markups: JSON.stringify(noMarkups),
        payment_customer_id: null,
        external_id: null,
        deleted_at: null,
      })
      .execute(),
  );
  await expect(smuggled).rejects.toMatchObject({ code: '42501' });
});

test('the scope alone hides a foreign customer, without row-level security', async () => {
  const { customerId } = await create(admin);
  const foreign = (await people.organisation('Other MSP')).scope;
  const { findCustomer } = await import('./customers.repo.ts');
  await database.systemDb.transaction().execute(async (tx) => {
    expect(await findCustomer(tx, foreign, customerId)).toBeUndefined();
    expect(await findCustomer(tx, admin, customerId)).toBeDefined();
    const { listCustomers } = await import('./customer-list.repo.ts');
    expect(await listCustomers(tx, foreign, { pageSize: 50 })).toEqual({ rows: [], total: 0 });
  });
});

test('deleting a customer ends its users and open invitations with it', async () => {
  const { customerId } = await create(admin);
  const as = { type: 'MSP_CUSTOMER', authorizedClientId: customerId } as const;
  const { identity } = await people.join(admin, as);
  await people.users.invites.invite(admin, { email: 'late@example.com', ...as });
  await people.customers.remove(admin, customerId);
  expect(await people.users.loadActor(identity)).toBeNull();
  expect((await people.users.invites.list(admin, { pageSize: 5 })).rows).toEqual([]);
});
