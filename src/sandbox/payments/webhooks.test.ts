import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONNECT_SECRET, eventsOf, openStand, type Stand, WEBHOOK_SECRET } from './test-stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
beforeEach(() => {
  stand.received.length = 0;
});
afterEach(async () => {
  stand.answer.status = 200;
  await stand.control('webhook-faults', {});
});
afterAll(() => stand.close());

const newCustomer = () => stand.stripe.customers.create({ email: 'a@b.example' });

function isVerified(index: number, secret = WEBHOOK_SECRET): boolean {
  const { body, signature } = stand.received[index]!;
  try {
    stand.stripe.webhooks.constructEvent(body, signature, secret);
    return true;
  } catch {
    return false;
  }
}

describe('webhooks', () => {
  it("carry a snapshot that the SDK's constructEvent accepts, and name the request and its key", async () => {
    const intent = await stand.stripe.paymentIntents.create(
      { amount: 500, currency: 'usd' },
      { idempotencyKey: 'topup:1' },
    );
    await stand.part.idle();
    const { body, signature } = stand.received[0]!;
    const event = stand.stripe.webhooks.constructEvent(body, signature, WEBHOOK_SECRET);
    expect(event).toMatchObject({
      type: 'payment_intent.created',
      data: { object: { id: intent.id, amount: 500 } },
      request: { id: intent.lastResponse.requestId, idempotency_key: 'topup:1' },
      livemode: false,
    });
    expect(isVerified(0, 'whsec_other')).toBe(false);
    const tampered = body.replace('500', '50000');
    expect(() => stand.stripe.webhooks.constructEvent(tampered, signature, WEBHOOK_SECRET)).toThrow();
  });

  it('that are refused come again with the same id until they are taken', async () => {
    stand.answer.status = 500;
    await newCustomer();
    await expect.poll(() => stand.received.length).toBe(1);
    stand.answer.status = 200;
    stand.store.advance(2000);
    await expect.poll(() => stand.received.length).toBe(2);
    const [first, second] = eventsOf(stand);
    expect(second?.id).toBe(first?.id);
    stand.store.advance(600_000);
    await stand.part.idle();
    expect(stand.received).toHaveLength(2);
  });

  it('that were not delivered before a restart are delivered after it', async () => {
    stand.answer.status = 503;
    const customer = await newCustomer();
    await expect.poll(() => stand.received.length).toBeGreaterThan(0);
    stand.answer.status = 200;
    await stand.restart();
    stand.store.advance(60_000);
    await expect
      .poll(
        () =>
          eventsOf(stand).filter(({ data }) => 'id' in data.object && data.object.id === customer.id).length,
      )
      .toBeGreaterThan(1);
  });

  it('of connected accounts name the account and are signed with their own secret', async () => {
    const account = await stand.stripe.accounts.create({
      email: 'm@x.example',
      controller: { stripe_dashboard: { type: 'express' } },
    });
    await stand.stripe.customers.create({ email: 'c@x.example' }, { stripeAccount: account.id });
    await stand.part.idle();
    const index = eventsOf(stand).findIndex(({ type }) => type === 'customer.created');
    expect(eventsOf(stand)[index]?.account).toBe(account.id);
    expect(isVerified(index, CONNECT_SECRET)).toBe(true);
    expect(isVerified(index)).toBe(false);
  });
});

describe('faults on the way', () => {
  it('duplicate: each event comes k times under one id', async () => {
    await stand.control('webhook-faults', { duplicate: 5 });
    await newCustomer();
    await stand.part.idle();
    expect(stand.received).toHaveLength(5);
    expect(new Set(eventsOf(stand).map(({ id }) => id)).size).toBe(1);
  });

  it('shuffle: all events come, in another order than they happened', async () => {
    await stand.control('webhook-faults', { shuffle: true, seed: 7 });
    const made: string[] = [];
    for (let index = 0; index < 8; index += 1) made.push((await newCustomer()).id);
    stand.store.advance(2000);
    await stand.part.idle();
    const heard = eventsOf(stand).map(({ data }) => ('id' in data.object ? data.object.id : null));
    expect([...heard].sort()).toEqual([...made].sort());
    expect(heard).not.toEqual(made);
  });

  it('delay: nothing comes before its time', async () => {
    await stand.control('webhook-faults', { delayMs: 3_600_000 });
    await newCustomer();
    await stand.part.idle();
    expect(stand.received).toHaveLength(0);
    stand.store.advance(3_600_001);
    await stand.part.idle();
    expect(stand.received).toHaveLength(1);
  });

  it('drop: so many are lost for ever, yet the list of events has them', async () => {
    await stand.control('webhook-faults', { drop: 1 });
    const lost = await newCustomer();
    const told = await newCustomer();
    await stand.part.idle();
    expect(eventsOf(stand).map(({ data }) => 'id' in data.object && data.object.id)).toEqual([told.id]);
    const events = await stand.stripe.events.list({ types: ['customer.created'], limit: 2 });
    expect(events.data.map(({ data }) => 'id' in data.object && data.object.id)).toEqual([told.id, lost.id]);
  });

  it('wrongSecret and staleSeconds: the SDK refuses what comes', async () => {
    await stand.control('webhook-faults', { wrongSecret: true });
    await newCustomer();
    await stand.part.idle();
    expect(isVerified(0)).toBe(false);
    await stand.control('webhook-faults', { staleSeconds: 301 });
    await newCustomer();
    await stand.part.idle();
    expect(isVerified(1)).toBe(false);
    const { body, signature } = stand.received[1]!;
    expect(() => stand.stripe.webhooks.constructEvent(body, signature, WEBHOOK_SECRET, 400)).not.toThrow();
  });

  it('types and until: only the named events are hit, and only so long', async () => {
    await stand.control('webhook-faults', {
      drop: true,
      types: ['customer.created'],
      until: stand.store.now() + 60_000,
    });
    await newCustomer();
    await stand.stripe.paymentIntents.create({ amount: 500, currency: 'usd' });
    await stand.part.idle();
    expect(eventsOf(stand).map(({ type }) => type)).toEqual(['payment_intent.created']);
    stand.store.advance(61_000);
    await newCustomer();
    await stand.part.idle();
    expect(eventsOf(stand).at(-1)?.type).toBe('customer.created');
  });

  it('flood: every event of its own id arrives', async () => {
    await stand.stripe.paymentIntents.create({ amount: 500, currency: 'usd' });
    await stand.part.idle();
    stand.received.length = 0;
    const report = await stand.control('flood', { count: 500, perSecond: 2000 });
    expect(report).toMatchObject({ sent: 500 });
    await stand.part.idle();
    expect(new Set(eventsOf(stand).map(({ id }) => id)).size).toBe(500);
  });
});

describe('the list of events', () => {
  it('finds a family of types, and goes on where a page ended', async () => {
    for (const amount of [501, 502, 503])
      await stand.stripe.paymentIntents.create({ amount, currency: 'usd' });
    const amounts: number[] = [];
    for await (const event of stand.stripe.events.list({ type: 'payment_intent.*', limit: 2 })) {
      if (event.type === 'payment_intent.created') amounts.push(event.data.object.amount);
    }
    expect(amounts.slice(0, 3)).toEqual([503, 502, 501]);
    const [newest] = (await stand.stripe.events.list({ limit: 1 })).data;
    expect((await stand.stripe.events.retrieve(newest!.id)).id).toBe(newest!.id);
  });
});
