import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import {
  across,
  customerRow,
  itemRow,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import type { DirectChargeState } from '../../kernel/db/schema.ts';
import { newId } from '../../kernel/ids.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '../../kernel/scope.ts';
import { createSeal } from '../../kernel/seal.ts';
import { PaymentRefused } from '../../ports/payments.ts';
import { failCharge } from './charge-outcome.ts';
import { addToCharge, changeCharge, findCharge } from './charges.repo.ts';
import { createDirectBilling } from './direct-billing.service.ts';
import { changeRefund, lockRefund, wantRefund } from './refunds.repo.ts';

/** What a person does with a charge that failed, and what waits for it; the payment provider is a stand-in here. */

const now = new Date('2026-11-22T12:00:00Z');
let database: TestDatabase;
let scope: Scope;
let customerId: string;
const payments = {
  refundConnected: vi.fn(),
  connectedRefunds: vi.fn(async (): Promise<unknown[]> => []),
  connectedPayment: vi.fn(async (): Promise<unknown> => null),
  connectedMandate: vi.fn(),
};

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  const organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  customerId = await customerRow(database, organisationId);
  scope = {
    ...{ organisationId, userId, email: 'ann@msp.example', role: 'MSP_ADMIN', reach: wholeOrganisation },
    ...{ rights: rightsOfRole, ip: null, requestId: 'test' },
  };
  vi.clearAllMocks();
  await takeJobs(database.url);
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, scope.organisationId, run);
const direct = () =>
  createDirectBilling({
    ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => now }, claimMs: 60_000 },
    ...{ payments: payments as never, logger: { warn: () => undefined } as never },
    ...{ seal: createSeal([{ number: 1, secret: 'test' }]), publicUrl: 'https://portal.test' },
  });
/** A charge of one item, in a purchase of its own. */
async function charge(state: DirectChargeState, attempt = 1) {
  const { organisationId } = scope;
  const orderId = await orderRow(database, organisationId);
  const itemId = await itemRow(database, { organisationId, orderId }, { customer_id: customerId });
  const item = { itemId, orderId, customerId, priceCents: 1_000, markupCents: 200 };
  const id = (await tenant((tx) => addToCharge(tx, organisationId, item, now))) ?? '';
  await tenant((tx) => changeCharge(tx, id, { state, payment_intent: `pi_${id}` }));
  await tenant((tx) => tx.updateTable('direct_charges').set({ attempt }).where('id', '=', id).execute());
  return { id, itemId, ref: { organisationId, itemId } };
}
const jobs = async () => (await takeJobs(database.url)).map(({ task, payload }) => ({ task, ...payload }));

test('those that are open are those that failed, and those whose repeat is under way', async () => {
  const [failed, again] = [await charge('failed'), await charge('sending', 2)];
  const [first, paid] = [await charge('sending', 1), await charge('succeeded', 2)];
  const shown = async (open: boolean) =>
    (await direct().list(scope, { pageSize: 10, open, customerId })).rows
      .map(({ chargeId }) => chargeId)
      .toSorted();
  expect(await shown(true)).toEqual([failed.id, again.id].toSorted());
  expect(await shown(false)).toEqual([first.id, paid.id].toSorted());
});

test('one that is settled is tried no more, is in the log with its reason, and wakes what waited for it', async () => {
  const { id, ref } = await charge('failed');
  await tenant(async (tx) => {
    await wantRefund(tx, ref, 'revoked', now);
    await changeRefund(tx, ref.itemId, { charge_id: id }, now);
  });
  const settled = await direct().settle(scope, id, 'Paid by bank transfer');
  expect(settled).toMatchObject({ state: 'waived', note: 'Paid by bank transfer', nextTryAt: null });
  expect(await jobs()).toEqual([{ task: 'direct-billing.refund', ...ref }]);
  expect(await logged(database.db, scope, 'direct.settle')).toEqual([
    {
      ...{ by: scope.userId, kind: 'direct-charge', object: id, before: { state: 'failed', cents: 12_00 } },
      after: { state: 'waived', note: 'Paid by bank transfer' },
    },
  ]);
  expect(await loggedAbout(database.db, scope, 'direct.settle')).toEqual([customerId]);
  await expect(direct().settle(scope, id, 'again')).rejects.toMatchObject({ code: 'unprocessable' });
});

test('one that is tried again is due now, and in the log of its customer', async () => {
  const { id } = await charge('failed');
  expect(await direct().retry(scope, id)).toMatchObject({ nextTryAt: now.toISOString() });
  const { organisationId } = scope;
  expect(await jobs()).toEqual([{ task: 'direct-billing.charge', chargeId: id, organisationId }]);
  expect(await logged(database.db, scope, 'direct.retry')).toEqual([
    {
      ...{ by: scope.userId, kind: 'direct-charge', object: id, before: { state: 'failed', cents: 12_00 } },
      after: { state: 'sending' },
    },
  ]);
  expect(await loggedAbout(database.db, scope, 'direct.retry')).toEqual([customerId]);
});

test.each(['collecting', 'sending', 'processing', 'succeeded', 'waived'] as const)(
  'one that is %s is not a person’s to change, and one of another organization is not there',
  async (state) => {
    const { id } = await charge(state);
    await expect(direct().retry(scope, id)).rejects.toMatchObject({ code: 'unprocessable' });
    await expect(direct().settle(scope, id, 'x')).rejects.toMatchObject({ code: 'unprocessable' });
    const stranger = { ...scope, organisationId: await organisationRow(database) };
    await expect(direct().retry(stranger, id)).rejects.toMatchObject({ code: 'not_found' });
  },
);

test('a refund whose claim went to another process meanwhile is that one’s to write down', async () => {
  const { ref } = await charge('succeeded');
  const run = () => direct().tasks['direct-billing.refund'](ref);
  await tenant((tx) => wantRefund(tx, ref, 'revoked', now));
  payments.refundConnected.mockImplementationOnce(async () => {
    await across(database, (tx) =>
      tx.updateTable('direct_refunds').set({ claim: newId() }).where('item_id', '=', ref.itemId).execute(),
    );
    return 're_1';
  });
  await run();
  expect(await tenant((tx) => lockRefund(tx, ref.itemId))).toMatchObject({
    state: 'sending',
    refund_id: null,
  });
  // Nor does a refusal that comes too late end anything.
  payments.connectedRefunds.mockResolvedValueOnce([]);
  payments.refundConnected.mockImplementationOnce(async () => {
    await across(database, (tx) =>
      tx.updateTable('direct_refunds').set({ claim: newId() }).where('item_id', '=', ref.itemId).execute(),
    );
    throw new PaymentRefused('No.');
  });
  await run();
  expect(await tenant((tx) => lockRefund(tx, ref.itemId))).toMatchObject({ state: 'sending', failure: null });
  expect(await jobs()).toEqual([]);
  payments.refundConnected.mockClear();
  // The other one finds it at the provider, and sends nothing again.
  payments.connectedRefunds.mockResolvedValue([
    { id: 're_1', itemId: ref.itemId, amountCents: 1_200, returned: false },
  ]);
  await run();
  expect(payments.refundConnected).not.toHaveBeenCalled();
  expect(await tenant((tx) => lockRefund(tx, ref.itemId))).toMatchObject({
    state: 'done',
    refund_id: 're_1',
  });
});

test('news of a payment at another account never touches a charge, whatever it says of itself', async () => {
  const { id } = await charge('processing');
  payments.connectedPayment.mockResolvedValue({
    ...{ id: `pi_${id}`, chargeId: id, organisationId: scope.organisationId, state: 'succeeded' },
    ...{ amountCents: 1_200, reversedCents: 0, failureCode: null, failure: null },
  });
  const account = (payment_account_id: string) =>
    tenant((tx) =>
      tx
        .insertInto('billing_profiles')
        .values({ organisation_id: scope.organisationId, payment_account_id })
        .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet({ payment_account_id }))
        .execute(),
    );
  const state = async () => (await tenant((tx) => findCharge(tx, id)))?.state;
  await account('acct_theirs');
  await direct().charges.refreshPayment('acct_other', `pi_${id}`);
  expect(await state()).toBe('processing');
  await direct().charges.refreshPayment('acct_theirs', `pi_${id}`);
  expect(await state()).toBe('succeeded');
  // Another payment that names the charge is not the charge's own: what came back of it is not looked at.
  payments.connectedRefunds.mockResolvedValue([
    { id: 're_1', itemId: null, amountCents: 1_200, returned: true, failure: 'Closed' },
  ]);
  const own = await payments.connectedPayment();
  payments.connectedPayment.mockResolvedValueOnce({ ...(own as object), id: 'py_copy' });
  const news = { type: 'charge.refunded', customerId: null, paymentMethodId: null };
  await direct().onEvent('acct_theirs', { ...news, objectId: 'py_copy' });
  expect(payments.connectedPayment).toHaveBeenLastCalledWith('acct_theirs', 'py_copy');
  expect(await state()).toBe('succeeded');
  expect(payments.connectedRefunds).not.toHaveBeenCalled();
});

test('an event is about a payment, a consent, or whom it names: that is read again, at the account that it came from', async () => {
  const news = { customerId: null, paymentMethodId: null };
  payments.connectedPayment.mockResolvedValue(null);
  payments.connectedMandate.mockResolvedValue({ active: true, paymentMethod: null });
  const asked = async (type: string, objectId: string | null) => {
    await direct().onEvent('acct_1', { ...news, type, objectId });
    const calls = [payments.connectedPayment.mock.calls, payments.connectedMandate.mock.calls];
    vi.clearAllMocks();
    return calls;
  };
  expect(await asked('payment_intent.succeeded', 'pi_1')).toEqual([[['acct_1', 'pi_1']], []]);
  expect(await asked('charge.refunded', 'py_1')).toEqual([[['acct_1', 'py_1']], []]);
  expect(await asked('mandate.updated', 'mandate_1')).toEqual([[], [['acct_1', 'mandate_1']]]);
  expect(await asked('customer.updated', 'cus_pi_1')).toEqual([[], []]);
  expect(await asked('mandate.updated', null)).toEqual([[], []]);
});

test('a customer hears of a failed charge with a link to store another method; one who was deleted without', async () => {
  const writeLink = vi.fn(async () => ({ id: 'link', address: 'https://portal.test/payment-setup/x' }));
  const outcome = {
    ...{ clock: { now: () => now }, seal: createSeal([{ number: 1, secret: 'test' }]) },
    ...{ publicUrl: 'https://portal.test', writeLink },
  };
  const fail = async () => {
    const { id } = await charge('sending');
    await tenant((tx) => failCharge(outcome, tx, id, { text: 'Declined', wantsPerson: false }));
  };
  await fail();
  expect(writeLink).toHaveBeenCalledOnce();
  // Without an address for bills the MSP alone hears of it.
  expect((await jobs()).map(({ task }) => task)).toEqual(['direct-billing.charge', 'billing.notify']);
  await tenant((tx) =>
    tx.updateTable('customers').set({ deleted_at: now }).where('id', '=', customerId).execute(),
  );
  await fail();
  expect(writeLink).toHaveBeenCalledOnce();
});

test('the letter of each failed try is one of its own: a mail server keeps no second one for a copy of the first', async () => {
  const outcome = {
    ...{ clock: { now: () => now }, seal: createSeal([{ number: 1, secret: 'test' }]) },
    ...{ publicUrl: 'https://portal.test' },
    writeLink: async () => ({ id: 'link', address: 'https://portal.test/payment-setup/x' }),
  };
  const billing_email = 'books@customer.example';
  await tenant((tx) =>
    tx.updateTable('customers').set({ billing_email }).where('id', '=', customerId).execute(),
  );
  const { id } = await charge('sending', 1);
  for (const attempt of [1, 2]) {
    await tenant((tx) =>
      tx.updateTable('direct_charges').set({ attempt, state: 'sending' }).where('id', '=', id).execute(),
    );
    await tenant((tx) => failCharge(outcome, tx, id, { text: 'Declined', wantsPerson: false }));
  }
  const letters = (await jobs()).filter(({ task }) => task === 'mail.send') as unknown as {
    to: string;
    messageId: string;
  }[];
  expect(letters.map(({ to }) => to)).toEqual([billing_email, billing_email]);
  expect(new Set(letters.map(({ messageId }) => messageId)).size).toBe(2);
});
