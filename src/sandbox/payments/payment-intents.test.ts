import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, openStand, PUBLISHABLE_KEY, type Stand, sdkFor } from './test-stand.ts';

let stand: Stand;
let customer: string;

beforeAll(async () => {
  stand = await openStand();
  customer = (await stand.stripe.customers.create({ email: 'owner@msp.example', name: 'Owner' })).id;
});
afterAll(() => stand.close());

const RETURN_URL = 'https://portal.example/back';

function topUp(amount = 10_000) {
  return stand.stripe.paymentIntents.create({
    amount,
    currency: 'usd',
    customer,
    allowed_payment_method_types: ['us_bank_account', 'card'],
    setup_future_usage: 'off_session',
    metadata: { topup: 't1' },
  });
}

async function stored(token: string): Promise<string> {
  const setup = await stand.stripe.setupIntents.create({ customer, payment_method: token, confirm: true });
  return String(setup.payment_method);
}

function offSession(paymentMethod: string, amount = 5000) {
  return stand.stripe.paymentIntents.create({
    amount,
    currency: 'usd',
    customer,
    payment_method: paymentMethod,
    allowed_payment_method_types: ['card'],
    off_session: true,
    confirm: true,
  });
}

describe('the state machine of a payment', () => {
  it('a new payment waits for a method, keeps the order of its types, and can change its amount', async () => {
    const intent = await topUp();
    expect(intent).toMatchObject({
      status: 'requires_payment_method',
      amount: 10_000,
      payment_method_types: ['us_bank_account', 'card'],
      metadata: { topup: 't1' },
      latest_charge: null,
    });
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_`));
    const changed = await stand.stripe.paymentIntents.update(intent.id, { amount: 20_000 });
    expect(changed.amount).toBe(20_000);
  });

  it('a card that succeeds is charged once, with 2.9 % + 30 ¢ kept, and is stored for later', async () => {
    const intent = await topUp();
    await stand.stripe.paymentIntents.confirm(intent.id, {
      payment_method: 'pm_card_visa',
      return_url: RETURN_URL,
    });
    const after = await stand.stripe.paymentIntents.retrieve(intent.id, {
      expand: ['latest_charge.balance_transaction', 'payment_method'],
    });
    expect(after).toMatchObject({
      status: 'succeeded',
      amount_received: 10_000,
      latest_charge: {
        status: 'succeeded',
        balance_transaction: { amount: 10_000, fee: 320, net: 9680, type: 'charge' },
      },
      payment_method: { customer, card: { last4: '4242' } },
    });
    const again = await failureOf(
      stand.stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }),
    );
    expect(again).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' });
  });

  it.each([
    ['pm_card_visa_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', ''],
  ])('%s answers 402 %s, and the failed attempt stays on the payment', async (method, code, declineCode) => {
    const intent = await topUp();
    const error = await failureOf(stand.stripe.paymentIntents.confirm(intent.id, { payment_method: method }));
    expect(error).toMatchObject({
      type: 'StripeCardError',
      statusCode: 402,
      code,
      decline_code: declineCode,
    });
    const after = await stand.stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
    expect(after).toMatchObject({
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: { code },
      latest_charge: { status: 'failed', failure_code: code },
    });
    const retry = await stand.stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    expect(retry.status).toBe('succeeded');
  });

  it('a request for authentication waits for the person: passed it succeeds, refused it wants another method', async () => {
    for (const pass of [true, false]) {
      const intent = await topUp();
      const asked = await stand.stripe.paymentIntents.confirm(intent.id, {
        payment_method: 'pm_card_authenticationRequired',
        return_url: RETURN_URL,
      });
      expect(asked.status).toBe('requires_action');
      expect(asked.next_action?.redirect_to_url?.return_url).toBe(RETURN_URL);
      const page = String(asked.next_action?.redirect_to_url?.url);
      const answer = await fetch(page, {
        method: 'POST',
        body: new URLSearchParams({ outcome: pass ? 'complete' : 'fail' }),
        redirect: 'manual',
      });
      const back = new URL(String(answer.headers.get('location')));
      expect(back.searchParams.get('redirect_status')).toBe(pass ? 'succeeded' : 'failed');
      const after = await stand.stripe.paymentIntents.retrieve(intent.id);
      expect(after.status).toBe(pass ? 'succeeded' : 'requires_payment_method');
      if (!pass) expect(after.last_payment_error?.code).toBe('payment_intent_authentication_failure');
    }
  });

  it('a cancelled payment takes no money any more, and a paid one cannot be cancelled', async () => {
    const intent = await topUp();
    expect((await stand.stripe.paymentIntents.cancel(intent.id)).status).toBe('canceled');
    const late = await failureOf(
      stand.stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }),
    );
    expect(late.code).toBe('payment_intent_unexpected_state');
    const paid = await offSession(await stored('pm_card_visa'));
    expect((await failureOf(stand.stripe.paymentIntents.cancel(paid.id))).code).toBe(
      'payment_intent_unexpected_state',
    );
  });

  it('pages go from new to old, and `created` bounds them', async () => {
    const made = [await topUp(111), await topUp(112), await topUp(113)];
    const first = await stand.stripe.paymentIntents.list({ limit: 2, customer });
    expect(first.data.map(({ amount }) => amount)).toEqual([113, 112]);
    expect(first.has_more).toBe(true);
    const next = await stand.stripe.paymentIntents.list({ limit: 1, starting_after: made[1]!.id });
    expect(next.data[0]?.id).toBe(made[0]!.id);
    const later = await stand.stripe.paymentIntents.list({ created: { gt: made[2]!.created } });
    expect(later.data).toEqual([]);
  });
});

describe('charges without the person', () => {
  it('a stored card is charged', async () => {
    expect(await offSession(await stored('pm_card_visa'))).toMatchObject({ status: 'succeeded' });
  });

  it('a card that wants authentication declines with authentication_required and names the payment', async () => {
    const error = await failureOf(offSession(await setUpByHand('pm_card_authenticationRequired')));
    expect(error).toMatchObject({ code: 'authentication_required', statusCode: 402 });
    expect(error.payment_intent).toMatchObject({ status: 'requires_payment_method', amount: 5000 });
  });

  it('a card that was set up with authentication is not asked again', async () => {
    const method = await setUpByHand('pm_card_authenticationRequiredOnSetup');
    expect(await offSession(method)).toMatchObject({ status: 'succeeded' });
  });

  it('4000 0000 0000 0341 can be stored and is declined when charged', async () => {
    const error = await failureOf(offSession(await stored('pm_card_chargeCustomerFail')));
    expect(error).toMatchObject({ code: 'card_declined', decline_code: 'generic_decline' });
  });

  it("another customer's card is refused, and a card used once without a customer too", async () => {
    const other = await stand.stripe.customers.create({ email: 'other@msp.example' });
    const method = await stored('pm_card_visa');
    const wrong = await failureOf(
      stand.stripe.paymentIntents.create({
        amount: 500,
        currency: 'usd',
        customer: other.id,
        payment_method: method,
        allowed_payment_method_types: ['card'],
        confirm: true,
        off_session: true,
      }),
    );
    expect(wrong.statusCode).toBe(400);
    const loose = await stand.stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      allowed_payment_method_types: ['card'],
      confirm: true,
    });
    const again = await failureOf(
      stand.stripe.paymentIntents.create({
        amount: 500,
        currency: 'usd',
        payment_method: String(loose.payment_method),
        allowed_payment_method_types: ['card'],
        confirm: true,
      }),
    );
    expect(again.message).toContain('previously used');
  });

  /** A setup with authentication, answered by the person. */
  async function setUpByHand(token: string): Promise<string> {
    const setup = await stand.stripe.setupIntents.create({
      customer,
      payment_method: token,
      confirm: true,
      return_url: RETURN_URL,
    });
    expect(setup.status).toBe('requires_action');
    await fetch(String(setup.next_action?.redirect_to_url?.url), {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'complete' }),
      redirect: 'manual',
    });
    const after = await stand.stripe.setupIntents.retrieve(setup.id);
    expect(after.status).toBe('succeeded');
    return String(after.payment_method);
  }
});

describe('what is refused', () => {
  it.each([
    [{ amount: 49, currency: 'usd' }, 'amount_too_small', 'amount'],
    [{ amount: 100_000_000, currency: 'usd' }, 'amount_too_large', 'amount'],
    [{ amount: 1.5, currency: 'usd' }, 'parameter_invalid_integer', 'amount'],
    [{ amount: 500, currency: 'usd', customer: 'cus_nobody' }, 'resource_missing', 'customer'],
    [{ amount: 500, currency: 'usd', colour: 'red' }, 'parameter_unknown', 'colour'],
    [
      { amount: 500, currency: 'usd', allowed_payment_method_types: ['cash'] },
      'payment_intent_invalid_parameter',
      'allowed_payment_method_types[0]',
    ],
  ])('%j: 400 %s on %s', async (params, code, param) => {
    const error = await failureOf(stand.stripe.paymentIntents.create(params));
    expect(error).toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 400, code, param });
  });

  it('an amount without currency, a wrong key and an unknown address have the shapes that the SDK knows', async () => {
    const missing = await fetch(`${stand.part.url}/v1/payment_intents`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_sandbox' },
      body: new URLSearchParams({ amount: '500' }),
    });
    expect(await missing.json()).toMatchObject({ error: { code: 'parameter_missing', param: 'currency' } });
    const wrong = await failureOf(sdkFor(stand.part.url, 'sk_test_other').customers.list());
    expect(wrong).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 });
    const nowhere = await fetch(`${stand.part.url}/v1/nowhere`, {
      headers: { authorization: 'Bearer sk_test_sandbox' },
    });
    expect(nowhere.status).toBe(404);
    expect(nowhere.headers.get('request-id')).toMatch(/^req_/);
  });

  it('a refused create leaves no payment behind', async () => {
    const before = (await stand.stripe.paymentIntents.list({ limit: 1 })).data[0]?.id;
    const error = await failureOf(
      stand.stripe.paymentIntents.create({
        amount: 500,
        currency: 'usd',
        payment_method: 'pm_usBankAccount_success',
        allowed_payment_method_types: ['card'],
        confirm: true,
      }),
    );
    expect(error.code).toBe('payment_intent_incompatible_payment_method');
    expect((await stand.stripe.paymentIntents.list({ limit: 1 })).data[0]?.id).toBe(before);
  });

  it("the browser's key opens only what its client secret names", async () => {
    const intent = await topUp();
    const browser = sdkFor(stand.part.url, PUBLISHABLE_KEY);
    expect((await failureOf(browser.customers.list())).statusCode).toBe(403);
    expect((await failureOf(browser.paymentIntents.retrieve(intent.id))).statusCode).toBe(401);
    const seen = await browser.paymentIntents.retrieve(intent.id, { client_secret: intent.client_secret! });
    expect(seen.id).toBe(intent.id);
  });

  it('raw card numbers are taken from browsers only', async () => {
    const card = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' };
    const server = await failureOf(stand.stripe.paymentMethods.create({ type: 'card', card }));
    expect(server.message).toContain('generally unsafe');
    const browser = sdkFor(stand.part.url, PUBLISHABLE_KEY);
    expect((await browser.paymentMethods.create({ type: 'card', card })).card?.last4).toBe('4242');
    const real = await failureOf(
      browser.paymentMethods.create({ type: 'card', card: { ...card, number: '4532015112830366' } }),
    );
    expect(real.decline_code).toBe('test_mode_live_card');
  });
});

describe('stored methods', () => {
  it('a declining card cannot be attached; a detached one is gone from the customer for good', async () => {
    const declined = await failureOf(
      stand.stripe.paymentMethods.attach('pm_card_visa_chargeDeclined', { customer }),
    );
    expect(declined.code).toBe('card_declined');
    const method = await stand.stripe.paymentMethods.attach('pm_card_mastercard', { customer });
    const listed = await stand.stripe.paymentMethods.list({ customer, type: 'card', limit: 100 });
    expect(listed.data.map(({ id }) => id)).toContain(method.id);
    await stand.stripe.paymentMethods.detach(method.id);
    const after = await stand.stripe.paymentMethods.list({ customer, type: 'card', limit: 100 });
    expect(after.data.map(({ id }) => id)).not.toContain(method.id);
    expect((await failureOf(stand.stripe.paymentMethods.attach(method.id, { customer }))).statusCode).toBe(
      400,
    );
  });

  it('everything is still there after a restart', async () => {
    const paid = await offSession(await stored('pm_card_visa'), 7777);
    await stand.restart();
    expect(await stand.stripe.paymentIntents.retrieve(paid.id)).toMatchObject({
      status: 'succeeded',
      amount: 7777,
    });
  });
});
