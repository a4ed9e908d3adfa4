import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { type Billed, createBilled } from '../../../../tests/support/billed.ts';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';
import type { Scope } from '../../kernel/scope.ts';

/** A customer who disputed a payment is charged no more by itself, until the MSP's staff say so or the dispute is won. */

let stand: BillingStand;
let billed: Billed;
beforeAll(async () => {
  stand = await openBillingStand();
  billed = createBilled(stand);
});
afterEach(async () => {
  vi.restoreAllMocks();
  expect(await stand.faults()).toEqual([]);
});
afterAll(() => stand.close());

type Active = Awaited<ReturnType<Billed['active']>>;
const dayMs = 86_400_000;
const stopped = {
  state: 'failed',
  nextTryAt: null,
  error: 'The customer disputed a payment. Nothing more is charged until you allow it.',
};

/** Buys something for the customer, which is charged as far as it may be. */
async function buy({ scope, customer }: Pick<Active, 'scope' | 'customer'>) {
  const { orderId } = await billed.bought(scope, customer.customerId, [{ kind: 'renewal' }]);
  await stand.settle();
  return chargeOf(scope, orderId);
}

async function chargeOf(scope: Scope, orderId: string) {
  const found = (await billed.charges(scope)).find((each) => each.orderId === orderId);
  if (!found) throw new Error('nothing was to be charged');
  return found;
}

async function dispute({ account }: Pick<Active, 'account'>, paymentId: string | null, more: object = {}) {
  const made = await stand.sandbox.control('dispute', { paymentIntent: paymentId, account, ...more });
  await stand.settle();
  return (made as { id: string }).id;
}

/** A customer who has paid once. */
async function paying() {
  const there = await billed.active();
  return { ...there, paid: await buy(there) };
}

/** A customer who has paid once and disputed it. */
async function disputing() {
  const there = await paying();
  return { ...there, disputeId: await dispute(there, there.paid.paymentId) };
}

const lettersAbout = (scope: Scope, text: string) =>
  stand.people.letters.filter(({ to, subject }) => to === scope.email && subject.includes(text));

test('is charged nothing more: what they renew stays open, the staff read why, and the customer is asked for nothing', async () => {
  const there = await disputing();
  const before = stand.people.letters.length;
  expect(await buy(there)).toMatchObject(stopped);
  expect(await billed.paymentsAt(there.account)).toHaveLength(1);
  const letters = stand.people.letters.slice(before);
  expect(letters.map(({ to }) => to)).toEqual([there.scope.email]);
  expect(letters[0]?.text).toContain('The customer disputed a payment.');
  await stand.forward(8 * dayMs);
  await stand.direct.charges.sweep();
  await stand.settle();
  expect(await billed.paymentsAt(there.account)).toHaveLength(1);
});

test('the staff get one letter of a dispute, however often it is told, and see it in the list', async () => {
  const there = await disputing();
  const { scope, account, paid } = there;
  await stand.direct.charges.refreshPayment(account, paid.paymentId ?? '');
  await stand.settle();
  const [letter, ...others] = lettersAbout(scope, 'disputed a payment');
  expect(others).toEqual([]);
  expect(letter?.text).toContain(`$14.50 of the payment ${paid.paymentId}`);
  expect(await chargeOf(scope, paid.orderId)).toMatchObject({
    ...{ state: 'succeeded', refunded: 14.5, disputed: 14.5, stopsCharges: true },
  });
  const list = (stopping: boolean) => stand.direct.list(scope, { pageSize: 9, stopping });
  expect([(await list(true)).total, (await list(false)).total]).toEqual([1, 0]);
});

test('an inquiry of the bank, an early warning of fraud and a refund stop nothing', async () => {
  const there = await paying();
  await dispute(there, there.paid.paymentId, { inquiry: true });
  await stand.direct.onEvent(there.account, {
    ...{ type: 'radar.early_fraud_warning.created', objectId: there.paid.paymentId },
    ...{ customerId: null, paymentMethodId: null },
  });
  const second = await buy(there);
  expect(second).toMatchObject({ state: 'succeeded' });
  await stand.sandbox.stripe.refunds.create(
    { payment_intent: second.paymentId ?? '' },
    { stripeAccount: there.account },
  );
  await stand.settle();
  expect(await buy(there)).toMatchObject({ state: 'succeeded' });
  expect(lettersAbout(there.scope, 'disputed')).toEqual([]);
});

test('a charge that was prepared before the dispute is stopped by the last look before the wire', async () => {
  const there = await paying();
  const { scope, account, customer, paid } = there;
  const find = stand.payments.findConnected;
  const asked = vi.spyOn(stand.payments, 'findConnected').mockImplementationOnce(async (...about) => {
    // The charge is claimed, and what is sent is decided.
    await stand.sandbox.control('dispute', { paymentIntent: paid.paymentId, account });
    await stand.direct.charges.refreshPayment(account, paid.paymentId ?? '');
    return find(...about);
  });
  const { orderId } = await billed.bought(scope, customer.customerId, [{}]);
  await stand.settle();
  expect(asked).toHaveBeenCalledTimes(1);
  expect(await billed.paymentsAt(account)).toHaveLength(1);
  expect(await chargeOf(scope, orderId)).toMatchObject({ state: 'sending' });
  // The process that takes it up asks the provider first, finds nothing, and leaves it to the staff.
  await stand.forward(5 * 60_000);
  await stand.direct.charges.sweep();
  await stand.settle();
  expect(await chargeOf(scope, orderId)).toMatchObject(stopped);
  expect(await billed.paymentsAt(account)).toHaveLength(1);
});

test('a charge that was made before the dispute, and whose answer was lost, counts as paid all the same', async () => {
  const there = await paying();
  const { scope, account, customer, paid } = there;
  const effect = { method: 'POST', path: '/v1/payment_intents', effect: 'reset-after', times: 4 };
  await stand.sandbox.control('webhook-faults', { drop: true });
  await stand.sandbox.control('next', effect);
  const { orderId } = await billed.bought(scope, customer.customerId, [{}]);
  await stand.jobs();
  await stand.sandbox.control('next', null);
  await stand.sandbox.control('webhook-faults', {});
  await dispute(there, paid.paymentId);
  await stand.forward(5 * 60_000);
  await stand.direct.charges.sweep();
  await stand.settle();
  expect(await chargeOf(scope, orderId)).toMatchObject({ state: 'succeeded', stopsCharges: false });
  expect(await billed.paymentsAt(account)).toHaveLength(2);
});

test('one that was declined before is not tried again when its day comes, and not by another stored method', async () => {
  const there = await billed.active('pm_card_chargeCustomerFail');
  const { scope, account, customer } = there;
  const declined = await buy(there);
  expect(declined).toMatchObject({ state: 'failed', attempts: 1 });
  await billed.storeMethod(account, customer, 'pm_card_visa');
  const paid = await chargeOf(scope, declined.orderId);
  expect(paid).toMatchObject({ state: 'succeeded' });
  await billed.storeMethod(account, customer, 'pm_card_chargeCustomerFail');
  const second = await buy(there);
  expect(second.nextTryAt).not.toBeNull();
  await dispute(there, paid.paymentId);
  await billed.storeMethod(account, customer, 'pm_card_visa');
  expect(await chargeOf(scope, second.orderId)).toMatchObject({ state: 'failed', attempts: 1 });
  await stand.forward(dayMs + 60_000);
  await stand.jobs();
  expect(await chargeOf(scope, second.orderId)).toMatchObject(stopped);
  expect((await billed.paymentsAt(account)).filter(({ status }) => status === 'succeeded')).toHaveLength(1);
});

test('nobody tries one again by hand before charges are allowed', async () => {
  const there = await disputing();
  const open = await buy(there);
  await expect(stand.direct.retry(there.scope, open.chargeId)).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('disputed a payment'),
  });
  await stand.settle();
  expect(await billed.paymentsAt(there.account)).toHaveLength(1);
});

test('once the staff allow charges, what waited is charged, and the next as well; the log has it', async () => {
  const there = await disputing();
  const { scope, account, paid } = there;
  const open = await buy(there);
  const stranger = await stand.organisation();
  await expect(stand.direct.release(stranger, paid.chargeId)).rejects.toMatchObject({ code: 'not_found' });
  await expect(stand.direct.release(scope, open.chargeId)).rejects.toMatchObject({ code: 'unprocessable' });
  expect(await stand.direct.release(scope, paid.chargeId)).toMatchObject({
    stopsCharges: false,
    disputed: 14.5,
  });
  await stand.settle();
  expect(await chargeOf(scope, open.orderId)).toMatchObject({ state: 'succeeded' });
  expect(await buy(there)).toMatchObject({ state: 'succeeded' });
  expect(await billed.paymentsAt(account)).toHaveLength(3);
  await expect(stand.direct.release(scope, paid.chargeId)).rejects.toMatchObject({ code: 'unprocessable' });
  expect(await logged(stand.database.db, scope, 'direct.release')).toMatchObject([
    { by: scope.userId, kind: 'direct-charge', object: paid.chargeId, after: { disputedCents: 14_50 } },
  ]);
});

test('of two disputes each has to be allowed', async () => {
  const there = await paying();
  const second = await buy(there);
  await dispute(there, there.paid.paymentId);
  await dispute(there, second.paymentId);
  const open = await buy(there);
  await stand.direct.release(there.scope, there.paid.chargeId);
  await stand.settle();
  expect(await chargeOf(there.scope, open.orderId)).toMatchObject(stopped);
  await stand.direct.release(there.scope, second.chargeId);
  await stand.settle();
  expect(await chargeOf(there.scope, open.orderId)).toMatchObject({ state: 'succeeded' });
});

test.each([true, false])('a dispute that ends, won: %s, lets charges go on only then', async (won) => {
  const there = await disputing();
  const open = await buy(there);
  await stand.sandbox.control('dispute-close', { id: there.disputeId, won, account: there.account });
  await stand.settle();
  expect((await chargeOf(there.scope, open.orderId)).state).toBe(won ? 'succeeded' : 'failed');
  expect((await buy(there)).state).toBe(won ? 'succeeded' : 'failed');
});

test('an item that came to nothing after its payment was disputed is left to the staff, who may win the money', async () => {
  const there = await billed.active();
  const { scope, account } = there;
  const { orderId, items } = await billed.bought(scope, there.customer.customerId, [{ kind: 'certificate' }]);
  await stand.settle();
  const disputeId = await dispute(there, (await chargeOf(scope, orderId)).paymentId);
  const [itemId = ''] = items;
  const want = { organisationId: scope.organisationId, itemId, reason: 'the order was declined' };
  await stand.direct.tasks['orders.after-refund'](want);
  await stand.settle();
  const error =
    'The customer disputed this payment and has the money back, unless you win. Please refund this item if you do.';
  expect((await chargeOf(scope, orderId)).items[0]?.refund).toMatchObject({ state: 'failed', error });
  await stand.sandbox.control('dispute-close', { id: disputeId, won: true, account });
  await stand.settle();
  expect((await chargeOf(scope, orderId)).items[0]?.refund).toMatchObject({ state: 'failed', error });
  expect(lettersAbout(scope, 'a refund failed')).toHaveLength(1);
});

test('other customers of the MSP are charged as before', async () => {
  const there = await disputing();
  const customer = await billed.customerOf(there.scope);
  await billed.storeMethod(there.account, customer, 'pm_card_visa');
  expect(await buy({ scope: there.scope, customer })).toMatchObject({ state: 'succeeded' });
});
