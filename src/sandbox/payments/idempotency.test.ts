import { afterAll, beforeAll, expect, it } from 'vitest';
import { failureOf, openStand, type Stand } from './test-stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

let keys = 0;
const newKey = () => `key-${++keys}`;

const create = (idempotencyKey: string, amount = 1000) =>
  stand.stripe.paymentIntents.create({ amount, currency: 'usd' }, { idempotencyKey });

async function countPayments(): Promise<number> {
  return (await stand.stripe.paymentIntents.list({ limit: 100 })).data.length;
}

it('the same key and body give the same payment, marked as a replay', async () => {
  const key = newKey();
  const first = await create(key);
  const second = await create(key);
  expect(second.id).toBe(first.id);
  expect(second.lastResponse.headers['idempotent-replayed']).toBe('true');
});

it('the same key with another body is an idempotency_error and has no effect', async () => {
  const key = newKey();
  await create(key);
  const before = await countPayments();
  const error = await failureOf(create(key, 2000));
  expect(error).toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
  expect(await countPayments()).toBe(before);
});

it('a decline is remembered: the same key does not try the card again', async () => {
  const key = newKey();
  const pay = () =>
    stand.stripe.paymentIntents.create(
      {
        amount: 1000,
        currency: 'usd',
        payment_method: 'pm_card_visa_chargeDeclined',
        confirm: true,
        allowed_payment_method_types: ['card'],
      },
      { idempotencyKey: key },
    );
  const first = await failureOf(pay());
  const before = await countPayments();
  const second = await failureOf(pay());
  expect(second.payment_intent?.id).toBe(first.payment_intent?.id);
  expect(await countPayments()).toBe(before);
});

it('refused parameters are not remembered: the corrected call may use the key', async () => {
  const key = newKey();
  expect((await failureOf(create(key, 10))).code).toBe('amount_too_small');
  expect((await create(key, 1000)).amount).toBe(1000);
});

it('a 500 is remembered, whether the work was done or not', async () => {
  for (const [effect, made] of [
    ['500-before', 0],
    ['500-after', 1],
  ] as const) {
    const key = newKey();
    const before = await countPayments();
    await stand.control('next', { method: 'POST', path: '/v1/payment_intents', effect });
    expect((await failureOf(create(key))).statusCode).toBe(500);
    expect((await failureOf(create(key))).statusCode).toBe(500);
    expect(await countPayments()).toBe(before + made);
  }
});

it('an answer that was lost is given again under the same key, and the payment exists once', async () => {
  const key = newKey();
  const before = await countPayments();
  // The SDK itself repeats a reset connection once with the same key, so two calls must be cut off.
  await stand.control('next', {
    method: 'POST',
    path: '/v1/payment_intents',
    effect: 'reset-after',
    times: 1,
  });
  await stand.control('next', {
    method: 'POST',
    path: '/v1/payment_intents',
    effect: 'reset-after',
    times: 1,
  });
  expect((await create(key).catch(() => null))?.id ?? 'lost').toBeTypeOf('string');
  await stand.control('next');
  const told = await create(key);
  expect(told.status).toBe('requires_payment_method');
  expect(await countPayments()).toBe(before + 1);
});

it('a call that times out before its effect leaves nothing, after its effect leaves the payment', async () => {
  for (const [effect, made] of [
    ['timeout-before', 0],
    ['timeout-after', 1],
  ] as const) {
    const key = newKey();
    const before = await countPayments();
    await stand.control('next', { method: 'POST', effect });
    const lost = await failureOf(
      stand.stripe.paymentIntents.create(
        { amount: 1000, currency: 'usd' },
        { idempotencyKey: key, timeout: 300 },
      ),
    );
    expect(lost.type).toBe('StripeConnectionError');
    expect(await countPayments()).toBe(before + made);
    await create(key);
    expect(await countPayments()).toBe(before + 1);
  }
});

it('a key in use answers 409, a limit answers 429, and neither is remembered', async () => {
  const key = newKey();
  await stand.control('next', { method: 'POST', effect: 'slow', delayMs: 400 });
  const slow = create(key);
  await expect.poll(async () => (await failureOf(create(key))).statusCode).toBe(409);
  const first = await slow;
  expect((await create(key)).id).toBe(first.id);
  await stand.control('next', { method: 'POST', effect: '429' });
  const fresh = newKey();
  expect((await failureOf(create(fresh))).type).toBe('StripeRateLimitError');
  expect((await create(fresh)).amount).toBe(1000);
});

it('keys are apart for each account, survive a restart, and are forgotten after a day', async () => {
  const key = newKey();
  const first = await create(key);
  const account = await stand.stripe.accounts.create({
    email: 'm@x.example',
    controller: { stripe_dashboard: { type: 'express' } },
  });
  const theirs = await stand.stripe.paymentIntents.create(
    { amount: 1000, currency: 'usd' },
    { idempotencyKey: key, stripeAccount: account.id },
  );
  expect(theirs.id).not.toBe(first.id);
  await stand.restart();
  expect((await create(key)).id).toBe(first.id);
  stand.store.advance(25 * 3_600_000);
  expect((await create(key)).id).not.toBe(first.id);
});
