import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
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

/** Somebody who was shown this much of a dispute allows charges. */
const release = async (scope: Scope, { chargeId }: { chargeId: string }, disputed = 14.5) => {
  const [row] = (await stand.direct.list(scope, { pageSize: 1, chargeId })).rows;
  return stand.direct.release(scope, chargeId, { disputed, disputedAt: row?.disputedAt ?? null });
};

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
  await expect(release(stranger, paid)).rejects.toMatchObject({ code: 'not_found' });
  await expect(release(scope, open)).rejects.toMatchObject({ code: 'unprocessable' });
  expect(await release(scope, paid)).toMatchObject({
    stopsCharges: false,
    disputed: 14.5,
  });
  await stand.settle();
  expect(await chargeOf(scope, open.orderId)).toMatchObject({ state: 'succeeded' });
  expect(await buy(there)).toMatchObject({ state: 'succeeded' });
  expect(await billed.paymentsAt(account)).toHaveLength(3);
  await expect(release(scope, paid)).rejects.toMatchObject({ code: 'unprocessable' });
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
  await release(there.scope, there.paid);
  await stand.settle();
  expect(await chargeOf(there.scope, open.orderId)).toMatchObject(stopped);
  await release(there.scope, second);
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

test('more that is disputed after staff were asked is not allowed unseen', async () => {
  const there = await disputing();
  const refused = {
    code: 'conflict',
    message: 'The disputed amount is $14.50 now. Please look at it again before you allow charges.',
  };
  await expect(release(there.scope, there.paid, 5)).rejects.toMatchObject(refused);
  await expect(release(there.scope, there.paid, 14.51)).rejects.toMatchObject(refused);
  expect(await buy(there)).toMatchObject(stopped);
  expect(await release(there.scope, there.paid)).toMatchObject({ stopsCharges: false, chargesStopped: null });
});

test('of two disputes one that is won leaves the other, which stops charges as before', async () => {
  const there = await paying();
  const second = await buy(there);
  const won = await dispute(there, there.paid.paymentId);
  await stand.forward(dayMs);
  await dispute(there, second.paymentId);
  const open = await buy(there);
  expect(open.chargesStopped).toMatchObject({ disputes: 2, chargeId: null });
  await stand.sandbox.control('dispute-close', { id: won, won: true, account: there.account });
  await stand.settle();
  const left = await chargeOf(there.scope, open.orderId);
  expect(left).toMatchObject({ ...stopped, chargesStopped: { disputes: 1, chargeId: second.chargeId } });
  // Since the one that is left.
  expect(Date.parse(left.chargesStopped?.since ?? '')).toBeGreaterThan(
    Date.parse(open.chargesStopped?.since ?? ''),
  );
  expect(await billed.paymentsAt(there.account)).toHaveLength(2);
});

test('one that is won after staff allowed charges changes nothing; taken away again by the bank, it stops them again', async () => {
  const there = await disputing();
  await release(there.scope, there.paid);
  await stand.sandbox.control('dispute-close', { id: there.disputeId, won: true, account: there.account });
  await stand.settle();
  expect(await chargeOf(there.scope, there.paid.orderId)).toMatchObject({ disputed: 0, stopsCharges: false });
  expect(await buy(there)).toMatchObject({ state: 'succeeded' });
  const read = stand.payments.connectedPayment;
  vi.spyOn(stand.payments, 'connectedPayment').mockImplementation(async (...asked) => {
    const payment = await read(...asked);
    return (
      payment && {
        ...payment,
        disputes: [{ cents: 14_50, createdAt: payment.createdAt }],
        reversedCents: 14_50,
      }
    );
  });
  await stand.direct.charges.refreshPayment(there.account, there.paid.paymentId ?? '');
  expect(await buy(there)).toMatchObject(stopped);
});

test('a second one of the same amount, of which the first was won unheard, stops charges again and has its letter', async () => {
  const there = await disputing();
  const { scope, account, paid } = there;
  await release(scope, paid);
  expect(await buy(there)).toMatchObject({ state: 'succeeded' });
  const read = stand.payments.connectedPayment;
  const createdAt = new Date(stand.clock.now().getTime() + dayMs);
  vi.spyOn(stand.payments, 'connectedPayment').mockImplementation(async (...asked) => {
    const payment = await read(...asked);
    return payment?.id === paid.paymentId ? { ...payment, disputes: [{ cents: 14_50, createdAt }] } : payment;
  });
  const before = await chargeOf(scope, paid.orderId);
  await stand.direct.charges.refreshPayment(account, paid.paymentId ?? '');
  await stand.settle();
  expect(await chargeOf(scope, paid.orderId)).toMatchObject({
    ...{ disputed: 14.5, stopsCharges: true, disputedAt: createdAt.toISOString() },
  });
  expect(lettersAbout(scope, 'disputed a payment')).toHaveLength(2);
  expect(await buy(there)).toMatchObject(stopped);
  // Who was asked about the first one has not seen it.
  await expect(stand.direct.release(scope, paid.chargeId, before)).rejects.toMatchObject({
    code: 'conflict',
    message: 'Another dispute of this payment has begun since. Please look at it before you allow charges.',
  });
  expect(await chargeOf(scope, paid.orderId)).toMatchObject({ stopsCharges: true });
  expect(await release(scope, paid)).toMatchObject({ stopsCharges: false });
});

test('what was stopped in the same moment in which the dispute was won is charged by the sweep', async () => {
  const there = await disputing();
  const open = await buy(there);
  // The win was written while the charge was at work: nobody woke it.
  await stand.database.systemDb
    .updateTable('direct_charges')
    .set({ disputed_cents: 0 })
    .where('id', '=', there.paid.chargeId)
    .execute();
  await stand.jobs();
  expect(await chargeOf(there.scope, open.orderId)).toMatchObject({ state: 'failed', nextTryAt: null });
  await stand.direct.charges.sweep();
  await stand.settle();
  expect(await chargeOf(there.scope, open.orderId)).toMatchObject({ state: 'succeeded' });
});

test('news of a customer who was removed stops and starts nothing of others, and stays in the list', async () => {
  const there = await paying();
  await stand.customers.remove(there.scope, there.customer.customerId);
  const disputeId = await dispute(there, there.paid.paymentId);
  expect(await chargeOf(there.scope, there.paid.orderId)).toMatchObject({ stopsCharges: true });
  expect(lettersAbout(there.scope, 'disputed a payment')).toHaveLength(1);
  await stand.sandbox.control('dispute-close', { id: disputeId, won: true, account: there.account });
  await stand.settle();
  expect(await chargeOf(there.scope, there.paid.orderId)).toMatchObject({ stopsCharges: false });
});

test('a customer, and the choice of one, says since when charges are stopped, and nothing of it to its own users', async () => {
  const there = await disputing();
  const { scope, customer } = there;
  const { customerId } = customer;
  const since = stand.clock.now().getTime();
  const told = { disputes: 1, chargeId: there.paid.chargeId, since: expect.stringMatching(/Z$/) };
  const found = await stand.customers.get(scope, customerId);
  expect(found.chargesStopped).toEqual(told);
  expect(Math.abs(Date.parse(found.chargesStopped?.since ?? '') - since)).toBeLessThan(60_000);
  expect(await stand.customers.choices(scope)).toMatchObject([{ customerId, chargesStopped: told }]);
  const own: Scope = { ...scope, role: 'MSP_CUSTOMER', reach: { kind: 'customers', ids: [customerId] } };
  expect((await stand.customers.get(own, customerId)).chargesStopped).toBeNull();
  expect(await stand.customers.choices(own)).toEqual([
    { customerId, organization: found.contacts.owner.organization, markups: null },
  ]);
  await release(scope, there.paid);
  expect((await stand.customers.get(scope, customerId)).chargesStopped).toBeNull();
  expect((await stand.customers.choices(scope))[0]).not.toHaveProperty('chargesStopped');
});

describe('a dispute that was read by a version that did not tell it from a refund', () => {
  /** As the database was left by it: only that money has gone back. */
  async function upgraded(money: 'disputed' | 'refunded') {
    const there = await paying();
    const { account, paid } = there;
    await stand.sandbox.control('webhook-faults', { drop: true });
    const disputeId = money === 'disputed' ? await dispute(there, paid.paymentId) : '';
    if (money === 'refunded') {
      await stand.sandbox.stripe.refunds.create(
        { payment_intent: paid.paymentId ?? '' },
        { stripeAccount: account },
      );
    }
    await stand.sandbox.control('webhook-faults', {});
    await stand.database.systemDb
      .updateTable('direct_charges')
      .set({ refunded_cents: 14_50, disputes_read_at: null })
      .where('id', '=', paid.chargeId)
      .execute();
    return { ...there, disputeId };
  }
  const read = async ({ paid }: { paid: { chargeId: string } }) =>
    stand.database.systemDb
      .selectFrom('direct_charges')
      .select(['disputed_cents', 'disputes_read_at'])
      .where('id', '=', paid.chargeId)
      .executeTakeFirstOrThrow();

  test('is read before the next charge, which it stops', async () => {
    const there = await upgraded('disputed');
    expect(await buy(there)).toMatchObject(stopped);
    expect(await billed.paymentsAt(there.account)).toHaveLength(1);
    expect(lettersAbout(there.scope, 'disputed a payment')).toHaveLength(1);
  });

  test('is found by the sweep, with its letter, and read once', async () => {
    const there = await upgraded('disputed');
    const other = await upgraded('refunded');
    await stand.direct.charges.sweep();
    await stand.settle();
    expect(await chargeOf(there.scope, there.paid.orderId)).toMatchObject({ stopsCharges: true });
    expect(await chargeOf(other.scope, other.paid.orderId)).toMatchObject({ stopsCharges: false });
    expect(lettersAbout(there.scope, 'disputed a payment')).toHaveLength(1);
    const asked = vi.spyOn(stand.payments, 'connectedPayment');
    await stand.direct.charges.sweep();
    expect(asked).not.toHaveBeenCalled();
  });

  test('that was won meanwhile, or was a refund, stops nothing', async () => {
    const won = await upgraded('disputed');
    await stand.sandbox.control('dispute-close', { id: won.disputeId, won: true, account: won.account });
    for (const there of [won, await upgraded('refunded')]) {
      expect(await buy(there)).toMatchObject({ state: 'succeeded' });
      expect(lettersAbout(there.scope, 'disputed a payment')).toEqual([]);
      expect((await read(there)).disputes_read_at).not.toBeNull();
    }
  });

  test('nothing is charged while the provider does not say, and then it is', async () => {
    const there = await upgraded('refunded');
    const asked = vi
      .spyOn(stand.payments, 'connectedPayment')
      .mockRejectedValue(new Error('the provider is away'));
    const { orderId } = await billed.bought(there.scope, there.customer.customerId, [{ kind: 'renewal' }]);
    await stand.jobs().catch(() => undefined);
    expect(await chargeOf(there.scope, orderId)).toMatchObject({ state: 'collecting', attempts: 0 });
    expect(await billed.paymentsAt(there.account)).toHaveLength(1);
    asked.mockRestore();
    await stand.forward(10 * 60_000);
    await stand.direct.charges.sweep();
    await stand.settle();
    expect(await chargeOf(there.scope, orderId)).toMatchObject({ state: 'succeeded' });
  });

  test('one that comes up while a charge is prepared stops it right before the wire', async () => {
    const there = await paying();
    const find = stand.payments.findConnected;
    vi.spyOn(stand.payments, 'findConnected').mockImplementationOnce(async (...about) => {
      await stand.database.systemDb
        .updateTable('direct_charges')
        .set({ refunded_cents: 14_50, disputes_read_at: null })
        .where('id', '=', there.paid.chargeId)
        .execute();
      return find(...about);
    });
    const { orderId } = await billed.bought(there.scope, there.customer.customerId, [{}]);
    await stand.settle();
    expect(await billed.paymentsAt(there.account)).toHaveLength(1);
    expect(await chargeOf(there.scope, orderId)).toMatchObject({ state: 'sending' });
    await stand.forward(5 * 60_000);
    await stand.direct.charges.sweep();
    await stand.settle();
    expect(await chargeOf(there.scope, orderId)).toMatchObject({ state: 'succeeded' });
  });

  test('a payment that the provider does not have stops nothing, and one whose account cannot be used is not asked for', async () => {
    const gone = await upgraded('refunded');
    await stand.database.systemDb
      .updateTable('direct_charges')
      .set({ payment_intent: `pi_${gone.paid.chargeId}` })
      .where('id', '=', gone.paid.chargeId)
      .execute();
    expect(await buy(gone)).toMatchObject({ state: 'succeeded' });
    const left = await upgraded('disputed');
    await stand.database.systemDb
      .updateTable('billing_profiles')
      .set({ payment_account_ready: false })
      .where('organisation_id', '=', left.scope.organisationId)
      .execute();
    expect(await buy(left)).toMatchObject({ error: 'The payment account is not ready to take payments.' });
    expect((await read(left)).disputes_read_at).toBeNull();
  });
});
