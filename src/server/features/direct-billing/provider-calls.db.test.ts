import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newId } from '#kernel/ids.ts';
import { post, postOf } from '#kernel/letters.ts';
import { createSeal } from '#kernel/seal.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import { wordsOf } from '../../../../tests/support/letters.ts';
import {
  across,
  customerRow,
  itemRow,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { type Payment, PaymentRefused } from '../../ports/payments.ts';
import { addToCharge, changeCharge, findCharge } from './charges.repo.ts';
import { createDirectBilling } from './direct-billing.service.ts';
import { lockRefund, wantRefund } from './refunds.repo.ts';

/** What the payment provider is asked of an end customer's money, each field of it, and what is written of the answer. */

const now = new Date('2026-11-22T12:00:00Z');
const seal = createSeal([{ number: 1, secret: 'test' }]);
let database: TestDatabase;
let organisationId: string;
let customerId: string;
let orderId: string;
let accountId: string;
let customerThere: string;
const payments = {
  chargeConnected: vi.fn(),
  retryConnected: vi.fn(),
  findConnected: vi.fn(),
  connectedPayment: vi.fn(),
  refundConnected: vi.fn(),
  connectedRefunds: vi.fn(),
};

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  [accountId, customerThere] = [`acct_${organisationId}`, `cus_${organisationId}`];
  customerId = await customerRow(database, organisationId, {
    ...{ bill_directly: true, billing_email: 'pay@customer.example', payment_customer_id: customerThere },
    ...{ payment_method_set: true, payment_method_id: 'pm_1' },
  });
  orderId = await orderRow(database, organisationId, { created_at: now });
  await tenant((tx) =>
    tx
      .insertInto('billing_profiles')
      .values({
        ...{ organisation_id: organisationId, payment_account_id: accountId, payment_account_ready: true },
      })
      .execute(),
  );
  vi.resetAllMocks();
  payments.connectedRefunds.mockResolvedValue([]);
  await takeJobs(database.url);
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const direct = () =>
  createDirectBilling({
    ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => now }, claimMs: 60_000 },
    ...{ payments: payments as never, logger: { warn: () => undefined } as never },
    ...{ seal, publicUrl: 'https://portal.test' },
  });
/** A charge of two items. */
async function charge(
  change: Parameters<typeof changeCharge>[2] = {},
  addresses: readonly string[] = ['one.com', 'two.com'],
) {
  const items: string[] = [];
  let id = '';
  for (const address of addresses) {
    const itemId = await itemRow(
      database,
      { organisationId, orderId },
      { customer_id: customerId, address, state: 'succeeded' },
    );
    const item = { itemId, orderId, customerId, priceCents: 10_00, markupCents: 2_00 };
    id = (await tenant((tx) => addToCharge(tx, organisationId, item, now))) ?? id;
    items.push(itemId);
  }
  if (Object.keys(change).length > 0) await tenant((tx) => changeCharge(tx, id, change));
  return { id, items };
}
const run = (chargeId: string) => direct().tasks['direct-billing.charge']({ organisationId, chargeId });
const read = (id: string) => tenant((tx) => findCharge(tx, id));
const paymentOf = (chargeId: string, change: Partial<Payment> = {}) => ({
  ...{
    id: `pi_${chargeId}`,
    state: 'succeeded',
    amountCents: 24_00,
    feeCents: null,
    disputes: [],
    reversedCents: 0,
  },
  ...{ method: 'card', paymentMethod: 'pm_1', failure: null, failureCode: null, createdAt: now },
  ...{ topupId: null, organisationId, chargeId, ...change },
});
const fence = { holdsForMs: expect.any(Function) };

test('a charge goes to the account of the MSP, from the customer’s own method, with all that it is for', async () => {
  const { id } = await charge();
  payments.chargeConnected.mockResolvedValue(paymentOf(id));
  await run(id);
  const items = 'one.com, two.com';
  expect(payments.chargeConnected.mock.calls).toEqual([
    [
      {
        ...{ accountId, connectedCustomer: customerThere, paymentMethod: 'pm_1', amountCents: 24_00 },
        description: `Test: ${items}`,
        metadata: {
          charge: id,
          purchase: orderId,
          customer: customerId,
          organisation: organisationId,
          items,
        },
        idempotencyKey: `direct:${orderId}:${customerId}`,
      },
      expect.objectContaining(fence),
    ],
  ]);
  expect(await read(id)).toMatchObject({
    ...{ state: 'succeeded', payment_intent: `pi_${id}`, attempt: 1, failure: null, next_try_at: null },
  });
  expect(await logged(database.db, { organisationId }, 'direct.charge')).toEqual([
    {
      ...{ by: 'Direct billing', kind: 'direct-charge', object: id, before: null },
      after: { cents: 24_00, try: 1, order: orderId },
    },
  ]);
  expect(await loggedAbout(database.db, { organisationId }, 'direct.charge')).toEqual([customerId]);
});

test('one that was declined is tried again as the same payment, by the present method, for what is owed now', async () => {
  const { id } = await charge({ state: 'failed', payment_intent: 'pi_before', next_try_at: now });
  await tenant((tx) => tx.updateTable('direct_charges').set({ attempt: 1 }).where('id', '=', id).execute());
  payments.connectedPayment.mockResolvedValue(
    paymentOf(id, { id: 'pi_before', state: 'requires_payment_method', failure: 'Declined' }),
  );
  payments.retryConnected.mockResolvedValue(paymentOf(id, { id: 'pi_before' }));
  await run(id);
  expect(payments.chargeConnected).not.toHaveBeenCalled();
  expect(payments.retryConnected.mock.calls).toEqual([
    [
      {
        ...{ accountId, paymentMethod: 'pm_1', amountCents: 24_00, paymentId: 'pi_before' },
        idempotencyKey: `direct:${orderId}:${customerId}:try2:pm_1`,
      },
      expect.objectContaining(fence),
    ],
  ]);
  expect(await read(id)).toMatchObject({ state: 'succeeded', attempt: 2, payment_intent: 'pi_before' });
});

test('a decline is written with its reason and its next try, and both sides hear of it', async () => {
  await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  const { id } = await charge();
  payments.chargeConnected.mockResolvedValue(
    paymentOf(id, { state: 'requires_payment_method', failure: 'Your card was declined.' }),
  );
  await run(id);
  const next = new Date(now.getTime() + 86_400_000);
  expect(await read(id)).toMatchObject({
    ...{ state: 'failed', failure: 'Your card was declined.', next_try_at: next, payment_intent: `pi_${id}` },
  });
  expect(await runsAt(database.url, `direct-charge:${id}`)).toEqual(next);
  const jobs = await takeJobs(database.url);
  const again = { task: 'direct-billing.charge', payload: { organisationId, chargeId: id } };
  expect(jobs.find(({ task }) => task === 'direct-billing.charge')).toEqual(again);
  const letters = jobs.filter(({ task }) => task !== 'direct-billing.charge').map(({ payload }) => payload);
  expect(letters).toMatchObject([
    { to: 'pay@customer.example', sender: { organisationId, inItsName: true } },
    { organisationId },
  ]);
  // Both are told what it is about; the customer where to store another method, too.
  const toCustomer = wordsOf(postOf(post.parse(letters[0]), seal).letter);
  for (const part of ['$24.00', 'one.com, two.com', 'card was declined', 'Nov 23, 2026', '/payment-setup/']) {
    expect(toCustomer).toContain(part);
  }
  for (const part of ['Example Ltd', '$24.00', 'one.com, two.com', 'card was declined', 'Nov 23, 2026']) {
    expect(JSON.stringify(letters[1])).toContain(part);
  }
  expect(JSON.stringify(letters[1])).not.toContain('/payment-setup/');
});

test('a bank that wants the person is not asked again without them', async () => {
  const { id } = await charge();
  payments.chargeConnected.mockResolvedValue(paymentOf(id, { state: 'requires_action' }));
  await run(id);
  expect(await read(id)).toMatchObject({ state: 'failed', next_try_at: null, payment_intent: `pi_${id}` });
  expect((await takeJobs(database.url)).map(({ task }) => task)).toEqual(['mail.send', 'billing.notify']);
});

test('a payment that was declined, and then given up, is not tried again: the next try makes another one', async () => {
  const { id } = await charge({
    state: 'failed',
    payment_intent: 'pi_given_up',
    next_try_at: now,
  });
  payments.retryConnected.mockResolvedValue(paymentOf(id, { id: 'pi_given_up', state: 'cancelled' }));
  payments.connectedPayment.mockResolvedValue(paymentOf(id, { id: 'pi_given_up', state: 'cancelled' }));
  await run(id);
  expect(await read(id)).toMatchObject({ state: 'failed', payment_intent: null });
});

test('after a payment that was given up the next try makes another one', async () => {
  const { id } = await charge();
  payments.chargeConnected.mockResolvedValue(paymentOf(id, { state: 'cancelled' }));
  await run(id);
  expect(await read(id)).toMatchObject({ state: 'failed', payment_intent: null });
  await tenant((tx) => changeCharge(tx, id, { next_try_at: now }));
  payments.chargeConnected.mockResolvedValue(paymentOf(id, { id: 'pi_second' }));
  await run(id);
  expect(payments.chargeConnected.mock.calls.map(([{ idempotencyKey }]) => idempotencyKey)).toEqual([
    `direct:${orderId}:${customerId}`,
    `direct:${orderId}:${customerId}:try2`,
  ]);
  expect(await read(id)).toMatchObject({ state: 'succeeded', payment_intent: 'pi_second', failure: null });
});

test.each([
  [
    'no account that takes payments',
    { account: { payment_account_ready: false }, customer: {} },
    'The payment account is not ready to take payments.',
  ],
  [
    'no method of the customer',
    { account: {}, customer: { payment_method_id: null } },
    'The customer no longer has a payment method.',
  ],
])(
  'with %s nothing is asked for; the charge is open, says why and is tried again',
  async (_what, change, text) => {
    const { id } = await charge();
    await tenant(async (tx) => {
      const { account, customer } = change;
      if (Object.keys(account).length > 0) await tx.updateTable('billing_profiles').set(account).execute();
      if (Object.keys(customer).length > 0) await tx.updateTable('customers').set(customer).execute();
    });
    await run(id);
    expect(payments.chargeConnected).not.toHaveBeenCalled();
    const next = new Date(now.getTime() + 86_400_000);
    expect(await read(id)).toMatchObject({ state: 'failed', failure: text, next_try_at: next });
  },
);

test('a charge that the provider will not take is open, and says why; one without an answer stays under way', async () => {
  const { id } = await charge();
  payments.chargeConnected.mockRejectedValue(new UpstreamUnavailable('no answer'));
  await expect(run(id)).rejects.toThrow('no answer');
  expect(await read(id)).toMatchObject({ state: 'sending', failure: null, attempt: 1 });
  payments.chargeConnected.mockRejectedValue(new PaymentRefused('The account is closed.'));
  await run(id);
  expect(await read(id)).toMatchObject({ state: 'failed', failure: 'The account is closed.', attempt: 1 });
  // Under the first key: it may have been made. Before each, the provider was asked what it has of it.
  const keys = payments.chargeConnected.mock.calls.map(([{ idempotencyKey }]) => idempotencyKey);
  expect(keys).toEqual([keys[0], keys[0]]);
  const since = new Date(now.getTime() - 86_400_000);
  const asked = [accountId, customerThere, { chargeId: id, since }];
  expect(payments.findConnected.mock.calls).toEqual([asked, asked]);
});

test.each([
  ['a refusal', () => Promise.reject(new PaymentRefused('No.'))],
  ['a decline', async (id: string) => paymentOf(id, { state: 'requires_payment_method' })],
])('%s of a try that another process has taken over by then ends nothing', async (_what, answer) => {
  const { id } = await charge();
  payments.chargeConnected.mockImplementation(async () => {
    await across(database, (tx) =>
      tx.updateTable('direct_charges').set({ claim: newId() }).where('id', '=', id).execute(),
    );
    return answer(id);
  });
  await run(id);
  expect(await read(id)).toMatchObject({ state: 'sending', failure: null });
  expect(await takeJobs(database.url)).toEqual([]);
});

test('what a charge is for is cut to what the provider takes, in its description and beside it', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `${'long-'.repeat(11)}${at}.com`);
  const { id } = await charge({}, names);
  payments.chargeConnected.mockResolvedValue(paymentOf(id, { amountCents: 12 * 12_00 }));
  await run(id);
  const [{ description, metadata }] = payments.chargeConnected.mock.calls[0] ?? [];
  expect(description).toBe(`Test: ${names.join(', ')}`.slice(0, 300));
  expect(metadata.items).toBe(names.join(', ').slice(0, 500));
});

test.each(['processing', 'succeeded', 'waived'] as const)(
  'news that the payment of a charge that is %s has another amount calls the operator once, and changes nothing',
  async (state) => {
    const paymentId = `pi_${organisationId}`;
    const { id } = await charge({ state, payment_intent: paymentId });
    const payment = paymentOf(id, { id: paymentId, amountCents: 1_00 });
    payments.connectedPayment.mockResolvedValue(payment);
    const before = await read(id);
    for (let time = 0; time < 2; time += 1) await direct().charges.refreshPayment(accountId, paymentId);
    expect(await read(id)).toEqual({ ...before, disputes_read_at: now });
    expect((await takeJobs(database.url)).map(({ task }) => task)).toEqual(['operator.alert']);
  },
);

test('the sweep goes on past a charge, and past a refund, that cannot be taken up', async () => {
  const long = new Date(now.getTime() - 10 * 60_000);
  const stale = async (change: Parameters<typeof changeCharge>[2]) => {
    orderId = await orderRow(database, organisationId, { created_at: now });
    const made = await charge(change);
    await tenant((tx) => changeCharge(tx, made.id, { updated_at: long }));
    return made;
  };
  const [away, there] = [await stale({}), await stale({})];
  await tenant((tx) => changeCharge(tx, away.id, { updated_at: new Date(long.getTime() - 1) }));
  const paid = await stale({ state: 'succeeded', payment_intent: 'pi_paid_3' });
  for (const [place, itemId = ''] of paid.items.entries()) {
    const at = new Date(long.getTime() + place);
    await tenant((tx) => wantRefund(tx, { organisationId, itemId }, 'revoked', at));
  }
  payments.chargeConnected.mockImplementation(async ({ metadata }) => {
    if (metadata.charge === away.id) throw new UpstreamUnavailable('no answer');
    return paymentOf(metadata.charge);
  });
  payments.refundConnected.mockRejectedValueOnce(new UpstreamUnavailable('no answer'));
  payments.refundConnected.mockResolvedValue('re_2');
  await direct().tasks['direct-billing.sweep']();
  expect([await read(away.id), await read(there.id)]).toMatchObject([
    { state: 'sending' },
    { state: 'succeeded' },
  ]);
  const states = await Promise.all(
    paid.items.map(async (itemId) => (await tenant((tx) => lockRefund(tx, itemId)))?.state),
  );
  expect(states).toEqual(['sending', 'done']);
});

test('the sweep goes no further without the database, at a charge and at a refund', async () => {
  const long = new Date(now.getTime() - 10 * 60_000);
  const lost = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  const stale = async (change: Parameters<typeof changeCharge>[2]) => {
    orderId = await orderRow(database, organisationId, { created_at: now });
    const made = await charge(change);
    await tenant((tx) => changeCharge(tx, made.id, { updated_at: long }));
    return made;
  };
  for (let count = 0; count < 2; count += 1) await stale({});
  payments.chargeConnected.mockRejectedValue(lost);
  await expect(direct().tasks['direct-billing.sweep']()).rejects.toBe(lost);
  expect(payments.chargeConnected).toHaveBeenCalledTimes(1);
  payments.chargeConnected.mockImplementation(async ({ metadata }) => paymentOf(metadata.charge));
  const paid = await stale({ state: 'succeeded', payment_intent: 'pi_paid_4' });
  for (const itemId of paid.items)
    await tenant((tx) => wantRefund(tx, { organisationId, itemId }, 'revoked', long));
  payments.refundConnected.mockRejectedValue(lost);
  await expect(direct().tasks['direct-billing.sweep']()).rejects.toBe(lost);
  expect(payments.refundConnected).toHaveBeenCalledTimes(1);
});

test('a payment of another amount is a person’s: the operator is called, and nothing is tried again', async () => {
  const { id } = await charge();
  payments.chargeConnected.mockResolvedValue(paymentOf(id, { amountCents: 23_99 }));
  await run(id);
  const alert = {
    task: 'operator.alert',
    payload: { kind: 'direct-charge', text: expect.stringContaining(id) },
  };
  expect(await takeJobs(database.url)).toEqual([alert]);
  expect(await read(id)).toMatchObject({ state: 'failed', next_try_at: null, payment_intent: `pi_${id}` });
});

test('of an item that came to nothing its price and markup go back, from the payment that it was in, under its own key', async () => {
  const { id, items } = await charge({ state: 'succeeded', payment_intent: 'pi_paid' });
  const ref = { organisationId, itemId: items[1] ?? '' };
  await tenant((tx) => wantRefund(tx, ref, 'revoked', now));
  payments.refundConnected.mockResolvedValue('re_1');
  await direct().tasks['direct-billing.refund'](ref);
  expect(payments.refundConnected.mock.calls).toEqual([
    [
      {
        ...{ accountId, paymentId: 'pi_paid', amountCents: 12_00, itemId: ref.itemId },
        idempotencyKey: `refund:${ref.itemId}`,
      },
      expect.objectContaining(fence),
    ],
  ]);
  expect(await tenant((tx) => lockRefund(tx, ref.itemId))).toMatchObject({
    ...{ state: 'done', refund_id: 're_1', cents: 12_00, charge_id: id, failure: null },
  });
  expect(await logged(database.db, { organisationId }, 'direct.refund')).toEqual([
    {
      ...{ by: 'Direct billing', kind: 'direct-charge', object: id, before: null },
      after: { cents: 12_00, item: ref.itemId },
    },
  ]);
  expect(await loggedAbout(database.db, { organisationId }, 'direct.refund')).toEqual([customerId]);
});

test('a refund whose answer was lost is found by its item: what the MSP gave back by hand is not taken for it', async () => {
  const lost = async (paymentId: string, found: (itemId: string) => object[]) => {
    const { items } = await charge({ state: 'succeeded', payment_intent: paymentId });
    const ref = { organisationId, itemId: items[0] ?? '' };
    await tenant((tx) => wantRefund(tx, ref, 'revoked', now));
    payments.connectedRefunds.mockResolvedValue([]);
    payments.refundConnected.mockRejectedValueOnce(new UpstreamUnavailable('no answer'));
    await direct()
      .tasks['direct-billing.refund'](ref)
      .catch(() => 'lost');
    payments.refundConnected.mockClear();
    payments.refundConnected.mockResolvedValue('re_new');
    payments.connectedRefunds.mockResolvedValue(found(ref.itemId));
    await tenant((tx) => tx.updateTable('direct_refunds').set({ claimed_at: null }).execute());
    await direct().tasks['direct-billing.refund'](ref);
    return tenant((tx) => lockRefund(tx, ref.itemId));
  };
  const byHand = { id: 're_by_hand', itemId: null, amountCents: 12_00, returned: false };
  expect(await lost('pi_lost_1', () => [{ ...byHand, returned: true }])).toMatchObject({
    refund_id: 're_new',
  });
  expect(payments.refundConnected).toHaveBeenCalledTimes(1);
  const found = await lost('pi_lost_2', (itemId) => [byHand, { ...byHand, id: 're_lost', itemId }]);
  expect(found).toMatchObject({ state: 'done', refund_id: 're_lost' });
  // It may have been for this item: nothing is sent again, and a person decides.
  expect(await lost('pi_lost_3', () => [byHand])).toMatchObject({ state: 'failed', refund_id: null });
  expect(payments.refundConnected).not.toHaveBeenCalled();
});

test('an answer that comes after somebody has read the payment again takes back nothing of what they wrote', async () => {
  const { id } = await charge();
  payments.chargeConnected.mockImplementation(async () => {
    const read = {
      state: 'succeeded',
      payment_intent: `pi_${id}`,
      refunded_cents: 5_00,
      disputed_cents: 5_00,
    } as const;
    await tenant((tx) => changeCharge(tx, id, read));
    return paymentOf(id, { disputes: null });
  });
  await run(id);
  expect(await read(id)).toMatchObject({ state: 'succeeded', refunded_cents: 5_00, disputed_cents: 5_00 });
});

test('a refund that is refused is the MSP’s to give: it is told by one letter, and no entry says that it was made', async () => {
  await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  const { items } = await charge({ state: 'succeeded', payment_intent: 'pi_paid_2' });
  const ref = { organisationId, itemId: items[0] ?? '' };
  await tenant((tx) => wantRefund(tx, ref, 'revoked', now));
  payments.refundConnected.mockRejectedValue(new PaymentRefused('The account is empty.'));
  await direct().tasks['direct-billing.refund'](ref);
  expect(await tenant((tx) => lockRefund(tx, ref.itemId))).toMatchObject({
    ...{ state: 'failed', failure: 'The account is empty.', cents: 12_00, refund_id: null },
  });
  const [letter, ...more] = await takeJobs(database.url);
  expect(more).toEqual([]);
  expect(letter?.payload).toMatchObject({ organisationId });
  for (const part of ['The account is empty.', '$12.00', 'pi_paid_2']) {
    expect(JSON.stringify(letter?.payload)).toContain(part);
  }
  expect(await logged(database.db, { organisationId }, 'direct.refund')).toEqual([]);
});

test('a wish for a refund is kept with its reason, and tried now', async () => {
  const { items } = await charge();
  const ref = { organisationId, itemId: items[0] ?? '' };
  await direct().tasks['orders.after-refund']({ ...ref, reason: 'Revoked by its authority' });
  expect(await tenant((tx) => lockRefund(tx, ref.itemId))).toMatchObject({
    ...{ state: 'wanted', reason: 'Revoked by its authority', refund_id: null },
  });
  expect(await takeJobs(database.url)).toEqual([{ task: 'direct-billing.refund', payload: ref }]);
});

test('an older reading of a payment never overwrites a newer one: not what went back of it, nor that it was paid', async () => {
  const { id } = await charge({ state: 'processing', payment_intent: 'pi_bank' });
  const older = paymentOf(id, { id: 'pi_bank', state: 'processing' });
  const newer = paymentOf(id, { id: 'pi_bank', reversedCents: 5_00 });
  const refresh = () => direct().charges.refreshPayment(accountId, 'pi_bank');
  payments.connectedPayment
    .mockImplementationOnce(async () => {
      // While this answer is on its way, another process reads the payment and writes what it is by then.
      payments.connectedPayment.mockResolvedValue(newer);
      await refresh();
      return older;
    })
    .mockResolvedValue(newer);
  await refresh();
  expect(await read(id)).toMatchObject({ state: 'succeeded', refunded_cents: 5_00 });
  // The other one has nobody before it.
  payments.connectedPayment.mockResolvedValue(paymentOf(id, { id: 'pi_bank', reversedCents: 0 }));
  await refresh();
  expect(await read(id)).toMatchObject({ state: 'succeeded', refunded_cents: 0 });
});
