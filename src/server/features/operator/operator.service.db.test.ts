import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { QueueKind } from '#contracts/operations/operator.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { mailbox } from '../../../../tests/support/letters.ts';
import {
  across,
  customerRow,
  domainRow,
  itemRow,
  orderRow,
  organisationRow,
  topupRow,
  within,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { createOperator } from './index.ts';
import type { OperatorDeps } from './operator.service.ts';
import { beginRun, endRun } from './reconcile.repo.ts';

/** What an operator hears of a retry, what the mailbox of the operators gets, and the figures; the features are stand-ins. */

let database: TestDatabase;
let organisationId: string;
let orderId: string;
let box: ReturnType<typeof mailbox>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  // Nothing of the test before needs anybody.
  await across(database, async (tx) => {
    await tx
      .updateTable('order_items')
      .set({ state: 'declined', updated_at: new Date(0) })
      .execute();
    await tx
      .updateTable('topups')
      .set({ updated_at: new Date(0) })
      .execute();
    await tx.updateTable('domains').set({ status: 'ended' }).execute();
    await tx.updateTable('direct_charges').set({ state: 'waived' }).execute();
    await tx.deleteFrom('webhook_events').execute();
  });
  await takeJobs(database.url);
  organisationId = await organisationRow(database);
  orderId = await orderRow(database, organisationId);
  box = mailbox();
  vi.clearAllMocks();
});

const now = new Date('2026-11-22T12:00:00Z');
const [hour, day] = [3_600_000, 86_400_000];
const ago = (ms: number) => new Date(now.getTime() - ms);
const ada = { id: newId(), name: 'Ada Smith', ip: '192.0.2.7', requestId: 'r' };
const lookAgain = vi.fn(async (_organisation: string, _item: string) => 'review');
const topupAgain = vi.fn(async (_organisation: string) => true);
const renewAgain = vi.fn(async (_place: object) => true);
const applyAgain = vi.fn(async (_event: string) => undefined);
const chargeAgain = vi.fn(async (_scope: object, _charge: string) => undefined);
const errors: unknown[] = [];
const operator = (change: Partial<OperatorDeps> = {}) =>
  createOperator({
    ...{ newId, aloneLimitCents: 0, systemDb: database.systemDb, clock: { now: () => now } },
    logger: { error: (said: unknown) => errors.push(said), warn: () => undefined, info: () => undefined },
    orders: { engine: { lookAgain } },
    billing: { autoTopup: { retry: topupAgain }, webhooks: { apply: applyAgain } },
    directBilling: { retry: chargeAgain },
    renewals: { autoRenew: { retry: renewAgain } },
    mail: { send: box.send },
    ...{ operatorEmail: 'operator@portal.test', publicUrl: 'https://portal.test' },
    registrarAccount: async () => ({ available: -5_00, readAt: ago(90_000).toISOString() }),
    ...change,
  } as never);

const review = (change: object = {}) =>
  itemRow(database, { organisationId, orderId }, { state: 'review', updated_at: ago(hour), ...change });

describe('a retry', () => {
  const retry = (kind: QueueKind, id: string) => operator().queue.retry(ada, kind, id);
  const log = () => logged(database.db, { organisationId }, 'operator.retry');

  test.each([
    ['succeeded', 'The registrar has completed the order, and it was charged.'],
    ['declined', 'The registrar did not complete the order. The money was returned.'],
    ['review', 'The registrar’s answer has not changed. The money stays reserved.'],
    ['pending', 'It is still open. The portal keeps asking.'],
  ])('of an order asks the registrar, and says that it is %s', async (state, message) => {
    const customer = await customerRow(database, organisationId);
    const id = await review({ address: 'a.com', customer_id: customer });
    lookAgain.mockResolvedValueOnce(state);
    expect(await retry('review', id)).toEqual({ message });
    expect(lookAgain.mock.calls).toEqual([[organisationId, id]]);
    expect(await log()).toEqual([
      {
        ...{ by: 'operator Ada Smith', kind: 'review', object: id, before: null },
        after: { subject: 'domain a.com', message },
      },
    ]);
    expect(await loggedAbout(database.db, { organisationId }, 'operator.retry')).toEqual([customer]);
  });

  test('that fails is no entry of the log, and the operator hears why', async () => {
    const id = await review();
    lookAgain.mockRejectedValueOnce(new UpstreamUnavailable('no answer'));
    await expect(retry('review', id)).rejects.toThrow('no answer');
    expect(await log()).toEqual([]);
    const listed = await itemRow(database, { organisationId, orderId }, { state: 'succeeded' });
    await expect(retry('review', listed)).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'This is no longer in the queue.' },
    });
    expect(lookAgain).toHaveBeenCalledTimes(1);
  });

  test.each([
    [true, 'The portal started a new automatic top-up.'],
    [false, 'No top-up is due, or the organization has turned it off.'],
  ])('of an automatic top-up says whether one was made: %s', async (made, message) => {
    const id = await topupRow(database, organisationId, {
      ...{ kind: 'auto', state: 'failed', updated_at: ago(hour) },
    });
    await expect(retry('charge', id)).rejects.toMatchObject({ code: 'unprocessable' });
    await within(database, organisationId, (tx) =>
      tx
        .insertInto('billing_profiles')
        .values({ organisation_id: organisationId, auto_topup: true })
        .execute(),
    );
    topupAgain.mockResolvedValueOnce(made);
    expect(await retry('charge', id)).toEqual({ message });
    expect(topupAgain.mock.calls).toEqual([[organisationId]]);
    expect(await log()).toMatchObject([{ kind: 'charge', object: id }]);
    expect(await loggedAbout(database.db, { organisationId }, 'operator.retry')).toEqual([null]);
  });

  test('of a direct charge is made in the operator’s name, in the organization whose charge it is', async () => {
    const [id, customer] = [newId(), await customerRow(database, organisationId)];
    await within(database, organisationId, (tx) =>
      tx
        .insertInto('direct_charges')
        .values({
          ...{ id, organisation_id: organisationId, customer_id: customer, order_id: orderId, part: 1 },
          ...{ cents: 1_000, state: 'failed', updated_at: ago(hour) },
        } as never)
        .execute(),
    );
    expect(await retry('charge', id)).toEqual({
      message: 'The customer’s payment method is being charged again.',
    });
    expect(chargeAgain.mock.calls).toEqual([
      [expect.objectContaining({ organisationId, email: 'operator Ada Smith', ip: '192.0.2.7' }), id],
    ]);
    expect(topupAgain).not.toHaveBeenCalled();
  });

  test.each([
    [true, 'The renewal is being tried again.'],
    [false, 'Nothing is waiting to be retried.'],
  ])('of an automatic renewal names its domain, and says whether it waits: %s', async (waits, message) => {
    const { address } = await domainRow(database, organisationId, {
      expires_at: new Date('2027-06-01T00:00:00Z'),
    });
    await within(database, organisationId, (tx) =>
      tx
        .insertInto('auto_renewals')
        .values({
          ...{ organisation_id: organisationId, address, expiry_year: 2027, state: 'unable' },
          ...{ expires_at: new Date('2027-06-01T00:00:00Z'), price_cents: 1_200 },
        } as never)
        .execute(),
    );
    renewAgain.mockResolvedValueOnce(waits);
    expect(await retry('renewal', `${organisationId} ${address}`)).toEqual({ message });
    expect(renewAgain.mock.calls).toEqual([[{ organisationId, address }]]);
  });

  test('of an event applies it, and of a missing domain has the registrar read', async () => {
    const event = `evt_${organisationId}`;
    await across(database, (tx) =>
      tx
        .insertInto('webhook_events')
        .values({
          ...{ id: event, type: 'charge.failed', account: null, object_id: null, payload: '{}' },
          ...{ received_at: ago(hour), applied_at: null, last_error: null },
        })
        .execute(),
    );
    expect(await retry('event', event)).toEqual({ message: 'The event was applied.' });
    expect(applyAgain.mock.calls).toEqual([[event]]);
    const { id, address } = await domainRow(database, organisationId, { missing_since: ago(day) });
    expect(await retry('missing', id)).toEqual({
      message: 'The portal is asking the registrar. If the domain is there again, it leaves the queue.',
    });
    expect(await takeJobs(database.url)).toEqual([
      { task: 'domains.sync', payload: { organisationId, address } },
    ]);
  });
});

describe('the operators’ mailbox', () => {
  const digest = (change?: Partial<OperatorDeps>) => operator(change).tasks['operator.digest']();

  test('gets nothing while nothing waits, and nothing where there is none', async () => {
    await digest();
    await review();
    await digest({ operatorEmail: null });
    expect(box.letters).toEqual([]);
  });

  test('gets what waits with its age: in hours under two days, then in days; one by itself is one item', async () => {
    await review({ address: 'young.com', updated_at: ago(48 * hour - 1_000), outcome_note: 'Two orders' });
    await digest();
    expect(box.letters).toMatchObject([{ to: 'operator@portal.test', subject: '1 item needs attention' }]);
    expect(box.letters[0]?.text).toContain('47 h  review  domain young.com: Two orders');
    expect(box.letters[0]?.text).toContain('https://portal.test/operator');
    await review({ address: 'old.com', updated_at: ago(48 * hour) });
    await digest();
    expect(box.letters[1]?.subject).toBe('2 items need attention');
    expect(box.letters[1]?.text).toContain('2 d  review  domain old.com');
  });

  test('that is away stops no correction', async () => {
    const silent = { send: () => Promise.reject(new Error('the mailbox is away')) };
    const ben = newId();
    await across(database, (tx) =>
      tx
        .insertInto('operators')
        .values({ id: ben, name: `Ben ${ben}`, key_hash: Buffer.from(ben), made_at: now } as never)
        .execute(),
    );
    errors.length = 0;
    const body = { organizationId: organisationId, organization: 'Test', amount: 5, reason: 'A mistake' };
    const { corrections } = operator({ mail: silent as never });
    const asked = corrections.correct({ ...ada, id: ben }, { ...body, reference: newId() });
    expect(await asked).toMatchObject({ state: 'waiting' });
    expect(errors).toHaveLength(1);
  });
});

test('the figures count each kind of what waits, and say how long ago the last whole comparison and the reading were', async () => {
  const { figures } = operator();
  const none = await figures();
  expect(none).toMatchObject({
    ...{
      review: 0,
      oldestReviewSeconds: 0,
      waiting: 0,
      failedCharges: 0,
      refusedRenewals: 0,
      stuckEvents: 0,
    },
    ...{ reconciledSecondsAgo: null, registrarAvailableCents: -5_00, registrarReadSecondsAgo: 90 },
  });
  const ran = async (startedAt: Date, incomplete: string | null) => {
    const run = { id: newId(), startedAt, endedAt: startedAt, incomplete, differences: [] };
    await across(database, (tx) => beginRun(tx, { ...run, since: ago(day) }));
    await across(database, (tx) => endRun(tx, { ...run, items: 0, registrarOrders: 0, payments: 0 }));
  };
  await ran(ago(3 * hour), null);
  await ran(ago(2 * hour), null);
  await ran(ago(hour), 'payments');
  await across(database, (tx) => beginRun(tx, { id: newId(), startedAt: now, since: ago(day) }));
  await review({ updated_at: ago(2 * hour) });
  await review();
  await itemRow(database, { organisationId, orderId }, { state: 'unknown', unknown_since: ago(3 * hour) });
  expect(await figures()).toMatchObject({
    ...{ review: 2, oldestReviewSeconds: 2 * 3_600, waiting: 1, reconciledSecondsAgo: 2 * 3_600 },
  });
});

test('a balance below zero is in the figures and in the mail, and nobody retries it', async () => {
  const owes = (cents: number) =>
    across(database, (tx) =>
      tx
        .updateTable('wallets')
        .set({ posted_cents: -cents })
        .where('organisation_id', '=', organisationId)
        .execute(),
    );
  const { figures, queue, tasks } = operator();
  expect(await figures()).toMatchObject({ debts: 0, debtCents: 0 });
  await owes(40_00);
  expect(await figures()).toMatchObject({ debts: 1, debtCents: 40_00 });
  await tasks['operator.digest']();
  expect(box.letters[0]?.text).toContain('debt  balance below zero');
  await expect(queue.retry(ada, 'debt', organisationId)).rejects.toMatchObject({ code: 'unprocessable' });
  await owes(0);
  expect(await figures()).toMatchObject({ debts: 0, debtCents: 0 });
});

test('a comparison that an operator starts is one job, however often they press', async () => {
  const { startReconciliation } = operator();
  await startReconciliation();
  await startReconciliation();
  expect((await takeJobs(database.url)).map(({ task }) => task)).toEqual(['operator.reconcile']);
});
