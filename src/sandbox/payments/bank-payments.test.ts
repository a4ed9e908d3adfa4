import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf, failureOf, openStand, type Stand } from './test-stand.ts';

let stand: Stand;
let customer: string;

beforeAll(async () => {
  stand = await openStand();
  customer = (await stand.stripe.customers.create({ email: 'owner@msp.example' })).id;
});
beforeEach(() => {
  stand.received.length = 0;
});
afterAll(() => stand.close());

async function pay(token: string, amount = 100_000) {
  const intent = await stand.stripe.paymentIntents.create({
    amount,
    currency: 'usd',
    customer,
    allowed_payment_method_types: ['us_bank_account', 'card'],
    setup_future_usage: 'off_session',
  });
  return stand.stripe.paymentIntents.confirm(intent.id, { payment_method: token });
}

const read = (id: string) =>
  stand.stripe.paymentIntents.retrieve(id, { expand: ['latest_charge.balance_transaction'] });

async function typesHeard(): Promise<string[]> {
  await stand.part.idle();
  return eventsOf(stand).map(({ type }) => type);
}

describe('a bank payment', () => {
  it('is in processing for a minute of the sandbox, then it is there, with 0.8 % up to $5 kept', async () => {
    const intent = await pay('pm_usBankAccount_success');
    expect(intent.status).toBe('processing');
    await stand.pass(59_000);
    expect((await read(intent.id)).status).toBe('processing');
    await stand.pass(2000);
    expect(await read(intent.id)).toMatchObject({
      status: 'succeeded',
      latest_charge: { balance_transaction: { amount: 100_000, fee: 500, type: 'payment' } },
    });
    const heard = await typesHeard();
    expect(heard).toEqual(
      expect.arrayContaining(['charge.pending', 'payment_intent.processing', 'payment_intent.succeeded']),
    );
  });

  it.each([
    ['pm_usBankAccount_noAccount', 'no_account'],
    ['pm_usBankAccount_insufficientFunds', 'insufficient_funds'],
  ])('%s fails with %s when the bank answers', async (token, code) => {
    const intent = await pay(token);
    await stand.pass(61_000);
    expect(await read(intent.id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code },
      latest_charge: { status: 'failed', balance_transaction: null },
    });
    expect(await typesHeard()).toContain('payment_intent.payment_failed');
  });

  it('that is returned late is disputed and lost at once, and the money leaves the balance', async () => {
    const intent = await pay('pm_usBankAccount_dispute');
    await stand.pass(61_000);
    expect((await read(intent.id)).status).toBe('succeeded');
    await stand.pass(61_000);
    const disputes = await stand.stripe.disputes.list({ payment_intent: intent.id });
    expect(disputes.data).toMatchObject([{ status: 'lost', amount: 100_000 }]);
    expect(disputes.data[0]?.balance_transactions[0]?.net).toBe(-101_500);
    expect(await typesHeard()).toEqual(
      expect.arrayContaining([
        'charge.dispute.created',
        'charge.dispute.funds_withdrawn',
        'charge.dispute.closed',
      ]),
    );
  });

  it('can be settled or failed by hand, and only once', async () => {
    const good = await pay('pm_usBankAccount_processing');
    await stand.pass(600_000);
    expect((await read(good.id)).status).toBe('processing');
    await stand.control('settle', { paymentIntent: good.id });
    expect((await read(good.id)).status).toBe('succeeded');
    await expect(stand.control('fail-payment', { paymentIntent: good.id })).rejects.toThrow('not processing');
    const bad = await pay('pm_usBankAccount_success');
    await stand.control('fail-payment', { paymentIntent: bad.id, code: 'debit_not_authorized' });
    await stand.pass(61_000);
    expect(await read(bad.id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'debit_not_authorized' },
    });
  });

  it('cannot be cancelled while the bank works on it', async () => {
    const intent = await pay('pm_usBankAccount_success');
    const error = await failureOf(stand.stripe.paymentIntents.cancel(intent.id));
    expect(error.code).toBe('payment_intent_unexpected_state');
  });

  it('settles after a restart too: the clock is kept', async () => {
    const intent = await pay('pm_usBankAccount_success');
    await stand.restart();
    await stand.pass(61_000);
    expect((await read(intent.id)).status).toBe('succeeded');
  });

  it('leaves a stored account with a mandate, whose withdrawal is told', async () => {
    const intent = await pay('pm_usBankAccount_success');
    const method = String(intent.payment_method);
    expect((await stand.stripe.paymentMethods.retrieve(method)).customer).toBe(customer);
    await stand.control('revoke-mandate', { paymentMethod: method });
    expect(await typesHeard()).toContain('mandate.updated');
  });
});

describe('refunds', () => {
  it('go up to what was paid, in parts, and not beyond', async () => {
    const intent = await pay('pm_card_visa', 10_000);
    const first = await stand.stripe.refunds.create({ payment_intent: intent.id, amount: 4000 });
    expect(first).toMatchObject({ status: 'succeeded', amount: 4000 });
    const tooMuch = await failureOf(stand.stripe.refunds.create({ payment_intent: intent.id, amount: 6001 }));
    expect(tooMuch.message).toContain('greater than unrefunded amount');
    await stand.stripe.refunds.create({ payment_intent: intent.id });
    const charge = (await read(intent.id)).latest_charge;
    expect(charge).toMatchObject({ amount_refunded: 10_000, refunded: true });
    const again = await failureOf(stand.stripe.refunds.create({ payment_intent: intent.id }));
    expect(again.code).toBe('charge_already_refunded');
    expect(await typesHeard()).toEqual(expect.arrayContaining(['refund.created', 'charge.refunded']));
  });

  it('to a bank account take their time; one that the bank sends back counts as never made', async () => {
    const bank = await pay('pm_usBankAccount_success');
    await stand.pass(61_000);
    const slow = await stand.stripe.refunds.create({ payment_intent: bank.id, amount: 500 });
    expect(slow.status).toBe('pending');
    await stand.pass(61_000);
    expect((await stand.stripe.refunds.retrieve(slow.id)).status).toBe('succeeded');
    const card = await pay('pm_card_refundFail', 10_000);
    const failing = await stand.stripe.refunds.create({ payment_intent: card.id });
    await stand.pass(61_000);
    expect((await stand.stripe.refunds.retrieve(failing.id)).status).toBe('failed');
    expect((await read(card.id)).latest_charge).toMatchObject({ amount_refunded: 0, refunded: false });
    expect(await typesHeard()).toContain('refund.failed');
  });
});

describe('disputes of card payments', () => {
  it('withdraw the money; won they bring it back', async () => {
    const intent = await pay('pm_card_visa', 10_000);
    await stand.control('dispute', { paymentIntent: intent.id, reason: 'fraudulent' });
    const [dispute] = (await stand.stripe.disputes.list({ payment_intent: intent.id })).data;
    expect(dispute).toMatchObject({ status: 'needs_response', reason: 'fraudulent', amount: 10_000 });
    expect((await read(intent.id)).latest_charge).toMatchObject({ disputed: true });
    const refund = await failureOf(stand.stripe.refunds.create({ payment_intent: intent.id }));
    expect(refund.code).toBe('charge_disputed');
    await stand.control('dispute-close', { id: dispute!.id, won: true });
    const after = await stand.stripe.disputes.retrieve(dispute!.id);
    expect(after.balance_transactions.map(({ net }) => net)).toEqual([-11_500, 10_000]);
    expect(await typesHeard()).toContain('charge.dispute.funds_reinstated');
  });

  it('4000 0000 0000 0259 is disputed by itself after a while', async () => {
    const intent = await pay('pm_card_createDispute', 10_000);
    expect(intent.status).toBe('succeeded');
    await stand.pass(61_000);
    expect((await stand.stripe.disputes.list({ payment_intent: intent.id })).data).toHaveLength(1);
  });
});
