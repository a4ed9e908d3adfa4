import { randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';
import { card, createPaying, type Paying } from '../../../../tests/support/paying.ts';
import { inTransaction } from '../../kernel/db/database.ts';
import { onFailpoint } from '../../kernel/failpoint.ts';

let stand: BillingStand;
let control: Paying['control'];
let start: Paying['start'];
let pay: Paying['pay'];
let funded: Paying['funded'];
let credits: Paying['credits'];
beforeAll(async () => {
  stand = await openBillingStand();
  ({ control, start, pay, funded, credits } = createPaying(stand));
});
afterEach(async () => {
  onFailpoint(null);
  await stand.sandbox.control('webhook-faults', {});
  await stand.sandbox.control('next', null);
  // Whatever a test did: every cent is explained afterwards.
  expect(await stand.faults()).toEqual([]);
});
afterAll(() => stand.close());

describe('webhooks', () => {
  test('delivered five times, shuffled and late: one credit each', async () => {
    const scope = await stand.organisation();
    await control('webhook-faults', { duplicate: 5, shuffle: true, seed: 7, delayMs: 30 });
    const started = await pay(scope, 'pm_usBankAccount_processing');
    await control('settle', { paymentIntent: started.paymentId });
    await stand.sandbox.pass(2_000);
    await stand.settle();
    expect(await credits(scope)).toBe(1);
    expect(await stand.figures(scope)).toMatchObject({ balance: 100_00, pendingBalance: 0, held: 0 });
  });

  test.each([
    ['with a wrong signature', { wrongSecret: true }],
    ['301 seconds old', { staleSeconds: 301 }],
  ])(
    '%s: refused, nothing stored, no credit; sent again rightly, and swept too, one credit',
    async (_title, fault) => {
      const scope = await stand.organisation();
      const stored = async () =>
        (await stand.database.systemDb.selectFrom('webhook_events').select('id').execute()).length;
      await control('webhook-faults', fault);
      const before = await stored();
      stand.answers.length = 0;
      await pay(scope, card);
      await stand.delivered();
      expect(new Set(stand.answers)).toEqual(new Set([400]));
      expect(await stored()).toBe(before);
      await stand.jobs();
      expect((await stand.figures(scope)).balance).toBe(0);
      await stand.sweep();
      expect((await stand.figures(scope)).balance).toBe(100_00);
      await control('webhook-faults', {});
      await stand.sandbox.pass(5_000);
      await stand.settle();
      expect(await credits(scope)).toBe(1);
    },
  );

  test('the payment of an event is read once from the provider, its top-up known or not', async () => {
    const reads = vi.spyOn(stand.payments, 'payment');
    try {
      const scope = await stand.organisation();
      const known = await pay(scope, card);
      await stand.settle();
      const about = (id: string) => reads.mock.calls.filter(([read]) => read === id).length;
      const events = await stand.database.systemDb
        .selectFrom('webhook_events')
        .select('id')
        .where('object_id', '=', known.paymentId)
        .execute();
      expect(events.length).toBeGreaterThan(0);
      expect(about(known.paymentId)).toBeLessThanOrEqual(events.length);
      // A crash before the payment was recorded: its metadata names the top-up.
      await inTransaction(stand.database.db, scope, (tx) =>
        tx.updateTable('topups').set({ payment_intent: null }).execute(),
      );
      const [event] = events;
      await stand.database.systemDb.updateTable('webhook_events').set({ applied_at: null }).execute();
      reads.mockClear();
      await stand.billing.webhooks.apply(event?.id ?? '');
      expect(about(known.paymentId)).toBe(1);
      await stand.settle();
      expect(await credits(scope)).toBe(1);
    } finally {
      reads.mockRestore();
    }
  });

  test('290 seconds old is young enough', async () => {
    const scope = await stand.organisation();
    await control('webhook-faults', { staleSeconds: 290 });
    await pay(scope, card);
    await stand.settle();
    expect(await credits(scope)).toBe(1);
  });

  test('an event before the payment is recorded is no loss: a crash between creation and recording', async () => {
    const scope = await stand.organisation();
    onFailpoint((name) => {
      if (name === 'topup.created') throw new Error('crash');
    });
    await expect(start(scope, 100, 'crash-key')).rejects.toThrow('crash');
    onFailpoint(null);
    const [row] = await inTransaction(stand.database.db, scope, (tx) =>
      tx.selectFrom('topups').select(['id', 'payment_intent']).execute(),
    );
    expect(row?.payment_intent).toBeNull();
    const again = await start(scope, 100, 'crash-key');
    expect(again.topupId).toBe(row?.id);
    await control('pay', { paymentIntent: again.paymentId, paymentMethod: card });
    await stand.settle();
    expect(await credits(scope)).toBe(1);
  });

  test('events that arrive before the payment is recorded, five times and shuffled: one credit', async () => {
    const scope = await stand.organisation();
    await control('webhook-faults', { duplicate: 5, shuffle: true, seed: 3 });
    onFailpoint((name) => {
      if (name === 'topup.created') throw new Error('crash');
    });
    await expect(start(scope)).rejects.toThrow('crash');
    onFailpoint(null);
    const list = await stand.sandbox.stripe.paymentIntents.list({ limit: 1 });
    await control('pay', { paymentIntent: list.data[0]?.id, paymentMethod: card });
    await stand.sandbox.pass(2_000);
    await stand.settle();
    expect(await credits(scope)).toBe(1);
    expect((await stand.figures(scope)).balance).toBe(100_00);
  });

  test('sweepers that run at once, beside the events themselves, credit once', async () => {
    const scope = await stand.organisation();
    await control('webhook-faults', { drop: 2 });
    await pay(scope, card);
    await Promise.all([stand.sweep(), stand.sweep(), stand.settle(), stand.sweep()]);
    await stand.settle();
    expect(await credits(scope)).toBe(1);
    expect((await stand.figures(scope)).balance).toBe(100_00);
  });

  test('a payment read back with a hundredfold amount is not credited; a person is called', async () => {
    const scope = await stand.organisation();
    const started = await start(scope);
    await stand.sandbox.stripe.paymentIntents.update(started.paymentId, { amount: 10_000_00 });
    await control('pay', { paymentIntent: started.paymentId, paymentMethod: card });
    await stand.settle();
    await stand.sweep();
    expect((await stand.figures(scope)).balance).toBe(0);
    const alarms = stand.people.letters.filter(({ to }) => to === 'operator@portal.test');
    expect(alarms.at(-1)?.text).toContain('paid 1000000 instead of 10000 cents');
  });

  test('a payment of another amount is told to the operator once, however often it is read; its return is told again', async () => {
    const scope = await stand.organisation();
    const { paymentId } = await start(scope);
    const told = () =>
      stand.people.letters.filter(
        ({ to, text }) => to === 'operator@portal.test' && text.includes(paymentId),
      );
    await stand.sandbox.stripe.paymentIntents.update(paymentId, { amount: 500_00 });
    await control('pay', { paymentIntent: paymentId, paymentMethod: card });
    await stand.settle();
    await stand.settle();
    const [first] = told();
    expect(first?.text).toContain(`${paymentId} (succeeded): paid 50000 instead of 10000 cents`);
    const before = told().length;
    for (let hour = 0; hour < 3; hour += 1) {
      await stand.sweep();
      await stand.settle();
    }
    expect(told()).toHaveLength(before);
    await stand.sandbox.stripe.refunds.create({ payment_intent: paymentId });
    for (let hour = 0; hour < 3; hour += 1) {
      await stand.settle();
      await stand.sweep();
    }
    await stand.settle();
    expect(
      told()
        .slice(before)
        .map(({ text }) => text),
    ).toEqual([
      expect.stringContaining('(reversed): paid 50000 instead of 10000 cents, 50000 of them taken back'),
    ]);
  });

  test('after a start, all that was paid is credited before the first of the waiting events is taken up', async () => {
    await control('webhook-faults', { drop: true });
    const scopes = [await stand.organisation(), await stand.organisation()];
    for (const scope of scopes) for (let paid = 0; paid < 10; paid += 1) await pay(scope, card);
    await stand.delivered();
    for (const scope of scopes) expect(await credits(scope)).toBe(0);
    const atFirstEvent: number[] = [];
    const { eventsSince } = stand.payments;
    stand.payments.eventsSince = async function* (since, account) {
      if (atFirstEvent.length === 0) for (const scope of scopes) atFirstEvent.push(await credits(scope));
      yield* eventsSince(since, account);
    };
    try {
      await stand.sweep();
    } finally {
      stand.payments.eventsSince = eventsSince;
    }
    expect(atFirstEvent).toEqual([10, 10]);
    for (const scope of scopes) expect((await stand.figures(scope)).balance).toBe(1_000_00);
  });

  test('a payment that was made but never recorded is found by the sweep', async () => {
    const scope = await stand.organisation();
    await control('webhook-faults', { drop: true });
    onFailpoint((name) => {
      if (name === 'topup.created') throw new Error('crash');
    });
    await expect(start(scope)).rejects.toThrow('crash');
    onFailpoint(null);
    const list = await stand.sandbox.stripe.paymentIntents.list({ limit: 1 });
    await control('pay', { paymentIntent: list.data[0]?.id, paymentMethod: card });
    await stand.delivered();
    expect((await stand.figures(scope)).balance).toBe(0);
    await stand.sweep();
    await stand.sweep();
    expect(await credits(scope)).toBe(1);
    expect((await stand.figures(scope)).balance).toBe(100_00);
  });

  test('a provider that does not answer while an event is applied: it is applied later, once', async () => {
    const scope = await stand.organisation();
    const started = await start(scope);
    await control('pay', { paymentIntent: started.paymentId, paymentMethod: card });
    await stand.delivered();
    await control('next', { method: 'GET', path: '/v1/payment_intents', effect: '500-before', times: 40 });
    await stand.jobs();
    expect((await stand.figures(scope)).balance).toBe(0);
    await control('next', null);
    await stand.billing.webhooks.applyDue();
    expect(await credits(scope)).toBe(1);
  });

  test('a flood of events about the same payments is stored whole, applied whole, and credits once', async () => {
    const scope = await stand.organisation();
    await pay(scope, card);
    await stand.settle();
    const count = 1_000;
    await control('flood', { count, perSecond: 2_000 });
    await stand.settle();
    const open = await stand.database.systemDb
      .selectFrom('webhook_events')
      .select('id')
      .where('applied_at', 'is', null)
      .execute();
    expect(open).toEqual([]);
    const stored = await stand.database.systemDb
      .selectFrom('webhook_events')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    expect(stored.n).toBeGreaterThanOrEqual(count);
    expect(await credits(scope)).toBe(1);
  });

  test('random faults on top of each other end in one credit a payment', async () => {
    const scope = await funded();
    for (let round = 0; round < 5; round += 1) {
      await control('webhook-faults', {
        duplicate: randomInt(1, 6),
        shuffle: true,
        seed: round + 1,
        delayMs: randomInt(0, 20),
        drop: randomInt(0, 3),
      });
      await pay(scope, card, 20);
    }
    await stand.sandbox.pass(2_000);
    await stand.settle();
    await stand.sweep();
    expect(await credits(scope)).toBe(6);
    expect((await stand.figures(scope)).balance).toBe(200_00);
  });
});
