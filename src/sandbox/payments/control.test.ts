import { afterAll, beforeAll, expect, it } from 'vitest';
import { failureOf, openStand, type Stand, sdkFor } from './test-stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const newIntent = () =>
  stand.stripe.paymentIntents.create({
    amount: 10_000,
    currency: 'usd',
    allowed_payment_method_types: ['us_bank_account', 'card'],
  });

it('the person can pay, decline and authenticate without a browser', async () => {
  const paid = await newIntent();
  expect(await stand.control('pay', { paymentIntent: paid.id, paymentMethod: 'pm_card_visa' })).toMatchObject(
    {
      status: 'succeeded',
    },
  );
  const declined = await newIntent();
  expect(
    await stand.control('pay', { paymentIntent: declined.id, paymentMethod: 'pm_card_visa_chargeDeclined' }),
  ).toMatchObject({ status: 'requires_payment_method', failure: 'card_declined' });
  expect(await stand.stripe.paymentIntents.retrieve(declined.id)).toMatchObject({
    last_payment_error: { code: 'card_declined' },
  });
  const asked = await newIntent();
  await stand.control('pay', { paymentIntent: asked.id, paymentMethod: 'pm_card_authenticationRequired' });
  expect(await stand.control('challenge', { paymentIntent: asked.id })).toMatchObject({
    status: 'succeeded',
  });
});

it('a payment can be moved into the past: it and its charge say so, and lists by time find it there', async () => {
  const old = await newIntent();
  await stand.control('pay', { paymentIntent: old.id, paymentMethod: 'pm_card_visa' });
  await stand.control('dates', [{ paymentIntent: old.id, ageDays: 100 }]);
  const read = await stand.stripe.paymentIntents.retrieve(old.id, { expand: ['latest_charge'] });
  expect(old.created - read.created).toBeGreaterThanOrEqual(100 * 86_400 - 2);
  expect(read.latest_charge).toMatchObject({ created: read.created });
  const listed = async (created: { gte?: number; lt?: number }) =>
    (await stand.stripe.paymentIntents.list({ created, limit: 100 })).data.map(({ id }) => id);
  expect(await listed({ lt: read.created + 1 })).toEqual([old.id]);
  expect(await listed({ gte: read.created + 1 })).not.toContain(old.id);
});

it('a slip in a body is refused and named', async () => {
  await expect(stand.control('settle', { paymentintent: 'pi_1' })).rejects.toThrow('paymentintent');
  await expect(stand.control('next', { effect: 'explode' })).rejects.toThrow('effect');
  await expect(stand.control('pay', { paymentIntent: 'pi_1', paymentMethod: 'x' })).rejects.toThrow(
    'No such payment_intent',
  );
});

it('the panel shows payments and webhooks, and neither client secrets nor one-time links', async () => {
  const intent = await newIntent();
  const account = await stand.stripe.accounts.create({
    email: 'm@x.example',
    controller: { stripe_dashboard: { type: 'express' } },
  });
  await stand.control('account-finish', { account: account.id });
  const { url } = await stand.stripe.accounts.createLoginLink(account.id);
  await stand.part.idle();
  const shown = JSON.stringify(await stand.part.view());
  expect(shown).toContain(intent.id);
  expect(shown).toContain('payment_intent.created');
  expect(shown).not.toContain(intent.client_secret!);
  expect(shown).not.toContain(url.split('/').at(-1)!);
});

it('the browser script is one classic script under every name that the loader uses', async () => {
  for (const path of ['/v3/stripe.js', '/v3', '/endive/stripe.js']) {
    const response = await fetch(stand.part.url + path);
    expect(response.headers.get('content-type')).toContain('text/javascript');
    const text = await response.text();
    expect(text).not.toMatch(/^\s*(import|export) /m);
    expect(() => new Function(text)).not.toThrow();
  }
});

it('reset forgets payments, keys and events, and keeps where webhooks go', async () => {
  const intent = await newIntent();
  await stand.control('reset');
  expect((await failureOf(stand.stripe.paymentIntents.retrieve(intent.id))).statusCode).toBe(404);
  stand.received.length = 0;
  await sdkFor(stand.part.url).customers.create({ email: 'a@b.example' });
  await stand.part.idle();
  expect(stand.received).toHaveLength(1);
});
