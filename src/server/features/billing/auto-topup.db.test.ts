import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { inTransaction, sql } from '../../kernel/db/database.ts';
import { onFailpoint } from '../../kernel/failpoint.ts';
import type { Scope } from '../../kernel/scope.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { applyPayment } from './apply-payment.ts';
import { lockedProfile } from './profile.repo.ts';

let stand: BillingStand;
beforeAll(async () => {
  stand = await openBillingStand();
});
afterEach(async () => {
  onFailpoint(null);
  expect(await stand.faults()).toEqual([]);
});
afterAll(() => stand.close());

const hourMs = 3_600_000;

/** $100 by this method, and auto balance of $100 below $50. */
async function reloading(paymentMethod = 'pm_card_visa'): Promise<Scope> {
  const scope = await stand.organisation();
  const { intentSecret } = await stand.billing.topups.start(scope, 100, null);
  await stand.sandbox.control('pay', { paymentIntent: intentSecret.split('_secret')[0], paymentMethod });
  await stand.settle();
  await stand.billing.autoTopup.set(scope, { enabled: true, amount: 100_00, mark: 50_00 });
  await stand.settle();
  return scope;
}

/** The stored method is one that declines from now on. */
async function spoil(scope: Scope, token: string): Promise<void> {
  const customer = await inTransaction(stand.database.db, scope, (tx) =>
    tx.selectFrom('billing_profiles').select('payment_customer_id').executeTakeFirstOrThrow(),
  );
  const method = await stand.sandbox.stripe.paymentMethods.attach(token, {
    customer: customer.payment_customer_id ?? '',
  });
  await inTransaction(stand.database.db, scope, (tx) =>
    tx.updateTable('billing_profiles').set({ payment_method_id: method.id }).execute(),
  );
}

const consider = (scope: Scope) => stand.billing.autoTopup.consider(scope.organisationId);
const autos = (scope: Scope) =>
  inTransaction(stand.database.db, scope, (tx) =>
    tx.selectFrom('topups').select(['state', 'cents', 'payment_intent']).where('kind', '=', 'auto').execute(),
  );
const settings = async (scope: Scope) => (await stand.billing.account(scope)).autoBalance;
const lettersTo = (scope: Scope) =>
  stand.people.letters.filter(({ to }) => to === scope.email).map(({ text }) => text);

test('needs a stored payment method, keeps its amounts, and stays quiet above the mark', async () => {
  const scope = await stand.organisation();
  const turnOn = () => stand.billing.autoTopup.set(scope, { enabled: true, amount: 100_00, mark: 50_00 });
  await expect(turnOn()).rejects.toMatchObject({ code: 'unprocessable' });
  // The provider knows the organization from here on, and nothing was paid.
  await stand.billing.topups.start(scope, 100, null);
  await expect(turnOn()).rejects.toMatchObject({ code: 'unprocessable' });
  expect(await settings(scope)).toEqual({ active: false, amount: 100_00, mark: 50_00 });
  const ready = await reloading();
  expect(await settings(ready)).toEqual({ active: true, amount: 100_00, mark: 50_00 });
  await consider(ready);
  expect(await autos(ready)).toEqual([]);
});

test('below the mark it tops up once, also when twenty look at the same time', async () => {
  const scope = await reloading();
  await stand.give(scope, -60_00);
  await Promise.allSettled(Array.from({ length: 20 }, () => consider(scope)));
  await stand.settle();
  await consider(scope);
  expect(await autos(scope)).toMatchObject([{ state: 'succeeded', cents: 100_00 }]);
  expect((await stand.figures(scope)).balance).toBe(140_00);
});

test('nothing is charged for an organization that was closed', async () => {
  const scope = await reloading();
  await stand.give(scope, -100_00);
  await stand.people.users.close(scope);
  expect((await logged(stand.database.db, scope, 'billing.autoBalance')).at(-1)).toEqual({
    ...{ by: scope.userId, kind: 'auto balance', object: scope.organisationId },
    ...{ before: { enabled: true }, after: { enabled: false } },
  });
  expect(await settings(scope).catch(() => null)).toBeNull();
  await inTransaction(stand.database.db, scope, (tx) =>
    tx.updateTable('billing_profiles').set({ auto_topup: true }).execute(),
  );
  await consider(scope);
  expect(await autos(scope)).toEqual([]);
});

test('a bank payment in processing is the one in flight: no second one', async () => {
  const scope = await reloading();
  await spoil(scope, 'pm_usBankAccount_processing');
  await stand.give(scope, -60_00);
  await consider(scope);
  await stand.settle();
  await stand.give(scope, -130_00);
  await consider(scope);
  expect(await autos(scope)).toMatchObject([{ state: 'processing' }]);
});

async function dyingAt(place: 'auto-topup.planned' | 'auto-topup.charged', work: () => Promise<unknown>) {
  onFailpoint((name) => {
    if (name === place) throw new Error('the process died');
  });
  await expect(work()).rejects.toThrow('the process died');
  onFailpoint(null);
}

test('the third of a day is finished after its process died, and counts once', async () => {
  const scope = await reloading();
  for (let time = 0; time < 3; time += 1) {
    await stand.give(scope, -(await stand.figures(scope)).balance);
    if (time === 2) await dyingAt('auto-topup.planned', () => consider(scope));
    await consider(scope);
    await stand.settle();
  }
  expect((await autos(scope)).map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(lettersTo(scope).filter((text) => text.includes('three times within 24 hours'))).toEqual([]);
});

test('at most three in 24 hours; the fourth need is told once, and waits until the pause ends by itself', async () => {
  const scope = await reloading();
  for (let time = 0; time < 6; time += 1) {
    await stand.give(scope, -(await stand.figures(scope)).balance);
    await consider(scope);
    await stand.settle();
  }
  expect(await autos(scope)).toHaveLength(3);
  expect(lettersTo(scope).filter((text) => text.includes('three times within 24 hours'))).toHaveLength(1);
  await stand.forward(25 * hourMs);
  await stand.settle();
  expect(await autos(scope)).toHaveLength(4);
});

test('a decline pauses for a day, a second one turns it off, and each is told by mail', async () => {
  const scope = await reloading();
  await spoil(scope, 'pm_card_chargeCustomerFail');
  await stand.give(scope, -60_00);
  await consider(scope);
  await consider(scope);
  await stand.settle();
  expect(await autos(scope)).toMatchObject([{ state: 'failed' }]);
  expect((await settings(scope)).active).toBe(true);
  await stand.forward(25 * hourMs);
  await consider(scope);
  await stand.settle();
  expect((await settings(scope)).active).toBe(false);
  expect(await autos(scope)).toHaveLength(2);
  const letters = lettersTo(scope);
  expect(letters).toContainEqual(expect.stringContaining('tries again in 24 hours'));
  expect(letters).toContainEqual(expect.stringContaining('Auto balance is now off'));
  expect((await stand.figures(scope)).balance).toBe(40_00);
});

test('after a pause it looks again by itself, though nobody buys anything, and not before', async () => {
  const scope = await reloading();
  await spoil(scope, 'pm_card_chargeCustomerFail');
  await stand.give(scope, -60_00);
  await consider(scope);
  await spoil(scope, 'pm_card_visa');
  await stand.forward(23 * hourMs);
  await stand.settle();
  expect(await autos(scope)).toMatchObject([{ state: 'failed' }]);
  await stand.forward(2 * hourMs);
  await stand.settle();
  expect((await autos(scope)).map(({ state }) => state).sort()).toEqual(['failed', 'succeeded']);
  expect((await stand.figures(scope)).balance).toBe(140_00);
});

test('a bank payment that fails late, and a dispute, have it look at once', async () => {
  const scope = await reloading();
  const manual = async (paymentMethod: string) => {
    const { intentSecret } = await stand.billing.topups.start(scope, 100, null);
    const paymentIntent = intentSecret.split('_secret')[0] ?? '';
    await stand.sandbox.control('pay', { paymentIntent, paymentMethod });
    await stand.settle();
    return paymentIntent;
  };
  const debit = await manual('pm_usBankAccount_processing');
  await stand.give(scope, -90_00);
  await consider(scope);
  expect(await autos(scope)).toEqual([]);
  await stand.sandbox.control('fail-payment', { paymentIntent: debit });
  await stand.settle();
  expect(await autos(scope)).toMatchObject([{ state: 'succeeded' }]);
  const card = await manual('pm_card_visa');
  await stand.give(scope, 60_00 - (await stand.figures(scope)).balance);
  await stand.sandbox.control('dispute', { paymentIntent: card });
  await stand.settle();
  expect(await autos(scope)).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
});

test('a dispute of an automatic top-up turns it off: nothing is charged again until a person turns it on', async () => {
  const scope = await reloading();
  await stand.give(scope, -60_00);
  await consider(scope);
  await stand.settle();
  const [first] = await autos(scope);
  await stand.give(scope, 60_00 - (await stand.figures(scope)).balance);
  await stand.sandbox.control('dispute', { paymentIntent: first?.payment_intent });
  await stand.settle();
  expect((await stand.figures(scope)).balance).toBe(-40_00);
  for (const hours of [0, 25]) {
    await stand.forward(hours * hourMs);
    await consider(scope);
    await stand.settle();
    expect(await autos(scope)).toMatchObject([{ state: 'reversed' }]);
  }
  expect((await settings(scope)).active).toBe(false);
  const told = 'An automatic top-up was disputed, returned or refunded.';
  expect(lettersTo(scope).filter((text) => text.includes(told))).toHaveLength(1);
  const entries = await logged(stand.database.db, scope, 'billing.autoBalance');
  expect(entries.map(({ by, before, after }) => [by, before, after]).at(-1)).toEqual([
    ...['Auto balance', { enabled: true }, { enabled: false }],
  ]);
  await stand.billing.autoTopup.set(scope, { enabled: true, amount: 100_00, mark: 50_00 });
  await stand.settle();
  expect((await autos(scope)).map(({ state }) => state).sort()).toEqual(['reversed', 'succeeded']);
});

test('who manages the organization is told each time that money of a top-up goes back, with what is left', async () => {
  const scope = await stand.organisation();
  const { intentSecret } = await stand.billing.topups.start(scope, 100, null);
  const paymentIntent = intentSecret.split('_secret')[0] ?? '';
  await stand.sandbox.control('pay', { paymentIntent, paymentMethod: 'pm_card_visa' });
  await stand.settle();
  const told = () => lettersTo(scope).filter((text) => text.includes('was taken back'));
  expect(told()).toEqual([]);
  await stand.sandbox.stripe.refunds.create({ payment_intent: paymentIntent, amount: 10_00 });
  await stand.settle();
  expect(told()).toEqual([expect.stringMatching(/\$10\.00 was taken back.*Your balance is now \$90\.00\./)]);
  // Heard again, it is nothing new.
  await stand.billing.webhooks.applyDue();
  await stand.settle();
  expect(told()).toHaveLength(1);
  await stand.give(scope, -50_00);
  await stand.sandbox.stripe.refunds.create({ payment_intent: paymentIntent, amount: 90_00 });
  await stand.settle();
  expect(told()).toHaveLength(2);
  expect(told()[1]).toMatch(/\$90\.00 was taken back.*Your balance is now −\$50\.00\./);
  expect(told()[1]).toContain('you cannot buy anything and nothing is renewed automatically');
});

test('each further part that goes back of an automatic top-up is told only while auto balance is on', async () => {
  const scope = await reloading();
  await stand.give(scope, -60_00);
  await consider(scope);
  await stand.settle();
  const [first] = await autos(scope);
  const giveBack = async () => {
    const payment_intent = first?.payment_intent ?? '';
    await stand.sandbox.stripe.refunds.create({ payment_intent, amount: 10_00 });
    await stand.settle();
  };
  const told = () =>
    lettersTo(scope).filter((text) => text.includes('disputed, returned or refunded')).length;
  const switched = async () => (await logged(stand.database.db, scope, 'billing.autoBalance')).length;
  await giveBack();
  expect([told(), await switched()]).toEqual([1, 2]);
  await giveBack();
  expect([told(), await switched()]).toEqual([1, 2]);
  await stand.billing.autoTopup.set(scope, { enabled: true, amount: 100_00, mark: 50_00 });
  await giveBack();
  expect([told(), await switched()]).toEqual([2, 4]);
  expect((await settings(scope)).active).toBe(false);
});

test('what is topped up and when is what was set last, and the log has both amounts as they were and as they are', async () => {
  const scope = await reloading();
  await stand.billing.autoTopup.set(scope, { enabled: true, amount: 130_00, mark: 99_99 });
  await stand.settle();
  expect(await autos(scope)).toEqual([]);
  await stand.billing.autoTopup.set(scope, { enabled: true, amount: 140_00, mark: 100_01 });
  await stand.settle();
  expect(await autos(scope)).toMatchObject([{ state: 'succeeded', cents: 140_00 }]);
  expect((await stand.figures(scope)).balance).toBe(240_00);
  expect((await logged(stand.database.db, scope, 'billing.autoBalance')).slice(1)).toEqual([
    {
      ...{ by: scope.userId, kind: 'auto balance', object: scope.organisationId },
      ...{
        before: { amountCents: 100_00, markCents: 50_00 },
        after: { amountCents: 130_00, markCents: 99_99 },
      },
    },
    {
      ...{ by: scope.userId, kind: 'auto balance', object: scope.organisationId },
      ...{
        before: { amountCents: 130_00, markCents: 99_99 },
        after: { amountCents: 140_00, markCents: 100_01 },
      },
    },
  ]);
});

test('a person who tries again where nothing is due, or where it is off, hears that no top-up was made', async () => {
  const scope = await reloading();
  expect(await stand.billing.autoTopup.retry(scope.organisationId)).toBe(false);
  await stand.billing.autoTopup.set(scope, { enabled: false });
  await stand.give(scope, -60_00);
  expect(await stand.billing.autoTopup.retry(scope.organisationId)).toBe(false);
  expect(await autos(scope)).toEqual([]);
});

test('a provider that does not answer a charge leaves it to be made again under the same key, and declines nothing', async () => {
  const scope = await reloading();
  await stand.give(scope, -60_00);
  const asked = vi.spyOn(stand.payments, 'chargeStored');
  asked.mockRejectedValueOnce(new UpstreamUnavailable('no answer'));
  await expect(consider(scope)).rejects.toThrow('no answer');
  expect(await autos(scope)).toMatchObject([{ state: 'requested' }]);
  expect(await settings(scope)).toMatchObject({ active: true });
  await consider(scope);
  await stand.settle();
  const [first, second] = asked.mock.calls.map(([input]) => input);
  expect(second).toEqual(first);
  expect(first).toMatchObject({
    ...{ organisationId: scope.organisationId, amountCents: 100_00 },
    idempotencyKey: `topup:${first?.topupId}`,
  });
  asked.mockRestore();
  expect(await autos(scope)).toMatchObject([{ state: 'succeeded' }]);
});

test('a debit that the bank refuses days later is a decline: it pauses, and the second one turns it off', async () => {
  const scope = await reloading();
  await spoil(scope, 'pm_usBankAccount_processing');
  await stand.give(scope, -60_00);
  const failLate = async () => {
    const open = (await autos(scope)).find(({ state }) => state === 'processing');
    await stand.forward(3 * 24 * hourMs);
    await stand.sandbox.control('fail-payment', { paymentIntent: open?.payment_intent });
    await stand.settle();
  };
  await consider(scope);
  await stand.settle();
  await failLate();
  await consider(scope);
  expect(await autos(scope)).toMatchObject([{ state: 'failed' }]);
  expect(lettersTo(scope)).toContainEqual(expect.stringContaining('tries again in 24 hours'));
  await stand.forward(25 * hourMs);
  await stand.settle();
  await failLate();
  expect((await settings(scope)).active).toBe(false);
  expect(lettersTo(scope)).toContainEqual(expect.stringContaining('Auto balance is now off'));
  await stand.forward(25 * hourMs);
  await stand.settle();
  expect(await autos(scope)).toHaveLength(2);
});

test('a decline that an event tells first counts once, and none is counted where a person has turned it off', async () => {
  const scope = await reloading();
  await spoil(scope, 'pm_card_chargeCustomerFail');
  await stand.give(scope, -60_00);
  onFailpoint((name) => {
    if (name === 'auto-topup.charged') throw new Error('the process died');
  });
  await expect(consider(scope)).rejects.toThrow('the process died');
  onFailpoint(null);
  await stand.settle();
  await consider(scope);
  expect(await autos(scope)).toMatchObject([{ state: 'failed' }]);
  expect((await settings(scope)).active).toBe(true);
  await stand.billing.autoTopup.set(scope, { enabled: true, amount: 100_00, mark: 50_00 });
  await spoil(scope, 'pm_usBankAccount_processing');
  await consider(scope);
  await stand.billing.autoTopup.set(scope, { enabled: false });
  const open = (await autos(scope)).find(({ state }) => state === 'processing');
  await stand.sandbox.control('fail-payment', { paymentIntent: open?.payment_intent });
  await stand.settle();
  expect((await settings(scope)).active).toBe(false);
});

test('what the job does by itself is in the log under its own name: each top-up, and that auto balance is off', async () => {
  const scope = await reloading();
  await spoil(scope, 'pm_card_authenticationRequired');
  await stand.give(scope, -60_00);
  await consider(scope);
  await stand.settle();
  const db = stand.database.db;
  expect(await logged(db, scope, 'billing.autoTopUp')).toEqual([
    {
      ...{ by: 'Auto balance', kind: 'top-up', object: expect.any(String) },
      ...{ before: null, after: { cents: 100_00, kind: 'auto' } },
    },
  ]);
  expect(
    (await logged(db, scope, 'billing.autoBalance')).map(({ by, before, after }) => [by, before, after]),
  ).toEqual([
    [scope.userId, expect.objectContaining({ enabled: false }), expect.objectContaining({ enabled: true })],
    ['Auto balance', { enabled: true }, { enabled: false }],
  ]);
});

test('a person who turns it off is in the log, as one who turns it on is; what changes nothing is not', async () => {
  const scope = await reloading();
  for (let time = 0; time < 2; time += 1) await stand.billing.autoTopup.set(scope, { enabled: false });
  const entries = await logged(stand.database.db, scope, 'billing.autoBalance');
  expect(entries.map(({ by, before, after }) => [by, before, after])).toEqual([
    [scope.userId, expect.objectContaining({ enabled: false }), expect.objectContaining({ enabled: true })],
    [scope.userId, { enabled: true }, { enabled: false }],
  ]);
});

test('a person who tries again hears of a top-up that was begun before and is finished now', async () => {
  const scope = await reloading();
  await stand.give(scope, -60_00);
  onFailpoint((name) => {
    if (name === 'auto-topup.planned') throw new Error('the process died');
  });
  await expect(consider(scope)).rejects.toThrow('the process died');
  onFailpoint(null);
  await stand.forward(hourMs);
  expect(await stand.billing.autoTopup.retry(scope.organisationId)).toBe(true);
  expect(await autos(scope)).toMatchObject([{ state: 'succeeded' }]);
});

test('one that was begun, never charged and is not needed any more ends as cancelled once all payments were read', async () => {
  const scope = await reloading();
  await stand.give(scope, -60_00);
  await dyingAt('auto-topup.planned', () => consider(scope));
  await stand.give(scope, 500_00);
  const states = async () => (await autos(scope)).map(({ state }) => state);
  await stand.forward(hourMs - 60_000);
  await stand.billing.sweep();
  expect(await states()).toEqual(['requested']);
  await stand.forward(2 * 60_000);
  await stand.billing.sweep();
  expect(await states()).toEqual(['cancelled']);
  expect((await stand.figures(scope)).balance).toBe(540_00);
});

test('one that was charged, and for months nobody could ask, is credited and not ended', async () => {
  const scope = await reloading();
  await stand.give(scope, -60_00);
  await dyingAt('auto-topup.charged', () => consider(scope));
  await stand.give(scope, 500_00);
  // Longer than any sweep looks back by itself.
  await stand.forward(400 * 24 * hourMs);
  await stand.billing.sweep();
  expect((await autos(scope)).map(({ state }) => state)).toEqual(['succeeded']);
});

test('one that was charged before its process died is credited by the same reading, and not ended', async () => {
  const scope = await reloading();
  await stand.give(scope, -60_00);
  await dyingAt('auto-topup.charged', () => consider(scope));
  await stand.give(scope, 500_00);
  await stand.forward(2 * hourMs);
  await stand.billing.sweep();
  expect((await autos(scope)).map(({ state }) => state)).toEqual(['succeeded']);
  expect((await stand.figures(scope)).balance).toBe(640_00);
});

test('a top-up that succeeds makes up for the decline before it: the next decline is a first one', async () => {
  const scope = await reloading();
  for (const [balance, method] of [
    [40_00, 'pm_card_chargeCustomerFail'],
    [40_00, 'pm_card_visa'],
    [40_00, 'pm_card_chargeCustomerFail'],
  ] as const) {
    await spoil(scope, method);
    await stand.give(scope, balance - (await stand.figures(scope)).balance);
    await consider(scope);
    await stand.settle();
    await stand.forward(25 * hourMs);
  }
  expect((await autos(scope)).map(({ state }) => state).sort()).toEqual(['failed', 'failed', 'succeeded']);
  expect((await settings(scope)).active).toBe(true);
});

test('turned on while the balance is below the mark, it tops up at once', async () => {
  const scope = await reloading();
  await stand.billing.autoTopup.set(scope, { enabled: false });
  await stand.give(scope, -60_00);
  await stand.settle();
  expect(await autos(scope)).toEqual([]);
  await stand.billing.autoTopup.set(scope, { enabled: true, amount: 100_00, mark: 50_00 });
  await stand.settle();
  expect(await autos(scope)).toMatchObject([{ state: 'succeeded' }]);
});

test('a bank that wants the person turns it off at once', async () => {
  const scope = await reloading();
  await spoil(scope, 'pm_card_authenticationRequired');
  await stand.give(scope, -60_00);
  await consider(scope);
  await stand.settle();
  expect((await settings(scope)).active).toBe(false);
});

test('a method that was removed at the provider counts as a decline', async () => {
  const scope = await reloading();
  const profile = await inTransaction(stand.database.db, scope, (tx) =>
    tx.selectFrom('billing_profiles').select('payment_method_id').executeTakeFirstOrThrow(),
  );
  await stand.sandbox.stripe.paymentMethods.detach(profile.payment_method_id ?? '');
  await stand.give(scope, -60_00);
  await consider(scope);
  expect(await autos(scope)).toMatchObject([{ state: 'failed' }]);
});

test.each(['auto-topup.planned', 'auto-topup.charged'])(
  'a crash at %s charges once after all',
  async (point) => {
    const scope = await reloading();
    await stand.give(scope, -60_00);
    onFailpoint((name) => {
      if (name === point) throw new Error('crash');
    });
    await expect(consider(scope)).rejects.toThrow('crash');
    onFailpoint(null);
    await consider(scope);
    await stand.settle();
    expect(await autos(scope)).toMatchObject([{ state: 'succeeded' }]);
    expect((await stand.figures(scope)).balance).toBe(140_00);
    const made = await stand.sandbox.stripe.paymentIntents.list({ limit: 100 });
    const own = made.data.filter(({ metadata }) => metadata.organisation === scope.organisationId);
    expect(own).toHaveLength(2);
  },
);

test('a payment that is written down while an automatic top-up is planned waits for it, and neither is ended by the other', async () => {
  const scope = await reloading();
  const { id, payment_intent } = await inTransaction(stand.database.db, scope, (tx) =>
    tx.selectFrom('topups').select(['id', 'payment_intent']).executeTakeFirstOrThrow(),
  );
  const payment = await stand.payments.payment(payment_intent ?? '');
  if (!payment) throw new Error('no payment');
  const told = await inTransaction(stand.database.db, scope, async (tx) => {
    await lockedProfile(tx, scope.organisationId);
    const writing = inTransaction(stand.database.db, scope, (other) =>
      applyPayment({ clock: stand.clock, publicUrl: 'https://portal.test' }, other, id, payment),
    );
    await waiting();
    // The planner's next step.
    await tx.updateTable('topups').set({ claim: id }).where('id', '=', id).execute();
    return { writing };
  });
  expect(await told.writing).toBe(false);
});

/** Somebody waits for a lock. */
async function waiting(): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`SELECT FROM pg_locks WHERE NOT granted`.execute(stand.database.systemDb);
    expect(rows.length).toBeGreaterThan(0);
  });
}
