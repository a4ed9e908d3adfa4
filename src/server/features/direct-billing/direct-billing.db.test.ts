import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { type Billed, createBilled } from '../../../../tests/support/billed.ts';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';
import type { Customer } from '../../../contracts/operations/customers.ts';
import { createDatabase, inTransaction, sql } from '../../kernel/db/database.ts';
import { onFailpoint } from '../../kernel/failpoint.ts';
import type { Scope } from '../../kernel/scope.ts';
import { setPaymentMethod } from '../customers/index.ts';

let stand: BillingStand;
let msp: Billed['msp'];
let customerOf: Billed['customerOf'];
let storeMethod: Billed['storeMethod'];
let active: Billed['active'];
let bought: Billed['bought'];
let confirmed: Billed['confirmed'];
let charges: Billed['charges'];
let paymentsAt: Billed['paymentsAt'];
beforeAll(async () => {
  stand = await openBillingStand();
  ({ msp, customerOf, storeMethod, active, bought, confirmed, charges, paymentsAt } = createBilled(stand));
});
afterEach(async () => {
  onFailpoint(null);
  await stand.sandbox.control('webhook-faults', {});
  expect(await stand.faults()).toEqual([]);
});
afterAll(() => stand.close());

const dayMs = 86_400_000;
const organisationName = async ({ organisationId }: Scope) => {
  const { db } = stand.database;
  const found = await inTransaction(db, { organisationId }, (tx) =>
    tx.selectFrom('organisations').select('name').where('id', '=', organisationId).executeTakeFirstOrThrow(),
  );
  return found.name;
};
const chip = async (scope: Scope, customer: Customer) =>
  (await stand.customers.get(scope, customer.customerId)).paymentMethodSet;

test('saving with direct billing makes the customer known to the provider, once, at its first saving', async () => {
  const { scope, account } = await msp();
  const customer = await customerOf(scope);
  expect(customer.billing.stripeId).toMatch(/^cus_/);
  await stand.customers.update(scope, customer.customerId, { billing: { email: 'other@customer.test' } });
  await stand.forward(60_000);
  await stand.jobs();
  const list = await stand.sandbox.stripe.customers.list({ limit: 100 }, { stripeAccount: account });
  expect(list.data).toHaveLength(1);
});

test('customers saved before there was an account are connected when it becomes ready', async () => {
  const scope = await stand.organisation();
  const early = await customerOf(scope);
  expect(early.billing.stripeId).toBeNull();
  await stand.billing.accounts.setupLink(scope);
  const { id } = await stand.billing.accounts.refresh(scope);
  await stand.sandbox.control('account-finish', { account: id });
  await stand.settle();
  expect((await stand.customers.get(scope, early.customerId)).billing.stripeId).toMatch(/^cus_/);
});

test('the mailed link leads to the provider’s page, and the chip follows what is stored there', async () => {
  const { scope, account } = await msp();
  const customer = await customerOf(scope);
  await stand.direct.links.resend(scope, customer.billing.stripeId ?? '');
  await stand.jobs();
  const letter = stand.people.letters.findLast(({ to }) => to === 'pay@customer.test');
  const token = /payment-setup\/([\w-]{43})/.exec(letter?.text ?? '')?.[1] ?? '';
  expect(await stand.direct.links.state(token)).toMatchObject({ state: 'open' });
  const { url } = await stand.direct.links.open(token);
  expect(url).toContain('/checkout/cs_');
  expect(await chip(scope, customer)).toBe(false);
  await storeMethod(account, customer, 'pm_card_visa');
  expect(await chip(scope, customer)).toBe(true);
  expect(await stand.direct.links.state(token)).toMatchObject({ state: 'done' });
  const [method] = (
    await stand.sandbox.stripe.customers.listPaymentMethods(
      customer.billing.stripeId ?? '',
      {},
      { stripeAccount: account },
    )
  ).data;
  await stand.sandbox.control('detach', { paymentMethod: method?.id, account });
  await stand.settle();
  expect(await chip(scope, customer)).toBe(false);
});

test('a setup link is sent three times an hour, to customers of the own organization only, and ends after a week', async () => {
  const { scope } = await msp();
  const stranger = await stand.organisation();
  const customer = await customerOf(scope);
  const stripeId = customer.billing.stripeId ?? '';
  await expect(stand.direct.links.resend(stranger, stripeId)).rejects.toMatchObject({ code: 'not_found' });
  for (let time = 0; time < 3; time += 1) await stand.direct.links.resend(scope, stripeId);
  await expect(stand.direct.links.resend(scope, stripeId)).rejects.toMatchObject({ code: 'rate_limited' });
  await stand.jobs();
  const letter = stand.people.letters.findLast(({ to }) => to === 'pay@customer.test');
  const token = /payment-setup\/([\w-]{43})/.exec(letter?.text ?? '')?.[1] ?? '';
  await stand.forward(7 * dayMs + 1);
  expect(await stand.direct.links.state(token)).toMatchObject({ state: 'expired' });
  await expect(stand.direct.links.open(token)).rejects.toMatchObject({ code: 'unprocessable' });
  await expect(stand.direct.links.state('x'.repeat(43))).rejects.toMatchObject({ code: 'not_found' });
});

test('a lost event about a stored method is made up for by the sweep', async () => {
  const { scope, account } = await msp();
  const customer = await customerOf(scope);
  await stand.settle();
  await stand.sandbox.control('webhook-faults', { drop: true });
  await storeMethod(account, customer, 'pm_card_visa');
  expect(await chip(scope, customer)).toBe(false);
  await stand.direct.tasks['direct-billing.sweep-methods']();
  expect(await chip(scope, customer)).toBe(true);
});

test('one charge for purchase and customer: prices plus markup, rounded per item, on the MSP’s account', async () => {
  const { scope, account, customer } = await active();
  await bought(scope, customer.customerId, [
    { cents: 1231 },
    { cents: 1015 },
    { kind: 'renewal', cents: 900 },
  ]);
  await stand.settle();
  // 12.31 + 1.23 (1.231), 10.15 + 1.02 (1.015, half up), 9.00 + 2.50
  const [charge, ...others] = await charges(scope);
  expect(others).toEqual([]);
  expect(charge).toMatchObject({ amount: 36.21, state: 'succeeded', attempts: 1 });
  const made = await paymentsAt(account);
  expect(made).toHaveLength(1);
  expect(made[0]).toMatchObject({
    amount: 3621,
    status: 'succeeded',
    metadata: { charge: charge?.chargeId },
  });
});

test('the same confirmation told five times, and five workers at once, charge once', async () => {
  const { scope, account, customer } = await active();
  const { items } = await bought(scope, customer.customerId, [{}]);
  await inTransaction(stand.database.db, scope, async (tx) => {
    for (let time = 0; time < 4; time += 1) await confirmed(tx, scope, items[0] ?? '');
  });
  await stand.jobs();
  const [charge] = await charges(scope);
  const run = () =>
    stand.direct.charges.run({ organisationId: scope.organisationId, chargeId: charge?.chargeId ?? '' });
  await Promise.all([run(), run(), run(), run(), run()]);
  expect(await paymentsAt(account)).toHaveLength(1);
});

test('two items confirmed in one moment are one charge, though the job of the second comes late', async () => {
  const { scope, account, customer } = await active();
  const { items } = await bought(scope, customer.customerId, [{}, { kind: 'renewal', cents: 900 }]);
  const { organisationId } = scope;
  await stand.direct.charges.collect(organisationId, items[0] ?? '');
  const [charge] = await charges(scope);
  await stand.direct.charges.run({ organisationId, chargeId: charge?.chargeId ?? '' });
  await stand.settle();
  expect(await charges(scope)).toMatchObject([{ amount: 24.7, state: 'succeeded' }]);
  expect((await paymentsAt(account)).map(({ amount }) => amount)).toEqual([24_70]);
});

test('nobody is charged whose chip is not Active', async () => {
  const { scope, account } = await msp();
  const pending = await customerOf(scope);
  await bought(scope, pending.customerId, [{}]);
  const { customer: plain } = await active();
  await stand.settle();
  expect(await charges(scope)).toEqual([]);
  expect(await paymentsAt(account)).toEqual([]);
  expect(plain.billing.billDirectly).toBe(true);
});

test('a transfer that takes days is charged by itself when it completes', async () => {
  const { scope, account, customer } = await active();
  const { items } = await bought(scope, customer.customerId, [
    {},
    { kind: 'transfer', state: 'pending', cents: 1300 },
  ]);
  await stand.jobs();
  expect(await paymentsAt(account)).toEqual([]);
  for (let minute = 0; minute < 16; minute += 1) {
    await stand.forward(60_000);
    await stand.jobs();
  }
  expect(await paymentsAt(account)).toHaveLength(1);
  await inTransaction(stand.database.db, scope, async (tx) => {
    await tx
      .updateTable('order_items')
      .set({ state: 'succeeded' })
      .where('id', '=', items[1] ?? '')
      .execute();
    await tx.updateTable('orders').set({ state: 'settled' }).execute();
    await confirmed(tx, scope, items[1] ?? '');
  });
  await stand.jobs();
  expect((await charges(scope)).map(({ amount, state }) => [amount, state])).toEqual([
    [13.2, 'succeeded'],
    [14.3, 'succeeded'],
  ]);
});

test('a decline becomes a receivable that both sides hear of, and a new method pays it with the same payment', async () => {
  const { scope, account, customer } = await active('pm_card_chargeCustomerFail');
  await bought(scope, customer.customerId, [{}]);
  await stand.settle();
  const [open] = await charges(scope);
  expect(open).toMatchObject({ state: 'failed', amount: 13.2, attempts: 1 });
  expect(open?.error).toMatch(/declined/i);
  expect(Date.parse(open?.nextTryAt ?? '') - stand.clock.now().getTime()).toBeGreaterThan(dayMs - 60_000);
  const letters = stand.people.letters.filter(({ messageId }) => messageId.includes(open?.chargeId ?? '-'));
  expect(letters.map(({ to }) => to).sort()).toEqual(['pay@customer.test', scope.email].sort());
  // The customer knows the MSP, not the operator of the portal.
  expect(letters.find(({ to }) => to === 'pay@customer.test')).toMatchObject({
    inItsName: true,
    brand: { name: await organisationName(scope) },
    text: expect.stringContaining('https://portal.test/payment-setup/'),
  });
  expect(letters.find(({ to }) => to === scope.email)).toMatchObject({ inItsName: false });
  await stand.forward(dayMs + 60_000);
  await stand.settle();
  expect((await charges(scope))[0]).toMatchObject({ state: 'failed', attempts: 2 });
  await storeMethod(account, customer, 'pm_card_visa');
  expect((await charges(scope))[0]).toMatchObject({ state: 'succeeded', attempts: 3 });
  const made = await paymentsAt(account);
  expect(made).toHaveLength(1);
  expect(made[0]).toMatchObject({ status: 'succeeded', amount: 1320 });
});

test('each try of a charge is in the log under the job’s name', async () => {
  const { scope, account, customer } = await active('pm_card_chargeCustomerFail');
  const { orderId } = await bought(scope, customer.customerId, [{}]);
  await stand.settle();
  await storeMethod(account, customer, 'pm_card_visa');
  const [charge] = await charges(scope);
  const entry = (attempt: number) => ({
    ...{ by: 'Direct billing', kind: 'direct-charge', object: charge?.chargeId, before: null },
    after: { cents: 13_20, try: attempt, order: orderId },
  });
  expect(await logged(stand.database.db, scope, 'direct.charge')).toEqual([entry(1), entry(2)]);
});

test('the tries end after 1, 3, 5 and 7 days; then a person decides', async () => {
  const { scope, customer } = await active('pm_card_chargeCustomerFail');
  await bought(scope, customer.customerId, [{}]);
  await stand.settle();
  for (let day = 0; day < 20; day += 1) {
    await stand.forward(dayMs + 60_000);
    await stand.jobs();
  }
  const [open] = await charges(scope);
  expect(open).toMatchObject({ state: 'failed', attempts: 5, nextTryAt: null });
  await stand.direct.retry(scope, open?.chargeId ?? '');
  await stand.jobs();
  expect((await charges(scope))[0]).toMatchObject({ state: 'failed', attempts: 6 });
  await stand.direct.settle(scope, open?.chargeId ?? '', 'Paid by bank transfer');
  expect((await charges(scope))[0]).toMatchObject({ state: 'waived', note: 'Paid by bank transfer' });
  await expect(stand.direct.retry(scope, open?.chargeId ?? '')).rejects.toMatchObject({
    code: 'unprocessable',
  });
  const stranger = await stand.organisation();
  await expect(stand.direct.settle(stranger, open?.chargeId ?? '', 'x')).rejects.toMatchObject({
    code: 'not_found',
  });
});

test.each(['direct-charge.claimed', 'direct-charge.made'])(
  'a crash at %s charges once after all, and the try is in the log once',
  async (point) => {
    const { scope, account, customer } = await active();
    await stand.sandbox.control('webhook-faults', { drop: true });
    await bought(scope, customer.customerId, [{}]);
    onFailpoint((name) => {
      if (name === point) throw new Error('crash');
    });
    await stand.jobs();
    onFailpoint(null);
    expect((await charges(scope))[0]?.state).toBe('sending');
    await stand.forward(3 * 60_000);
    await stand.direct.charges.sweep();
    await stand.settle();
    expect((await charges(scope))[0]).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await paymentsAt(account)).toHaveLength(1);
    expect(await logged(stand.database.db, scope, 'direct.charge')).toHaveLength(1);
  },
);

test.each(['reset-before', 'reset-after', '500-after'])(
  'a charge whose answer is lost (%s) is made once',
  async (effect) => {
    const { scope, account, customer } = await active();
    await bought(scope, customer.customerId, [{}]);
    // The SDK repeats by itself: three times the same fate is a lost answer.
    await stand.sandbox.control('next', {
      method: 'POST',
      path: '/v1/payment_intents',
      effect,
      times: 4,
    });
    await stand.jobs();
    await stand.sandbox.control('next', null);
    await stand.forward(5 * 60_000);
    await stand.direct.charges.sweep();
    await stand.settle();
    expect((await charges(scope))[0]).toMatchObject({ state: 'succeeded' });
    expect(await paymentsAt(account)).toHaveLength(1);
  },
);

test('a repeat whose answer is lost while the customer changes the method goes on with the new one, once', async () => {
  const { scope, account, customer } = await active('pm_card_chargeCustomerFail');
  await bought(scope, customer.customerId, [{}]);
  await stand.settle();
  await stand.forward(dayMs + 60_000);
  onFailpoint((name) => {
    if (name === 'direct-charge.made') throw new Error('crash');
  });
  await stand.jobs();
  onFailpoint(null);
  expect((await charges(scope))[0]).toMatchObject({ state: 'sending', attempts: 2 });
  await storeMethod(account, customer, 'pm_card_visa');
  await stand.forward(5 * 60_000);
  await stand.direct.charges.sweep();
  await stand.settle();
  expect((await charges(scope))[0]).toMatchObject({ state: 'succeeded', amount: 13.2 });
  const made = await paymentsAt(account);
  expect(made.map(({ status }) => status)).toEqual(['succeeded']);
});

/** As a restore leaves it: what was written about the charges of this organization is gone. The owner of the tables may do that. */
async function loseCharges({ organisationId }: Scope): Promise<void> {
  const owner = createDatabase({ url: stand.database.url, maxConnections: 1 });
  for (const table of ['direct_takings', 'direct_charge_items', 'direct_charges']) {
    await sql`DELETE FROM ${sql.table(table)} WHERE organisation_id = ${organisationId}`.execute(owner);
  }
  await owner.destroy();
}

test.each([
  ['within a day', 60_000],
  ['when the provider has forgotten the key', 2 * dayMs],
])(
  'a charge that a restored database knows nothing of is found, not made again, %s',
  async (_when, laterMs) => {
    const { scope, account, customer } = await active();
    const { items } = await bought(scope, customer.customerId, [{}]);
    await stand.settle();
    const [before] = await charges(scope);
    await loseCharges(scope);
    await stand.forward(laterMs);
    await inTransaction(stand.database.db, scope, (tx) => confirmed(tx, scope, items[0] ?? ''));
    await stand.settle();
    const after = await charges(scope);
    expect(after).toMatchObject([
      { chargeId: before?.chargeId, paymentId: before?.paymentId, state: 'succeeded', amount: 13.2 },
    ]);
    expect(await paymentsAt(account)).toHaveLength(1);
  },
);

test('a lost charge of another amount is a person’s: nothing is charged on top of it', async () => {
  const { scope, account, customer } = await active();
  const { items, orderId } = await bought(scope, customer.customerId, [{}, { state: 'declined' }]);
  await stand.settle();
  await loseCharges(scope);
  await inTransaction(stand.database.db, scope, async (tx) => {
    await tx.updateTable('order_items').set({ state: 'succeeded' }).where('order_id', '=', orderId).execute();
    for (const id of items) await confirmed(tx, scope, id);
  });
  await stand.settle();
  expect(await charges(scope)).toMatchObject([
    { state: 'failed', nextTryAt: null, error: expect.stringContaining('another amount') },
  ]);
  const made = await paymentsAt(account);
  expect(made).toHaveLength(1);
  // Who decides sees which payment it is.
  expect((await charges(scope))[0]?.paymentId).toBe(made[0]?.id);
});

test('a charge whose answer was lost is paid, though the method was removed before anybody looked', async () => {
  const { scope, account, customer } = await active();
  await stand.sandbox.control('webhook-faults', { drop: true });
  await bought(scope, customer.customerId, [{}]);
  onFailpoint((name) => {
    if (name === 'direct-charge.made') throw new Error('crash');
  });
  await stand.jobs();
  onFailpoint(null);
  await inTransaction(stand.database.db, scope, (tx) =>
    setPaymentMethod(tx, customer.customerId, { id: null }),
  );
  await stand.forward(3 * 60_000);
  await stand.direct.charges.sweep();
  expect(await charges(scope)).toMatchObject([{ state: 'succeeded', attempts: 1 }]);
  expect(await paymentsAt(account)).toHaveLength(1);
});

test('a bank payment is in processing, and one that fails days later becomes a receivable', async () => {
  const { scope, account, customer } = await active('pm_usBankAccount_processing');
  await bought(scope, customer.customerId, [{}]);
  await stand.settle();
  const [charge] = await charges(scope);
  expect(charge?.state).toBe('processing');
  await stand.sandbox.control('fail-payment', { paymentIntent: charge?.paymentId, account });
  await stand.settle();
  expect((await charges(scope))[0]).toMatchObject({ state: 'failed', attempts: 1 });
});

test('a refund on the MSP’s dashboard and a dispute are recorded', async () => {
  const { scope, account, customer } = await active();
  await bought(scope, customer.customerId, [{}]);
  await stand.settle();
  const [charge] = await charges(scope);
  await stand.sandbox.stripe.refunds.create(
    { payment_intent: charge?.paymentId ?? '', amount: 500 },
    { stripeAccount: account },
  );
  await stand.settle();
  expect((await charges(scope))[0]).toMatchObject({ state: 'succeeded', refunded: 5 });
  await stand.sandbox.control('dispute', { paymentIntent: charge?.paymentId, account, amountCents: 820 });
  await stand.settle();
  expect((await charges(scope))[0]).toMatchObject({ state: 'succeeded', refunded: 13.2 });
});
