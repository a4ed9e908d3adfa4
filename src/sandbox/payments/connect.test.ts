import type { Stripe } from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf, failureOf, openStand, type Stand, WEBHOOK_SECRET } from './test-stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
beforeEach(() => {
  stand.received.length = 0;
});
afterAll(() => stand.close());

const RETURN_URL = 'https://portal.example/back';
const REFRESH_URL = 'https://portal.example/again';

function newAccount(): Promise<Stripe.V2.Core.Account> {
  return stand.stripe.v2.core.accounts.create({
    contact_email: 'owner@msp.example',
    display_name: 'MSP Inc',
    dashboard: 'express',
    configuration: { merchant: { capabilities: { card_payments: { requested: true } } } },
    defaults: {
      currency: 'usd',
      responsibilities: { fees_collector: 'application', losses_collector: 'application' },
    },
    identity: { country: 'us' },
  });
}

function readAccount(id: string): Promise<Stripe.V2.Core.Account> {
  return stand.stripe.v2.core.accounts.retrieve(id, {
    include: ['configuration.merchant', 'requirements', 'identity'],
  });
}

async function newLink(account: string): Promise<string> {
  const link = await stand.stripe.v2.core.accountLinks.create({
    account,
    use_case: {
      type: 'account_onboarding',
      account_onboarding: {
        refresh_url: REFRESH_URL,
        return_url: RETURN_URL,
      },
    },
  });
  expect(Date.parse(link.expires_at) - Date.parse(link.created)).toBe(300_000);
  return link.url;
}

function send(url: string, fields: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
}

const ANSWERS = {
  action: 'submit',
  business_type: 'company',
  legal_name: 'MSP Incorporated',
  line1: '1 Main St',
  city: 'Denver',
  state: 'CO',
  postal_code: '80014',
  country: 'US',
  routing_number: '110000000',
  account_number: '000123456789',
};

async function finishedAccount(): Promise<string> {
  const { id } = await newAccount();
  await stand.control('account-finish', { account: id });
  return id;
}

describe('the set-up of a payment account', () => {
  it('is unfinished until the person hands in the hosted page; then the capability is active in v2 and v1', async () => {
    const account = await newAccount();
    const before = await readAccount(account.id);
    expect(before.configuration?.merchant?.capabilities?.card_payments?.status).toBe('restricted');
    expect(before.requirements?.entries?.length).toBeGreaterThan(0);
    const url = await newLink(account.id);
    expect(await (await fetch(url)).text()).toContain('Set up your payment account');
    const done = await send(url, ANSWERS);
    expect(done.headers.get('location')).toBe(RETURN_URL);
    const after = await readAccount(account.id);
    expect(after.configuration?.merchant?.capabilities?.card_payments?.status).toBe('active');
    expect(after.requirements?.entries).toEqual([]);
    expect(after.identity?.business_details?.address).toMatchObject({ city: 'Denver', postal_code: '80014' });
    const v1 = await stand.stripe.accounts.retrieve(account.id);
    expect(v1).toMatchObject({ details_submitted: true, charges_enabled: true });
    expect(v1.company?.address?.line1).toBe('1 Main St');
  });

  it('coming back proves nothing: "save for later" returns to the portal and leaves the account unfinished', async () => {
    const account = await newAccount();
    const url = await newLink(account.id);
    await fetch(url);
    const back = await send(url, { action: 'later' });
    expect(back.headers.get('location')).toBe(RETURN_URL);
    expect((await readAccount(account.id)).requirements?.entries?.length).toBeGreaterThan(0);
  });

  it('a link opens once and for five minutes; afterwards it leads to the refresh address', async () => {
    const account = await newAccount();
    const used = await newLink(account.id);
    await fetch(used);
    const again = await fetch(used, { redirect: 'manual' });
    expect(again.headers.get('location')).toBe(REFRESH_URL);
    const old = await newLink(account.id);
    stand.store.advance(301_000);
    expect((await fetch(old, { redirect: 'manual' })).headers.get('location')).toBe(REFRESH_URL);
  });

  it('parts that were not asked for are left out', async () => {
    const { id } = await newAccount();
    const bare = await stand.stripe.v2.core.accounts.retrieve(id);
    expect(bare.configuration).toBeUndefined();
    expect(bare.requirements).toBeUndefined();
  });

  it('the provider may ask for more: finished flips back, and thin events tell of it', async () => {
    const id = await finishedAccount();
    await stand.part.idle();
    stand.received.length = 0;
    await stand.control('account-requirements', { account: id });
    const after = await readAccount(id);
    expect(after.configuration?.merchant?.capabilities?.card_payments?.status).toBe('restricted');
    await stand.part.idle();
    const types = eventsOf(stand).map(({ type }) => type as string);
    expect(types).toEqual(
      expect.arrayContaining([
        'account.updated',
        'capability.updated',
        'v2.core.account[requirements].updated',
        'v2.core.account[configuration.merchant].capability_status_updated',
      ]),
    );
    const thin = stand.received.find(({ body }) => body.includes('v2.core.account[requirements].updated'))!;
    const notice = stand.stripe.parseEventNotification(thin.body, thin.signature, WEBHOOK_SECRET);
    expect(notice).toMatchObject({ type: 'v2.core.account[requirements].updated', related_object: { id } });
    const full = await stand.stripe.v2.core.events.retrieve(notice.id);
    expect(full.id).toBe(notice.id);
  });

  it('an unknown account is a 404 in v2 and a 403 in v1', async () => {
    expect((await failureOf(stand.stripe.v2.core.accounts.retrieve('acct_nobody'))).statusCode).toBe(404);
    const v1 = await failureOf(stand.stripe.accounts.retrieve('acct_nobody'));
    expect(v1).toMatchObject({ type: 'StripePermissionError', code: 'account_invalid' });
  });

  it('the dashboard link comes only after the set-up, opens once, and changes the address', async () => {
    const { id } = await newAccount();
    expect((await failureOf(stand.stripe.accounts.createLoginLink(id))).statusCode).toBe(400);
    await stand.control('account-finish', { account: id });
    const { url } = await stand.stripe.accounts.createLoginLink(id);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url)).status).toBe(404);
    const { action: _action, ...address } = ANSWERS;
    expect(await (await send(url, { ...address, city: 'Boulder' })).text()).toContain('Saved.');
    expect((await stand.stripe.accounts.retrieve(id)).company?.address?.city).toBe('Boulder');
  });
});

describe('direct charges', () => {
  it('go to the connected account, which pays the fees, and the platform gets its part', async () => {
    const stripeAccount = await finishedAccount();
    const customer = await stand.stripe.customers.create({ email: 'c@x.example' }, { stripeAccount });
    const method = await stand.stripe.paymentMethods.attach(
      'pm_card_visa',
      { customer: customer.id },
      { stripeAccount },
    );
    const intent = await stand.stripe.paymentIntents.create(
      {
        amount: 10_000,
        currency: 'usd',
        customer: customer.id,
        payment_method: method.id,
        allowed_payment_method_types: ['card'],
        off_session: true,
        confirm: true,
        application_fee_amount: 250,
        expand: ['latest_charge.balance_transaction'],
      },
      { stripeAccount, idempotencyKey: 'direct:1' },
    );
    expect(intent).toMatchObject({
      status: 'succeeded',
      latest_charge: { balance_transaction: { fee: 570, net: 9430 }, application_fee_amount: 250 },
    });
    const fees = await stand.stripe.applicationFees.list({ limit: 1 });
    expect(fees.data[0]).toMatchObject({ amount: 250, account: stripeAccount });
    expect((await failureOf(stand.stripe.paymentIntents.retrieve(intent.id))).statusCode).toBe(404);
    expect((await failureOf(stand.stripe.customers.retrieve(customer.id))).statusCode).toBe(404);
    await stand.part.idle();
    const paid = eventsOf(stand).find(({ type }) => type === 'payment_intent.succeeded');
    expect(paid?.account).toBe(stripeAccount);
  });

  it('are refused while the account is not set up, and an application fee on the platform is', async () => {
    const { id } = await newAccount();
    const early = await failureOf(
      stand.stripe.paymentIntents.create(
        {
          amount: 500,
          currency: 'usd',
          payment_method: 'pm_card_visa',
          confirm: true,
          allowed_payment_method_types: ['card'],
        },
        { stripeAccount: id },
      ),
    );
    expect(early.statusCode).toBe(400);
    const fee = await failureOf(
      stand.stripe.paymentIntents.create({ amount: 500, currency: 'usd', application_fee_amount: 5 }),
    );
    expect(fee.param).toBe('application_fee_amount');
  });
});

describe('the hosted page for storing a payment method', () => {
  async function session(stripeAccount: string, expiresAt?: number) {
    const customer = await stand.stripe.customers.create({ email: 'c@x.example' }, { stripeAccount });
    const made = await stand.stripe.checkout.sessions.create(
      {
        mode: 'setup',
        currency: 'usd',
        customer: customer.id,
        success_url: `${RETURN_URL}?session={CHECKOUT_SESSION_ID}`,
        cancel_url: REFRESH_URL,
        ...(expiresAt ? { expires_at: expiresAt } : {}),
      },
      { stripeAccount },
    );
    return { customer: customer.id, made };
  }
  const card = (number: string) => ({
    type: 'card',
    email: 'c@x.example',
    name: 'Casey',
    number,
    expiry: '12 / 40',
    cvc: '123',
  });

  it('stores the card for the customer, tells it, and leads back with the session id', async () => {
    const stripeAccount = await finishedAccount();
    const { customer, made } = await session(stripeAccount);
    expect(await (await fetch(made.url!)).text()).toContain('Card number');
    const done = await send(made.url!, card('4242 4242 4242 4242'));
    expect(done.headers.get('location')).toBe(`${RETURN_URL}?session=${made.id}`);
    const stored = await stand.stripe.customers.listPaymentMethods(customer, {}, { stripeAccount });
    expect(stored.data).toMatchObject([{ card: { last4: '4242' } }]);
    const after = await stand.stripe.checkout.sessions.retrieve(
      made.id,
      { expand: ['setup_intent'] },
      { stripeAccount },
    );
    expect(after).toMatchObject({ status: 'complete', setup_intent: { status: 'succeeded' } });
    await stand.part.idle();
    expect(eventsOf(stand).map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'setup_intent.succeeded',
        'payment_method.attached',
        'checkout.session.completed',
      ]),
    );
  });

  it('says what is wrong with a declined card and takes another; a challenge comes in between', async () => {
    const stripeAccount = await finishedAccount();
    const { made } = await session(stripeAccount);
    const declined = await send(made.url!, card('4000000000000002'));
    expect(await declined.text()).toContain('Your card was declined.');
    const asked = await send(made.url!, card('4000 0025 0000 3155'));
    const challenge = asked.headers.get('location')!;
    expect(challenge).toContain('/challenge/seti_');
    const answered = await send(challenge, { outcome: 'complete' });
    const back = await fetch(answered.headers.get('location')!, { redirect: 'manual' });
    expect(back.headers.get('location')).toBe(`${RETURN_URL}?session=${made.id}`);
  });

  it('ends by the clock', async () => {
    const stripeAccount = await finishedAccount();
    const { made } = await session(stripeAccount, Math.floor(stand.store.now() / 1000) + 1800);
    await stand.pass(1_801_000);
    const after = await stand.stripe.checkout.sessions.retrieve(made.id, {}, { stripeAccount });
    expect(after).toMatchObject({ status: 'expired', url: null });
    expect((await fetch(made.url!)).status).toBe(410);
    await stand.part.idle();
    expect(eventsOf(stand).map(({ type }) => type)).toContain('checkout.session.expired');
  });
});
