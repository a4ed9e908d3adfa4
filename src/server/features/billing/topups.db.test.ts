import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';
import { card, createPaying, type Paying } from '../../../../tests/support/paying.ts';
import { inTransaction, systemTransaction } from '../../kernel/db/database.ts';
import { isClosedOrganisation } from '../../kernel/db/open-organisation.ts';
import { onFailpoint } from '../../kernel/failpoint.ts';
import { tellManagers } from '../../kernel/letters.ts';
import type { Scope } from '../../kernel/scope.ts';
import { applyPayment } from './apply-payment.ts';
import { findTopup } from './topups.repo.ts';

let stand: BillingStand;
let control: Paying['control'];
let start: Paying['start'];
let pay: Paying['pay'];
let funded: Paying['funded'];
let credits: Paying['credits'];
let stateOf: Paying['stateOf'];
beforeAll(async () => {
  stand = await openBillingStand({ pendingLimitCents: 60_00 });
  ({ control, start, pay, funded, credits, stateOf } = createPaying(stand));
});
afterEach(async () => {
  onFailpoint(null);
  vi.restoreAllMocks();
  await stand.sandbox.control('webhook-faults', {});
  await stand.sandbox.control('next', null);
  // Whatever a test did: every cent is explained afterwards.
  expect(await stand.faults()).toEqual([]);
});
afterAll(() => stand.close());

describe('amounts', () => {
  test.each([100, 10_000, 1_000_000, 20])(
    'while the initial fee is unpaid, asking for %d starts a payment of $100.00',
    async (amount) => {
      const scope = await stand.organisation();
      const started = await stand.billing.topups.start(scope, amount, null);
      expect(started.amount).toBe(100_00);
      const payment = await stand.payments.payment(started.intentSecret.split('_secret')[0] ?? '');
      expect(payment?.amountCents).toBe(100_00);
    },
  );

  test('afterwards the amount is in dollars: from $20, and 10000 meant as cents is refused', async () => {
    const scope = await funded();
    const amountOf = async (usd: number) => (await stand.billing.topups.start(scope, usd, null)).amount;
    expect(await amountOf(20)).toBe(20_00);
    expect(await amountOf(20.5)).toBe(20_50);
    await expect(amountOf(19.99)).rejects.toMatchObject({ message: 'Minimum of $20' });
    await expect(amountOf(10_000)).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(amountOf(50_000)).rejects.toMatchObject({ details: [{ path: 'amount' }] });
  });

  test('the same key is the same top-up, also for ten at once; with another amount it is refused', async () => {
    const scope = await funded();
    const all = await Promise.all(Array.from({ length: 10 }, () => start(scope, 50, 'top-up-key-1')));
    expect(new Set(all.map(({ topupId }) => topupId)).size).toBe(1);
    expect(new Set(all.map(({ paymentId }) => paymentId)).size).toBe(1);
    await expect(start(scope, 60, 'top-up-key-1')).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });
});

test('a top-up of an organization that was closed meanwhile is not begun', async () => {
  const scope = await stand.organisation();
  await stand.people.users.close(scope);
  const error: unknown = await stand.billing.topups
    .start(scope, 100, null)
    .catch((refusal: unknown) => refusal);
  expect(error instanceof Error && isClosedOrganisation(error)).toBe(true);
});

test('an organization with a top-up that can still be paid is not closed until it is cancelled', async () => {
  const scope = await stand.organisation();
  const { topupId } = await start(scope, 100, null);
  await expect(stand.people.users.close(scope)).rejects.toMatchObject({ data: { topUpIds: [topupId] } });
  await stand.billing.topups.cancel(scope, topupId);
  await stand.people.users.close(scope);
});

test('a declined top-up stands against closing as well, and can be cancelled', async () => {
  const scope = await stand.organisation();
  const declined = await pay(scope, 'pm_card_visa_chargeDeclined');
  const { topupId } = declined;
  await stand.settle();
  expect(await stateOf(scope, declined)).toBe('failed');
  await expect(stand.people.users.close(scope)).rejects.toMatchObject({ data: { topUpIds: [topupId] } });
  expect(await stand.billing.topups.cancel(scope, topupId)).toMatchObject({ state: 'cancelled' });
  await stand.people.users.close(scope);
});

describe('what takes a balance below zero calls the operator', () => {
  const alarms = (scope: Scope) =>
    stand.people.letters.filter(
      ({ to, text }) => to === 'operator@portal.test' && text.includes(scope.organisationId),
    );

  test('once for each dispute, with whose it is and what is owed, however often the payment is read', async () => {
    const scope = await funded();
    const { topupId, paymentId } = await pay(scope, card, 50);
    const second = await pay(scope, card, 30);
    await stand.settle();
    await stand.give(scope, -170_00);
    await control('dispute', { paymentIntent: paymentId });
    await stand.settle();
    await stand.billing.topups.refresh(scope.organisationId, topupId, paymentId);
    await stand.sweep();
    expect(alarms(scope)).toHaveLength(1);
    expect(alarms(scope)[0]?.text).toContain(`$50.00 was returned or disputed of top-up ${topupId}.`);
    expect(alarms(scope)[0]?.text).toMatch(/ now owes \$40\.00: it can buy nothing/);
    await control('dispute', { paymentIntent: second.paymentId });
    await stand.settle();
    expect(alarms(scope)).toHaveLength(2);
    expect(alarms(scope)[1]?.text).toContain(' now owes $70.00');
  });

  test('and one that leaves the balance at zero, or that is won again, calls nobody', async () => {
    const scope = await funded();
    const { paymentId } = await pay(scope, card, 50);
    await stand.settle();
    await stand.give(scope, -100_00);
    const { id } = (await control('dispute', { paymentIntent: paymentId })) as { id: string };
    await stand.settle();
    expect((await stand.figures(scope)).balance).toBe(0);
    await control('dispute-close', { id, won: true });
    await stand.settle();
    expect(alarms(scope)).toEqual([]);
  });

  test('and so does a bank transfer that was spent before it arrived, and does not', async () => {
    const scope = await stand.organisation();
    const { paymentId } = await pay(scope, 'pm_usBankAccount_processing');
    await stand.settle();
    await stand.give(scope, -60_00);
    expect(alarms(scope)).toEqual([]);
    await control('fail-payment', { paymentIntent: paymentId });
    await stand.settle();
    expect(alarms(scope)).toHaveLength(1);
    expect(alarms(scope)[0]?.text).toMatch(/\$100\.00 did not arrive of top-up .* now owes \$60\.00/s);
    const told = stand.people.letters.filter(({ to }) => to === scope.email);
    expect(told.map(({ subject }) => subject)).toEqual(['Your top-up of $100.00 did not arrive']);
    expect(told[0]?.text).toContain('Your balance is now −$60.00.');
  });

  test('a bank transfer that nobody counted on, and that does not arrive, is told nobody', async () => {
    const scope = await stand.organisation();
    const { paymentId } = await pay(scope, 'pm_usBankAccount_processing');
    await stand.settle();
    await control('fail-payment', { paymentIntent: paymentId });
    await stand.settle();
    expect(alarms(scope)).toEqual([]);
    expect(stand.people.letters.filter(({ to }) => to === scope.email)).toEqual([]);
  });
});

test('money that arrives for an organization after it was closed is booked there, and a person is called once', async () => {
  const scope = await stand.organisation();
  const { topupId, paymentId } = await start(scope, 100, null);
  await inTransaction(stand.database.db, scope, (tx) =>
    tx.updateTable('organisations').set({ closed_at: stand.clock.now() }).execute(),
  );
  const alarms = () =>
    stand.people.letters.filter(({ to, text }) => to === 'operator@portal.test' && text.includes('closed'));
  const before = alarms().length;
  await control('pay', { paymentIntent: paymentId, paymentMethod: card });
  await stand.settle();
  await stand.billing.topups.refresh(scope.organisationId, topupId, paymentId);
  await stand.settle();
  expect(await credits(scope)).toBe(1);
  expect(alarms().slice(before)).toHaveLength(1);
  expect(alarms().at(-1)?.text).toContain('$100.00 arrived');
});

test('a letter that waits while its organization is closed arrives with the person who closed it', async () => {
  const scope = await stand.organisation();
  await stand.jobs();
  const letter = { subject: 'About your top-up', parts: ['It was declined.'] };
  await systemTransaction(stand.database.systemDb, (tx) =>
    tellManagers(tx, { organisationId: scope.organisationId, notice: 'declined', letter }),
  );
  await stand.people.users.close(scope);
  const before = stand.people.letters.length;
  await stand.jobs();
  const sent = stand.people.letters.slice(before);
  expect(sent.map(({ to, subject }) => [to, subject])).toEqual([[scope.email, 'About your top-up']]);
});

test('of a top-up and the closing that come at once, one is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const scope = await stand.organisation();
    const results = await Promise.allSettled([
      stand.billing.topups.start(scope, 100, null),
      stand.people.users.close(scope),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  }
});

test('the same key after the provider has forgotten it leads to no second payment that somebody could pay', async () => {
  const scope = await funded();
  const { paymentId } = await start(scope, 50, 'top-up-key-2');
  await stand.forward(25 * 3_600_000);
  await expect(start(scope, 50, 'top-up-key-2')).rejects.toMatchObject({
    ...{ code: 'unprocessable', message: 'This top-up was started earlier. Please start a new one.' },
  });
  const { data } = await stand.sandbox.stripe.paymentIntents.list({ limit: 100 });
  const unpaid = data.filter(
    ({ metadata, status }) => metadata.organisation === scope.organisationId && status !== 'succeeded',
  );
  expect(unpaid.map(({ id, status }) => [id === paymentId, status])).toEqual([
    [false, 'canceled'],
    [true, 'requires_payment_method'],
  ]);
});

/** By whom and in what words the wallet's entries are, oldest first; without what the provider kept. */
const entriesOf = (scope: Scope) =>
  inTransaction(stand.database.db, scope, async (tx) => {
    const rows = await tx
      .selectFrom('journal')
      .select(['actor', 'text'])
      .where('kind', 'in', ['topup', 'reversal', 'reversal_returned'])
      .orderBy('at')
      .orderBy('id')
      .execute();
    return rows.map(({ actor, text }) => [actor, text]);
  });

describe('outcomes', () => {
  test('a card that succeeds is credited once, and pays the initial fee', async () => {
    const scope = await stand.organisation();
    const started = await pay(scope, card);
    await stand.settle();
    expect(await stand.figures(scope)).toMatchObject({ balance: 100_00, pendingBalance: 0, held: 0 });
    expect(await stand.billing.account(scope)).toMatchObject({
      ...{ paidInitialFee: true, hasPaymentMethod: true, balance: 100_00, pendingBalance: 0 },
    });
    expect(await stateOf(scope, started)).toBe('succeeded');
    expect(await credits(scope)).toBe(1);
    expect(await entriesOf(scope)).toEqual([['payments', 'Top-up by card']]);
  });

  test('a declined card charges nothing, and another card on the same payment succeeds', async () => {
    const scope = await stand.organisation();
    const started = await pay(scope, 'pm_card_visa_chargeDeclined');
    await stand.settle();
    expect(await stand.billing.topups.status(scope, started.topupId)).toMatchObject({
      state: 'failed',
      charged: false,
    });
    expect((await stand.billing.account(scope)).paidInitialFee).toBe(false);
    await control('pay', { paymentIntent: started.paymentId, paymentMethod: card });
    await stand.settle();
    expect((await stand.figures(scope)).balance).toBe(100_00);
  });

  test('a card that asks for authentication waits for the person', async () => {
    const scope = await stand.organisation();
    const passed = await pay(scope, 'pm_card_authenticationRequired');
    await stand.settle();
    expect(await stateOf(scope, passed)).toBe('requires_action');
    await control('challenge', { paymentIntent: passed.paymentId, pass: true });
    await stand.settle();
    expect((await stand.figures(scope)).balance).toBe(100_00);
    const failed = await pay(scope, 'pm_card_authenticationRequired');
    await control('challenge', { paymentIntent: failed.paymentId, pass: false });
    await stand.settle();
    expect(await stand.billing.topups.status(scope, failed.topupId)).toMatchObject({ charged: false });
    expect((await stand.figures(scope)).balance).toBe(100_00);
  });

  test('a bank payment is pending until it settles; meanwhile the initial fee counts as paid', async () => {
    const scope = await stand.organisation();
    const started = await pay(scope, 'pm_usBankAccount_processing');
    await stand.settle();
    expect(await stand.figures(scope)).toEqual({
      ...{ balance: 0, pendingBalance: 100_00, held: 0, spendable: 60_00 },
    });
    // A method is kept once a payment by it has arrived.
    expect(await stand.billing.account(scope)).toMatchObject({
      ...{ paidInitialFee: true, hasPaymentMethod: false, balance: 0, pendingBalance: 100_00 },
    });
    await control('settle', { paymentIntent: started.paymentId });
    await stand.settle();
    expect(await stand.figures(scope)).toMatchObject({ balance: 100_00, pendingBalance: 0, held: 0 });
    expect((await stand.billing.account(scope)).hasPaymentMethod).toBe(true);
    expect(await entriesOf(scope)).toEqual([['payments', 'Top-up by bank transfer']]);
  });

  test('a bank payment that fails leaves nothing, and takes the initial fee back', async () => {
    const scope = await stand.organisation();
    const started = await pay(scope, 'pm_usBankAccount_processing');
    await stand.settle();
    await control('fail-payment', { paymentIntent: started.paymentId });
    await stand.settle();
    expect(await stand.figures(scope)).toMatchObject({ balance: 0, pendingBalance: 0, held: 0 });
    expect((await stand.billing.account(scope)).paidInitialFee).toBe(false);
  });

  test('a bank payment returned late is a reversal that may take the wallet below zero', async () => {
    const scope = await stand.organisation();
    const started = await pay(scope, 'pm_usBankAccount_success');
    await control('settle', { paymentIntent: started.paymentId });
    await stand.settle();
    await stand.give(scope, -40_00);
    await control('dispute', { paymentIntent: started.paymentId });
    await stand.settle();
    expect(await stateOf(scope, started)).toBe('reversed');
    expect((await stand.figures(scope)).balance).toBe(-40_00);
  });

  test('a dispute takes the money, a won one brings it back, told twice or not', async () => {
    const scope = await stand.organisation();
    const started = await pay(scope, card);
    await stand.settle();
    const { id } = (await control('dispute', { paymentIntent: started.paymentId })) as { id: string };
    await stand.settle();
    expect((await stand.figures(scope)).balance).toBe(0);
    await stand.billing.topups.status(scope, started.topupId);
    await control('dispute-close', { id, won: true });
    await stand.settle();
    expect((await stand.figures(scope)).balance).toBe(100_00);
    expect(await stateOf(scope, started)).toBe('succeeded');
    expect(await entriesOf(scope)).toEqual([
      ['payments', 'Top-up by card'],
      ['payments', 'Payment returned or disputed'],
      ['payments', 'Returned payment won back'],
    ]);
  });

  test('refunds are taken back once each, in parts', async () => {
    const scope = await stand.organisation();
    const started = await pay(scope, card);
    await stand.settle();
    for (const amount of [30_00, 30_00]) {
      await stand.sandbox.stripe.refunds.create({ payment_intent: started.paymentId, amount });
      await stand.settle();
      await stand.billing.topups.status(scope, started.topupId);
    }
    expect((await stand.figures(scope)).balance).toBe(40_00);
    expect((await stand.billing.account(scope)).paidInitialFee).toBe(true);
  });

  test('an older reading of a payment never overwrites a newer one', async () => {
    const scope = await stand.organisation();
    const started = await pay(scope, card);
    await stand.settle();
    const old = await stand.payments.payment(started.paymentId);
    if (!old) throw new Error('no payment');
    const version = (
      await inTransaction(stand.database.db, scope, (tx) =>
        findTopup(tx, scope.organisationId, started.topupId),
      )
    )?.version;
    await control('dispute', { paymentIntent: started.paymentId });
    await stand.settle();
    expect((await stand.figures(scope)).balance).toBe(0);
    const late = await inTransaction(stand.database.db, scope, (tx) =>
      applyPayment(
        { clock: stand.clock, publicUrl: 'https://portal.test' },
        tx,
        started.topupId,
        old,
        version,
      ),
    );
    expect(late).toBe('stale');
    expect((await stand.figures(scope)).balance).toBe(0);
  });

  test('an older reading of a payment of another amount is told to nobody after a newer one', async () => {
    const scope = await stand.organisation();
    const { topupId, paymentId } = await start(scope, 100, null);
    const read = await stand.payments.payment(paymentId);
    if (!read) throw new Error('no payment');
    const old = { ...read, amountCents: 500_00, state: 'processing' } as const;
    const apply = (payment: typeof read, version: number) =>
      inTransaction(stand.database.db, scope, (tx) =>
        applyPayment({ clock: stand.clock, publicUrl: 'https://portal.test' }, tx, topupId, payment, version),
      );
    const known = () =>
      inTransaction(stand.database.db, scope, (tx) => findTopup(tx, scope.organisationId, topupId));
    const { version = 0 } = (await known()) ?? {};
    expect(await apply({ ...old, state: 'succeeded' }, version)).toBe(false);
    expect(await apply(old, version)).toBe('stale');
    await stand.jobs();
    const told = stand.people.letters.filter(({ text }) => text.includes(paymentId));
    expect(told.map(({ text }) => /\((\w+)\): paid/.exec(text)?.[1])).toEqual(['succeeded']);
  });

  test('two things to tell of one top-up are both told, once each, though the first mail had not left', async () => {
    const scope = await stand.organisation();
    const { topupId, paymentId } = await start(scope, 100, null);
    const read = await stand.payments.payment(paymentId);
    if (!read) throw new Error('no payment');
    const seen = { ...read, amountCents: 500_00, state: 'succeeded' } as const;
    const other = { ...seen, amountCents: 600_00 };
    for (const payment of [seen, other, seen, other]) {
      await inTransaction(stand.database.db, scope, async (tx) => {
        const { version = 0 } = (await findTopup(tx, scope.organisationId, topupId)) ?? {};
        const deps = { clock: stand.clock, publicUrl: 'https://portal.test' };
        expect(await applyPayment(deps, tx, topupId, payment, version)).toBe(false);
      });
    }
    await stand.jobs();
    const told = stand.people.letters.filter(({ text }) => text.includes(paymentId));
    expect(told.map(({ text }) => /: paid (\d+)/.exec(text)?.[1]).sort()).toEqual(['50000', '60000']);
  });

  test('a second payment under one top-up is credited as a top-up of its own, once, and can go back', async () => {
    const scope = await funded();
    const started = await pay(scope, card, 50);
    await stand.settle();
    const second = await stand.sandbox.stripe.paymentIntents.create({
      ...{ amount: 50_00, currency: 'usd', allowed_payment_method_types: ['card'] },
      metadata: { topup: started.topupId, organisation: scope.organisationId },
    });
    await stand.sandbox.control('pay', { paymentIntent: second.id, paymentMethod: card });
    await stand.settle();
    await Promise.all([stand.sweep(), stand.billing.topups.refreshPayment(second.id)]);
    await stand.sweep();
    expect((await stand.figures(scope)).balance).toBe(200_00);
    expect(await credits(scope)).toBe(3);
    // A person hears of it, once.
    const told = stand.people.letters.filter(({ text }) => text.includes(second.id));
    expect(told.map(({ to }) => to)).toEqual(['operator@portal.test']);
    expect(told[0]?.text).toContain(`${second.id} is a second payment; it is a top-up of its own`);
    await control('dispute', { paymentIntent: second.id });
    await stand.settle();
    expect((await stand.figures(scope)).balance).toBe(150_00);
    expect(await stateOf(scope, started)).toBe('succeeded');
  });

  test('news of a payment whose top-up a process died over is read again when somebody was faster', async () => {
    const scope = await stand.organisation();
    const started = await start(scope);
    await inTransaction(stand.database.db, scope, (tx) =>
      tx.updateTable('topups').set({ payment_intent: null }).where('id', '=', started.topupId).execute(),
    );
    const read = stand.payments.payment;
    vi.spyOn(stand.payments, 'payment').mockImplementationOnce(async (id) => {
      const before = await read(id);
      await control('pay', { paymentIntent: started.paymentId, paymentMethod: card });
      await stand.settle();
      expect((await stand.figures(scope)).balance).toBe(100_00);
      return before;
    });
    await stand.billing.topups.refreshPayment(started.paymentId);
    expect(await stateOf(scope, started)).toBe('succeeded');
    expect((await stand.figures(scope)).balance).toBe(100_00);
  });
});

describe('given up', () => {
  test('"You were not charged" stays true: a confirmation that reaches the provider late takes nothing', async () => {
    const scope = await stand.organisation();
    const started = await start(scope);
    const status = await stand.billing.topups.cancel(scope, started.topupId);
    expect(status).toMatchObject({ charged: false, state: 'cancelled' });
    await control('pay', { paymentIntent: started.paymentId, paymentMethod: card }).catch(() => 'refused');
    await stand.settle();
    await stand.sweep();
    expect(await stateOf(scope, started)).toBe('cancelled');
    expect(await credits(scope)).toBe(0);
    const again = await stand.billing.topups.cancel(scope, started.topupId);
    expect(again).toEqual(status);
    // The giving up is in the log, once.
    const entries = await logged(stand.database.db, scope, 'billing.cancelTopUp');
    expect(entries).toMatchObject([{ object: started.topupId, after: { state: 'cancelled' } }]);
    const stranger = await stand.organisation();
    await expect(stand.billing.topups.cancel(stranger, started.topupId)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test.each([
    [card, 'succeeded', 100_00],
    ['pm_usBankAccount_processing', 'processing', 0],
  ])('what was paid already (%s) is no failure and is not taken back', async (method, state, balance) => {
    const scope = await stand.organisation();
    const started = await pay(scope, method);
    const asked = vi.spyOn(stand.payments, 'cancelPayment');
    expect(await stand.billing.topups.cancel(scope, started.topupId)).toMatchObject({ charged: true, state });
    expect((await stand.figures(scope)).balance).toBe(balance);
    expect(asked).not.toHaveBeenCalled();
  });

  test('a payment and its giving up at once: one of the two, and what is said is what happened', async () => {
    const scope = await funded();
    let expected = 100_00;
    for (let round = 0; round < 6; round += 1) {
      const started = await start(scope, 20);
      const paying = () =>
        control('pay', { paymentIntent: started.paymentId, paymentMethod: card }).catch(() => 'refused');
      const giving = () => stand.billing.topups.cancel(scope, started.topupId);
      const [status] = await Promise.all(
        round % 2 === 0 ? [giving(), paying()] : [paying().then(giving), null],
      );
      if (status.charged) expected += 20_00;
      await stand.settle();
      expect((await stand.figures(scope)).balance).toBe(expected);
    }
    expect(expected).toBeGreaterThan(100_00);
  });

  test('a provider that does not answer: nothing is said of the payment', async () => {
    const scope = await stand.organisation();
    const started = await start(scope);
    await control('next', { method: 'POST', path: '/v1/payment_intents', effect: '500-before', times: 9 });
    await expect(stand.billing.topups.cancel(scope, started.topupId)).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });
});
