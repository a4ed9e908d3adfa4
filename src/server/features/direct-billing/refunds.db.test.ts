import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { type Billed, createBilled } from '../../../../tests/support/billed.ts';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';
import { systemClock } from '../../kernel/clock.ts';
import { inTransaction, sql, systemTransaction } from '../../kernel/db/database.ts';
import { onFailpoint } from '../../kernel/failpoint.ts';
import type { Scope } from '../../kernel/scope.ts';
import { openCharges } from './charges.repo.ts';
import { openRefunds, wantRefund } from './refunds.repo.ts';

let stand: BillingStand;
let billed: Billed;
beforeAll(async () => {
  stand = await openBillingStand();
  billed = createBilled(stand);
});
afterEach(async () => {
  onFailpoint(null);
  await stand.sandbox.control('webhook-faults', {});
  await stand.sandbox.control('next', null);
});
afterAll(() => stand.close());

const minuteMs = 60_000;
/** As the wallet's refund tells it. */
const refunded = (scope: Scope, itemId = '') =>
  stand.direct.tasks['orders.after-refund']({
    organisationId: scope.organisationId,
    itemId,
    reason: 'the order was declined',
  });
const refundsAt = async (account: string) =>
  (await stand.sandbox.stripe.refunds.list({ limit: 100 }, { stripeAccount: account })).data;
const chargeOf = async (scope: Scope) => (await billed.charges(scope))[0];
const nobody = { customerId: null, paymentMethodId: null };
const certificate = { kind: 'certificate' as const, cents: 2_000 };

test('a certificate that came to nothing is given back to its customer with the markup, once, and shown, with one entry in the log', async () => {
  const { scope, account, customer } = await billed.active();
  const { items } = await billed.bought(scope, customer.customerId, [{}, certificate]);
  await stand.settle();
  expect(await chargeOf(scope)).toMatchObject({ state: 'succeeded', amount: 33.2, refunded: 0 });
  await refunded(scope, items[1]);
  await refunded(scope, items[1]);
  await stand.settle();
  await Promise.all([1, 2, 3].map(() => stand.direct.tasks['direct-billing.sweep']()));
  await stand.settle();
  expect((await refundsAt(account)).map(({ amount }) => amount)).toEqual([20_00]);
  expect(await chargeOf(scope)).toMatchObject({
    state: 'succeeded',
    refunded: 20,
    items: [{ refund: null }, { refund: { state: 'done', amount: 20, error: null } }],
  });
  expect(await logged(stand.database.db, scope, 'direct.refund')).toEqual([
    {
      ...{ by: 'Direct billing', kind: 'direct-charge', object: (await chargeOf(scope))?.chargeId },
      ...{ before: null, after: { cents: 20_00, item: items[1] } },
    },
  ]);
});

test('two items of one charge that came to nothing are both given back', async () => {
  const { scope, account, customer } = await billed.active();
  const { items } = await billed.bought(scope, customer.customerId, [
    certificate,
    { ...certificate, cents: 3_000 },
  ]);
  await stand.settle();
  for (const item of items) await refunded(scope, item);
  await stand.settle();
  expect((await refundsAt(account)).map(({ amount }) => amount).sort()).toEqual([20_00, 30_00]);
  expect(await chargeOf(scope)).toMatchObject({
    items: [{ refund: { state: 'done', error: null } }, { refund: { state: 'done', error: null } }],
  });
});

test.each(['direct-refund.claimed', 'direct-refund.made'])(
  'a crash at %s refunds once after all, even when the provider has forgotten the key',
  async (point) => {
    const { scope, account, customer } = await billed.active();
    const { items } = await billed.bought(scope, customer.customerId, [certificate]);
    await stand.settle();
    await refunded(scope, items[0]);
    onFailpoint((name) => {
      if (name === point) throw new Error('crash');
    });
    await stand.jobs();
    onFailpoint(null);
    expect((await chargeOf(scope))?.items[0]?.refund?.state).toBe('sending');
    // Keys are kept for a day (docs.stripe.com/api/idempotent_requests, checked 2026-11-21).
    await stand.forward(25 * 60 * minuteMs);
    await stand.direct.tasks['direct-billing.sweep']();
    await stand.settle();
    expect(await refundsAt(account)).toHaveLength(1);
    expect(await chargeOf(scope)).toMatchObject({ refunded: 20, items: [{ refund: { state: 'done' } }] });
  },
);

test('what was not charged yet is not charged: alone, and beside other items', async () => {
  const { scope, account, customer } = await billed.active();
  const alone = await billed.bought(scope, customer.customerId, [certificate, { state: 'pending' }]);
  await stand.jobs();
  await refunded(scope, alone.items[0]);
  await stand.jobs();
  expect(await chargeOf(scope)).toMatchObject({ state: 'waived' });
  const both = await billed.bought(scope, customer.customerId, [certificate, {}, { state: 'pending' }]);
  await stand.jobs();
  await refunded(scope, both.items[0]);
  await stand.jobs();
  await stand.forward(16 * minuteMs);
  await stand.settle();
  expect((await billed.paymentsAt(account)).map(({ amount }) => amount)).toEqual([1_320]);
  // Refunded before anybody came to charge it.
  const early = await billed.bought(scope, customer.customerId, [certificate]);
  await refunded(scope, early.items[0]);
  await stand.settle();
  expect(await billed.paymentsAt(account)).toHaveLength(1);
});

test('a bank payment in progress is given back when it has arrived, and not when it never does', async () => {
  for (const arrives of [true, false]) {
    const { scope, account, customer } = await billed.active('pm_usBankAccount_processing');
    const { items } = await billed.bought(scope, customer.customerId, [certificate]);
    await stand.settle();
    await refunded(scope, items[0]);
    await stand.settle();
    const charge = await chargeOf(scope);
    expect(charge?.items[0]?.refund?.state).toBe('wanted');
    const body = { paymentIntent: charge?.paymentId, account };
    await stand.sandbox.control(arrives ? 'settle' : 'fail-payment', body);
    await stand.settle();
    expect(await refundsAt(account)).toHaveLength(arrives ? 1 : 0);
    expect(await chargeOf(scope)).toMatchObject(
      arrives ? { refunded: 20 } : { state: 'waived', refunded: 0 },
    );
  }
});

test('what the MSP gave back itself is not given back twice; a refusal is told to it and shown', async () => {
  const { scope, account, customer } = await billed.active();
  const first = await billed.bought(scope, customer.customerId, [certificate]);
  await stand.settle();
  const paid = (await chargeOf(scope))?.paymentId ?? '';
  await stand.sandbox.stripe.refunds.create({ payment_intent: paid }, { stripeAccount: account });
  await stand.settle();
  await refunded(scope, first.items[0]);
  await stand.settle();
  expect(await refundsAt(account)).toHaveLength(1);
  // It is done, and nothing of it is the portal's doing.
  expect(await chargeOf(scope)).toMatchObject({ items: [{ refund: { state: 'done', amount: 0 } }] });
  const second = await billed.bought(scope, customer.customerId, [certificate]);
  await stand.settle();
  const disputed = (await billed.charges(scope)).find(({ orderId }) => orderId === second.orderId);
  await stand.sandbox.control('webhook-faults', { drop: true });
  await stand.sandbox.control('dispute', { paymentIntent: disputed?.paymentId, account });
  await refunded(scope, second.items[0]);
  await stand.jobs();
  const after = (await billed.charges(scope)).find(({ orderId }) => orderId === second.orderId);
  expect(after?.items[0]?.refund).toMatchObject({ state: 'failed', amount: 20 });
  expect(after?.items[0]?.refund?.error).toMatch(/charged back/);
  const letters = stand.people.letters.filter(({ subject }) => subject.includes('a refund failed'));
  expect(letters.map(({ to }) => to)).toEqual([scope.email]);
});

test.each(['told', 'not told yet'])(
  'what the MSP gave back of a payment itself (%s) is not given back again by guess: a person decides',
  async (told) => {
    const { scope, account, customer } = await billed.active();
    const { items } = await billed.bought(scope, customer.customerId, [certificate, certificate]);
    await stand.settle();
    const paid = (await chargeOf(scope))?.paymentId ?? '';
    if (told !== 'told') await stand.sandbox.control('webhook-faults', { drop: true });
    const byHand = { payment_intent: paid, amount: 20_00 };
    await stand.sandbox.stripe.refunds.create(byHand, { stripeAccount: account });
    if (told === 'told') await stand.settle();
    await refunded(scope, items[0]);
    await stand.jobs();
    await stand.direct.tasks['direct-billing.sweep']();
    expect((await refundsAt(account)).map(({ amount }) => amount)).toEqual([20_00]);
    const error =
      'Something of this payment was refunded outside the portal, and it may have been for this item.';
    expect((await chargeOf(scope))?.items[0]?.refund).toMatchObject({ state: 'failed', amount: 20, error });
    const letters = stand.people.letters.filter(({ to }) => to === scope.email);
    expect(letters.map(({ subject }) => subject)).toEqual(['Direct billing: a refund failed']);
    expect(letters[0]?.text).toContain('unless you have done so already');
  },
);

test('a payment that the MSP gave back whole a moment ago needs nobody: its item is done, and nothing is sent', async () => {
  const { scope, account, customer } = await billed.active();
  const { items } = await billed.bought(scope, customer.customerId, [certificate]);
  await stand.settle();
  const paid = (await chargeOf(scope))?.paymentId ?? '';
  await stand.sandbox.control('webhook-faults', { drop: true });
  await stand.sandbox.stripe.refunds.create({ payment_intent: paid }, { stripeAccount: account });
  await refunded(scope, items[0]);
  await stand.jobs();
  expect(await refundsAt(account)).toHaveLength(1);
  // What went back is read along.
  expect(await chargeOf(scope)).toMatchObject({
    ...{ refunded: 20, items: [{ refund: { state: 'done', amount: 0, error: null } }] },
  });
  expect(stand.people.letters.filter(({ to }) => to === scope.email)).toEqual([]);
  expect(await logged(stand.database.db, scope, 'direct.refund')).toEqual([]);
});

test('a declined charge is tried again without what came to nothing since: nobody pays for it, not even for a day', async () => {
  const { scope, account, customer } = await billed.active('pm_card_chargeCustomerFail');
  const { items } = await billed.bought(scope, customer.customerId, [certificate, {}]);
  await stand.settle();
  expect(await chargeOf(scope)).toMatchObject({ state: 'failed', amount: 33.2 });
  await refunded(scope, items[0]);
  await stand.jobs();
  expect(await chargeOf(scope)).toMatchObject({ state: 'failed', amount: 13.2, items: [{ refund: null }] });
  expect((await chargeOf(scope))?.note).toMatch(/^Not charged: .*\.com, the order was declined$/);
  await billed.storeMethod(account, customer, 'pm_card_visa');
  expect(await chargeOf(scope)).toMatchObject({ state: 'succeeded', amount: 13.2, refunded: 0 });
  const made = await billed.paymentsAt(account);
  expect(made.map(({ amount, status }) => [amount, status])).toEqual([[1_320, 'succeeded']]);
  expect(await refundsAt(account)).toEqual([]);
});

test('a charge whose payment has another amount is not given up for an item that came to nothing: a person decides', async () => {
  const { scope, account, customer } = await billed.active();
  const { items } = await billed.bought(scope, customer.customerId, [certificate, {}]);
  await stand.settle();
  const { chargeId = '', paymentId } = (await chargeOf(scope)) ?? {};
  // As a restore leaves it: the second item, and that anything was sent, is lost.
  const { systemDb } = stand.database;
  const gone = items[1] ?? '';
  await systemDb.deleteFrom('direct_charge_items').where('item_id', '=', gone).execute();
  const lost = {
    state: 'collecting' as const,
    cents: 20_00,
    attempt: 0,
    payment_intent: null,
    sent_at: null,
  };
  await systemDb.updateTable('direct_charges').set(lost).where('id', '=', chargeId).execute();
  // Later than what was confirmed in the same moment goes with it.
  await stand.forward(2 * minuteMs);
  await stand.direct.charges.run({ organisationId: scope.organisationId, chargeId });
  expect(await chargeOf(scope)).toMatchObject({ state: 'failed', amount: 20, paymentId });
  await refunded(scope, items[0]);
  await stand.settle();
  await stand.direct.tasks['direct-billing.sweep']();
  await stand.settle();
  const error = expect.stringContaining('another amount');
  expect(await chargeOf(scope)).toMatchObject({
    ...{ state: 'failed', amount: 20, error, nextTryAt: null, note: null },
    items: [{ refund: { state: 'failed', amount: 20, error } }],
  });
  const letters = stand.people.letters.filter(({ to }) => to === scope.email);
  expect(letters.map(({ subject }) => subject)).toEqual(['Direct billing: a refund failed']);
  expect(letters[0]?.text).toContain(paymentId);
  expect((await billed.paymentsAt(account)).map(({ amount }) => amount)).toEqual([33_20]);
  expect(await refundsAt(account)).toEqual([]);
});

test('a declined charge that was paid after all, of which nobody heard, is given back', async () => {
  const { scope, account, customer } = await billed.active('pm_card_chargeCustomerFail');
  const { items } = await billed.bought(scope, customer.customerId, [certificate]);
  await stand.settle();
  const { paymentId = null } = (await chargeOf(scope)) ?? {};
  await stand.sandbox.control('webhook-faults', { drop: true });
  await stand.sandbox.stripe.paymentIntents.confirm(
    paymentId ?? '',
    { payment_method: 'pm_card_visa' },
    { stripeAccount: account },
  );
  await refunded(scope, items[0]);
  await stand.jobs();
  expect(await chargeOf(scope)).toMatchObject({
    ...{ state: 'succeeded', paymentId, refunded: 20, error: null, nextTryAt: null },
    items: [{ refund: { state: 'done', amount: 20 } }],
  });
  expect((await refundsAt(account)).map(({ amount }) => amount)).toEqual([20_00]);
});

test('a declined charge that is paid later by the amount of before is a person’s: it is not tried again by itself', async () => {
  const { scope, account, customer } = await billed.active('pm_card_chargeCustomerFail');
  const { items } = await billed.bought(scope, customer.customerId, [certificate, {}]);
  await stand.settle();
  await refunded(scope, items[0]);
  await stand.jobs();
  const before = await chargeOf(scope);
  expect(before).toMatchObject({ state: 'failed', amount: 13.2, nextTryAt: expect.any(String) });
  await stand.sandbox.stripe.paymentIntents.confirm(
    before?.paymentId ?? '',
    { payment_method: 'pm_card_visa' },
    { stripeAccount: account },
  );
  await stand.settle();
  const error = expect.stringContaining('another amount');
  expect(await chargeOf(scope)).toMatchObject({ state: 'failed', amount: 13.2, nextTryAt: null, error });
  await refunded(scope, items[1]);
  await stand.settle();
  expect(await chargeOf(scope)).toMatchObject({ state: 'failed', items: [{ refund: { state: 'failed' } }] });
});

test('a failed charge is neither given up nor charged while the provider does not say what it has of it', async () => {
  const { scope, customer } = await billed.active('pm_card_chargeCustomerFail');
  const { items } = await billed.bought(scope, customer.customerId, [certificate]);
  await stand.settle();
  await stand.sandbox.control('next', {
    ...{ method: 'GET', path: '/v1/payment_intents', effect: '500-before', times: 40 },
  });
  await refunded(scope, items[0]);
  await stand.jobs();
  expect(await chargeOf(scope)).toMatchObject({ state: 'failed', note: null });
  await stand.sandbox.control('next', null);
  await stand.forward(25 * minuteMs);
  await stand.direct.tasks['direct-billing.sweep']();
  expect(await chargeOf(scope)).toMatchObject({ state: 'waived', items: [{ refund: { state: 'none' } }] });
});

test('a refund that the customer’s bank returns is told to the MSP once, and shown; nothing is sent again', async () => {
  const { scope, account, customer } = await billed.active();
  const { items } = await billed.bought(scope, customer.customerId, [certificate, {}]);
  await stand.settle();
  await refunded(scope, items[0]);
  await stand.settle();
  const paid = (await chargeOf(scope))?.paymentId ?? '';
  // One more by hand, on the provider's dashboard.
  await stand.sandbox.stripe.refunds.create(
    { payment_intent: paid, amount: 5_00 },
    { stripeAccount: account },
  );
  await stand.settle();
  expect(await chargeOf(scope)).toMatchObject({ refunded: 25, returned: 0 });
  const made = await refundsAt(account);
  const letters = () => stand.people.letters.filter(({ subject }) => subject.includes('refund was returned'));
  const ours = made.find(({ metadata }) => metadata?.item);
  for (const [refund, told] of [ours, made.find(({ id }) => id !== ours?.id)].map(
    (one, at) => [one, at + 1] as const,
  )) {
    await stand.sandbox.control('fail-refund', { refund: refund?.id, account });
    await stand.settle();
    // Late news about the same payment is one reading more of it.
    await stand.direct.onEvent(account, { ...nobody, type: 'refund.updated', objectId: paid });
    await stand.settle();
    expect(letters()).toHaveLength(told);
  }
  expect(letters().map(({ to, text }) => [to, text.split(' ')[0]])).toEqual([
    [scope.email, '$20.00'],
    [scope.email, '$5.00'],
  ]);
  expect(await chargeOf(scope)).toMatchObject({
    state: 'succeeded',
    refunded: 0,
    returned: 25,
    items: [
      { refund: { state: 'failed', amount: 20, error: 'The card is expired or cancelled.' } },
      { refund: null },
    ],
  });
  expect(await refundsAt(account)).toHaveLength(2);
});

test('what is in the hands of another process is judged by when the database saw it claimed, whatever the clocks of processes say', async () => {
  const { scope, customer } = await billed.active();
  const { items } = await billed.bought(scope, customer.customerId, [{}]);
  await stand.settle();
  const chargeId = (await billed.charges(scope))[0]?.chargeId ?? '';
  const itemId = items[0] ?? '';
  const { systemDb } = stand.database;
  await inTransaction(stand.database.db, scope, (tx) =>
    wantRefund(tx, { ...scope, itemId }, 'gone', new Date()),
  );
  const minutes = (count: number) => sql<Date>`clock_timestamp() + ${count} * interval '1 minute'`;
  const claimed = async (claimedAt: number, updatedAt: number) => {
    const row = { state: 'sending' as const, claimed_at: minutes(claimedAt), updated_at: minutes(updatedAt) };
    await systemDb.updateTable('direct_charges').set(row).where('id', '=', chargeId).execute();
    await systemDb.updateTable('direct_refunds').set(row).where('item_id', '=', itemId).execute();
    return systemTransaction(systemDb, async (tx) => ({
      charge: (await openCharges(tx, systemClock, 120_000)).some(({ id }) => id === chargeId),
      refund: (await openRefunds(tx, systemClock, 120_000)).some((refund) => refund.itemId === itemId),
    }));
  };
  expect(await claimed(0, -60)).toEqual({ charge: false, refund: false });
  expect(await claimed(-10, 60)).toEqual({ charge: true, refund: true });
});
