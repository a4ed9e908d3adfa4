import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, organisationRow, topupRow, userRow, within } from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '../../kernel/scope.ts';
import { checkLedger } from '../../ledger/check.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { InvalidWebhook, type Payment, type PaymentEvent, PaymentRefused } from '../../ports/payments.ts';
import { createAutoTopup } from './auto-topup.ts';
import { createDashboard } from './dashboard.ts';
import { createPaymentAccounts } from './payment-account.ts';
import { billingProfile } from './profile.repo.ts';
import { createTopups } from './topups.service.ts';
import { createWebhooks } from './webhooks.ts';

/** What a payment provider, a stand-in here, tells of payments and accounts, and who acts on it. */

let database: TestDatabase;
let scope: Scope;
const clock = { now: () => new Date('2026-11-22T12:00:00Z') };
const logger = { warn: () => undefined, error: () => undefined, info: () => undefined } as never;
const list = async function* <T>(items: readonly T[]) {
  yield* items;
};

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  const organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  scope = {
    ...{ organisationId, userId, email: 'ann@msp.example', role: 'MSP_ADMIN', reach: wholeOrganisation },
    ...{ rights: rightsOfRole, ip: null, requestId: 'test' },
  };
});
const publicUrl = 'https://portal.test';
const base = () => ({ db: database.db, systemDb: database.systemDb, clock, logger, publicUrl });
const profile = () =>
  within(database, scope.organisationId, (tx) => billingProfile(tx, scope.organisationId));

describe('an event', () => {
  const event = (change: Partial<PaymentEvent>): PaymentEvent => ({
    ...{ id: `evt_${newId()}`, type: 'payment_intent.succeeded', account: null, objectId: 'pi_1' },
    ...{ paymentId: null, customerId: null, paymentMethodId: null, createdAt: clock.now() },
    ...change,
  });
  const refreshPayment = vi.fn(async (_id: string) => undefined);
  const listeners = { connected: vi.fn(async () => undefined), account: vi.fn(async () => undefined) };
  const webhooks = (told: PaymentEvent) => {
    const payments = { verifyWebhook: async () => told } as never;
    return createWebhooks({ ...base(), payments, topups: { refreshPayment }, listeners });
  };
  const hear = async (change: Partial<PaymentEvent>) => {
    const told = event(change);
    vi.clearAllMocks();
    await webhooks(told).receive(Buffer.from(''), '');
    await webhooks(told).applyDue();
    return told;
  };
  const stored = (id: string) =>
    database.systemDb.selectFrom('webhook_events').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  test('about a payment of ours has that payment read again', async () => {
    const { id } = await hear({});
    expect(refreshPayment.mock.calls).toEqual([['pi_1']]);
    expect(listeners.connected).not.toHaveBeenCalled();
    expect((await stored(id)).applied_at).not.toBeNull();
  });

  test('about a payment in a connected account is that account’s, and never ours', async () => {
    await hear({ account: 'acct_1', customerId: 'cus_1' });
    expect(refreshPayment).not.toHaveBeenCalled();
    const named = { objectId: 'pi_1', customerId: 'cus_1', paymentMethodId: null };
    expect(listeners.connected).toHaveBeenCalledWith('acct_1', {
      type: 'payment_intent.succeeded',
      ...named,
    });
  });

  test('about a connected account as such goes to who keeps it', async () => {
    await hear({ type: 'account.updated', account: 'acct_1', objectId: 'acct_1' });
    expect(listeners.account).toHaveBeenCalledWith('acct_1', { type: 'account.updated' });
    expect(listeners.connected).not.toHaveBeenCalled();
  });

  test('beside others about the same thing has it read once; one that fails holds up no other', async () => {
    vi.clearAllMocks();
    const [good, bad] = [`pi_${newId()}`, `pi_${newId()}`];
    const told = [bad, good, good, bad].map((objectId) => event({ objectId }));
    for (const one of told) await webhooks(one).receive(Buffer.from(''), '');
    refreshPayment.mockImplementation(async (id) => {
      if (id === bad) throw new Error('x'.repeat(600));
    });
    const [one] = told as [PaymentEvent];
    await expect(webhooks(one).applyDue()).rejects.toThrow('2 events could not be applied yet');
    expect(refreshPayment.mock.calls.map(([id]) => id).toSorted()).toEqual([bad, good].toSorted());
    const rows = await Promise.all(told.map(({ id }) => stored(id)));
    expect(rows.map((row) => [row.object_id === good, row.applied_at !== null, row.attempts])).toEqual([
      [false, false, 1],
      [true, true, 1],
      [true, true, 1],
      [false, false, 1],
    ]);
    expect(rows[0]?.last_error).toBe('x'.repeat(500));
    refreshPayment.mockReset();
    await webhooks(one).applyDue();
    expect(refreshPayment.mock.calls).toEqual([[bad]]);
  });

  test('about nothing that moves money reads nothing, and is done', async () => {
    const { id } = await hear({ type: 'customer.updated', objectId: 'cus_1' });
    expect(refreshPayment).not.toHaveBeenCalled();
    expect(listeners.connected).not.toHaveBeenCalled();
    expect((await stored(id)).applied_at).not.toBeNull();
  });

  test('that is not signed is a bad request; any other mistake stays one', async () => {
    const failing = (error: Error) => {
      const verifyWebhook = async () => {
        throw error;
      };
      const payments = { verifyWebhook } as never;
      return createWebhooks({ ...base(), payments, topups: { refreshPayment }, listeners });
    };
    const receive = (error: Error) => failing(error).receive(Buffer.from(''), '');
    await expect(receive(new InvalidWebhook('no'))).rejects.toMatchObject({ code: 'bad_request' });
    await expect(receive(new Error('mistake'))).rejects.toThrow('mistake');
  });

  test('that cannot be stored keeps none from being found, and what is late none from being applied; the sweep fails', async () => {
    vi.clearAllMocks();
    const [broken, behind, late] = [event({ type: 'a\u0000' }), event({}), event({ objectId: 'pi_late' })];
    await webhooks(late).receive(Buffer.from(''), '');
    await across(database, (tx) =>
      tx
        .updateTable('webhook_events')
        .set({ received_at: new Date(0) })
        .where('id', '=', late.id)
        .execute(),
    );
    const payments = { eventsSince: () => list([broken, behind]) } as never;
    const { sweep } = createWebhooks({ ...base(), payments, topups: { refreshPayment }, listeners });
    await expect(sweep(new Date(0))).rejects.toMatchObject({ code: '22021' });
    expect((await stored(behind.id)).applied_at).toBeNull();
    expect((await stored(late.id)).applied_at).not.toBeNull();
  });

  test('is not applied one after the other where the provider does not even list them', async () => {
    vi.clearAllMocks();
    const late = event({ objectId: 'pi_late' });
    await webhooks(late).receive(Buffer.from(''), '');
    await across(database, (tx) =>
      tx
        .updateTable('webhook_events')
        .set({ received_at: new Date(0) })
        .where('id', '=', late.id)
        .execute(),
    );
    const outage = new UpstreamUnavailable('no answer');
    const eventsSince = async function* () {
      yield* list([]);
      throw outage;
    };
    const { sweep } = createWebhooks({
      ...{ ...base(), payments: { eventsSince } as never, topups: { refreshPayment }, listeners },
    });
    await expect(sweep(new Date(0))).rejects.toBe(outage);
    expect(refreshPayment).not.toHaveBeenCalled();
    expect((await stored(late.id)).applied_at).toBeNull();
    await across(database, (tx) => tx.deleteFrom('webhook_events').where('id', '=', late.id).execute());
  });

  test('that never arrived is found by a sweep, and one that was tried in vain is tried again by it', async () => {
    vi.clearAllMocks();
    const [lost, late, elsewhere] = [event({}), event({ objectId: 'pi_late' }), event({ account: 'acct_7' })];
    await webhooks(late).receive(Buffer.from(''), '');
    await across(database, (tx) =>
      tx
        .updateTable('webhook_events')
        .set({ attempts: 10, received_at: new Date(0) })
        .where('id', '=', late.id)
        .execute(),
    );
    const asked: unknown[] = [];
    const eventsSince = (since: Date, account?: string) => {
      asked.push([since, account]);
      return list(account ? [elsewhere] : [lost, lost, late]);
    };
    const { sweep, sweepAccount } = createWebhooks({
      ...{ ...base(), payments: { eventsSince } as never, topups: { refreshPayment }, listeners },
    });
    const since = new Date('2026-11-01T00:00:00Z');
    expect(await sweep(since)).toBe(1);
    expect(refreshPayment.mock.calls).toEqual([['pi_late']]);
    expect((await stored(late.id)).applied_at).not.toBeNull();
    expect([await sweepAccount('acct_7', since), await sweepAccount('acct_7', since)]).toEqual([1, 0]);
    expect(asked).toEqual([
      [since, undefined],
      [since, 'acct_7'],
      [since, 'acct_7'],
    ]);
    expect(listeners.connected).not.toHaveBeenCalled();
    await webhooks(lost).applyDue();
    expect(refreshPayment).toHaveBeenCalledWith('pi_1');
    expect(listeners.connected).toHaveBeenCalledWith('acct_7', expect.anything());
  });

  test('that cannot be applied is counted with its reason, and left alone after ten tries', async () => {
    const told = event({ objectId: `pi_${newId()}` });
    await webhooks(told).receive(Buffer.from(''), '');
    refreshPayment.mockRejectedValue(new Error('no answer'));
    for (let tries = 1; tries <= 10; tries += 1) {
      await expect(webhooks(told).applyDue()).rejects.toThrow('could not be applied');
      expect(await stored(told.id)).toMatchObject({ attempts: tries, last_error: 'no answer' });
    }
    await webhooks(told).applyDue();
    expect(await stored(told.id)).toMatchObject({ attempts: 10, applied_at: null });
    refreshPayment.mockReset();
  });
});

describe('the organization’s own account', () => {
  const account = (finished: boolean) => ({ id: 'acct', finished, requirements: [], billingAddress: {} });
  const accountStatus = vi.fn(async (id: string) => ({ ...account(true), id }));
  const accounts = () =>
    createPaymentAccounts({
      ...base(),
      payments: { accountStatus, accountSetupLink: async () => 'https://provider.test/setup' } as never,
      publicUrl: 'https://portal.test',
    });
  const owned = async (ready: boolean) => {
    const id = `acct_${newId()}`;
    await profile();
    await within(database, scope.organisationId, (tx) =>
      tx
        .updateTable('billing_profiles')
        .set({ payment_account_id: id, payment_account_ready: ready })
        .execute(),
    );
    accountStatus.mockClear();
    return id;
  };
  const isReady = async () => (await profile()).payment_account_ready;

  test('that left takes no payments any more, and cannot be read', async () => {
    const id = await owned(true);
    await accounts().onEvent(id, { type: 'account.application.deauthorized' });
    expect(await isReady()).toBe(false);
    expect(accountStatus).not.toHaveBeenCalled();
  });

  test('is what the provider says when it is read, whatever the event was', async () => {
    const id = await owned(false);
    await accounts().onEvent(id, { type: 'account.updated' });
    expect(await isReady()).toBe(true);
    accountStatus.mockResolvedValueOnce({ ...account(false), id });
    await accounts().onEvent(id, { type: 'capability.updated' });
    expect(await isReady()).toBe(false);
  });

  test('is ready at once when somebody comes back from its set-up, though no event tells of it', async () => {
    const id = await owned(false);
    const wanted = { ...account(false), id, requirements: ['a bank account'] };
    accountStatus.mockResolvedValueOnce(wanted as never);
    const unfinished = { id, finishedRequirement: false, requirements: ['a bank account'] };
    expect(await accounts().refresh(scope)).toEqual(unfinished);
    expect(await isReady()).toBe(false);
    expect(await accounts().refresh(scope)).toEqual({ id, finishedRequirement: true, requirements: [] });
    expect(await isReady()).toBe(true);
  });

  test('gives its billing address, each line as itself, and none without an account', async () => {
    const line = { name: 'Acme', line1: '9 Harbour Road', line2: 'Floor 3', city: 'Toronto', state: 'ON' };
    const billingAddress = { ...line, postalCode: 'M5V 1A1', country: 'CA' };
    const payments = { accountStatus: async () => ({ ...account(true), billingAddress }) } as never;
    const { address } = createDashboard({ ...base(), payments });
    expect(await address(scope)).toEqual({ address: null });
    await owned(true);
    expect(await address(scope)).toEqual({ address: billingAddress });
    const bare = { accountStatus: async () => ({ ...account(true), billingAddress: { city: 'Toronto' } }) };
    const none = { name: '', line1: '', line2: '', state: '', postalCode: '', country: '' };
    expect(await createDashboard({ ...base(), payments: bare as never }).address(scope)).toEqual({
      address: { ...none, city: 'Toronto' },
    });
  });

  test('of nobody here is not read', async () => {
    accountStatus.mockClear();
    await accounts().onEvent('acct_of_nobody', { type: 'account.updated' });
    expect(accountStatus).not.toHaveBeenCalled();
  });

  test('is set up by a link that the log names', async () => {
    const id = await owned(false);
    expect(await accounts().setupLink(scope)).toEqual({ link: 'https://provider.test/setup' });
    expect(await logged(database.db, scope, 'billing.accountLink')).toMatchObject([{ object: id }]);
  });
});

describe('a top-up', () => {
  const payment = (change: Partial<Payment>): Payment => ({
    ...{ id: 'pi', state: 'requires_payment_method', amountCents: 20_00, feeCents: null, reversedCents: 0 },
    disputes: [],
    ...{ method: null, paymentMethod: null, failure: null, failureCode: null, createdAt: clock.now() },
    ...{ topupId: null, organisationId: null, chargeId: null },
    ...change,
  });
  const topups = (payments: object) => createTopups({ ...base(), payments: payments as never });
  const begun = async () => {
    const id = `pi_${newId()}`;
    const topupId = await topupRow(database, scope.organisationId, {
      payment_intent: id,
      state: 'requested',
    });
    return { id, topupId };
  };
  const stateOf = async (topupId: string) =>
    within(database, scope.organisationId, (tx) =>
      tx.selectFrom('topups').select('state').where('id', '=', topupId).executeTakeFirstOrThrow(),
    );

  test('that a person gives up is in the log when that ended it, and not when it had ended', async () => {
    const { id, topupId } = await begun();
    let present = payment({ id });
    const provider = {
      payment: async () => present,
      cancelPayment: vi.fn(async () => {
        present = payment({ id, state: 'cancelled' });
        return present;
      }),
    };
    expect(await topups(provider).cancel(scope, topupId)).toMatchObject({
      state: 'cancelled',
      charged: false,
    });
    await topups(provider).cancel(scope, topupId);
    expect(provider.cancelPayment).toHaveBeenCalledTimes(1);
    expect(await logged(database.db, scope, 'billing.cancelTopUp')).toMatchObject([
      { object: topupId, before: { state: 'requested' }, after: { state: 'cancelled' } },
    ]);
  });

  test('that could not be given up is no entry of the log', async () => {
    const { id, topupId } = await begun();
    const provider = { payment: async () => payment({ id }), cancelPayment: async () => payment({ id }) };
    await topups(provider).cancel(scope, topupId);
    expect(await logged(database.db, scope, 'billing.cancelTopUp')).toEqual([]);
  });

  test('that is open is read again by the sweep, though the provider’s list does not name it', async () => {
    const { id, topupId } = await begun();
    const provider = {
      paymentsSince: () => list([]),
      payment: async (wanted: string) => (wanted === id ? payment({ id, state: 'cancelled' }) : null),
    };
    await topups(provider).sweep(new Date(Date.now() + 60_000));
    expect(await stateOf(topupId)).toEqual({ state: 'cancelled' });
  });

  test('whose fee is known only after it has arrived has it booked then, once', async () => {
    const { id, topupId } = await begun();
    const read = (feeCents: number | null) => {
      const arrived = payment({ id, state: 'succeeded', feeCents });
      return topups({ payment: async () => arrived }).refresh(scope.organisationId, topupId, id);
    };
    const booked = async () => {
      const rows = await within(database, scope.organisationId, (tx) =>
        tx.selectFrom('postings').select(['account', 'cents']).where('account', '<>', 'wallet').execute(),
      );
      return rows.filter(({ account }) => account === 'payment_fees').map(({ cents }) => cents);
    };
    await read(null);
    expect(await booked()).toEqual([]);
    await Promise.all([read(88), read(88)]);
    await read(88);
    await read(null);
    expect(await booked()).toEqual([-88]);
    expect(await checkLedger(database.systemDb)).toEqual([]);
  });

  test('that was declined stores no method to charge; one that arrived does', async () => {
    const { id, topupId } = await begun();
    const declined = payment({ id, paymentMethod: 'pm_bad', failure: 'Declined' });
    await topups({ payment: async () => declined }).refresh(scope.organisationId, topupId, id);
    expect((await profile()).payment_method_id).toBeNull();
    const arrived = payment({ id, state: 'succeeded', paymentMethod: 'pm_good' });
    await topups({ payment: async () => arrived }).refresh(scope.organisationId, topupId, id);
    expect((await profile()).payment_method_id).toBe('pm_good');
  });
});

test('an automatic charge whose claim went to another process decides nothing about auto balance', async () => {
  await profile();
  await within(database, scope.organisationId, (tx) =>
    tx
      .updateTable('billing_profiles')
      .set({ auto_topup: true, payment_customer_id: `cus_${newId()}`, payment_method_id: 'pm_1' })
      .execute(),
  );
  let taken = false;
  const chargeStored = async ({ topupId }: { topupId: string }) => {
    if (taken)
      await across(database, (tx) =>
        tx.updateTable('topups').set({ claim: newId() }).where('id', '=', topupId).execute(),
      );
    throw new PaymentRefused('The method was removed.');
  };
  const { consider } = createAutoTopup({
    ...{ ...base(), payments: { chargeStored } as never, pendingLimitCents: 0, claimMs: 60_000 },
  });
  taken = true;
  await consider(scope.organisationId);
  expect(await profile()).toMatchObject({
    auto_topup: true,
    auto_topup_declines: 0,
    auto_topup_paused_until: null,
  });
  taken = false;
  await consider(scope.organisationId);
  expect(await profile()).toMatchObject({ auto_topup: true, auto_topup_declines: 1 });
  expect((await profile()).auto_topup_paused_until).not.toBeNull();
});
