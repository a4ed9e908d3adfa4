import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DifferenceKind } from '#contracts/values/differences.ts';
import { bookItem, bookTopup } from '../../../../tests/support/books.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { mailbox, type SentLetter } from '../../../../tests/support/letters.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { inTransaction, sql, systemTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { adjust, refundItem } from '../../ledger/ledger.ts';
import type { Mail } from '../../ports/mail.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Payment } from '../../ports/payments.ts';
import type { CertificateOrder, RegistrarOrder } from '../../ports/registrar.ts';
import { createOperator } from './index.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let letters: SentLetter[];
let send: Mail['send'];
/** What the other sides say. */
let orders: RegistrarOrder[];
let certificates: CertificateOrder[];
let names: string[];
let paid: Payment[];
let registrarAnswers: boolean;
const looked: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  people = createPeople(database);
  scope = (await people.organisation()).scope;
  ({ letters, send } = mailbox());
  [orders, certificates, names, paid, registrarAnswers] = [[], [], [], [], true];
  await systemTransaction(database.systemDb, (tx) =>
    adjust(tx, {
      organisationId: scope.organisationId,
      cents: 100_000,
      ref: newId(),
      actor: 'test',
      text: '',
    }),
  );
});
afterEach(async () => {
  // Each test begins with books in which everything of the one before is long ago.
  const longAgo = new Date('2026-01-01T00:00:00Z');
  await database.systemDb
    .updateTable('order_items')
    .set({ updated_at: longAgo, state: 'declined' })
    .where('state', '=', 'review')
    .execute();
  await database.systemDb.updateTable('order_items').set({ updated_at: longAgo }).execute();
  await database.systemDb.updateTable('topups').set({ updated_at: longAgo, created_at: longAgo }).execute();
  await database.systemDb.updateTable('domains').set({ status: 'ended' }).execute();
  await database.systemDb
    .updateTable('reconciliation_differences')
    .set({ settled_at: longAgo })
    .where('settled_at', 'is', null)
    .execute();
});

const hourAgo = () => new Date(people.clock.now().getTime() - 3_600_000);

const ada = { id: newId(), name: 'Ada Smith', ip: '192.0.2.7', requestId: 'r' };

function operator() {
  return createOperator({
    newId,
    aloneLimitCents: 100_000,
    systemDb: database.systemDb,
    clock: people.clock,
    logger: pino({ level: 'silent' }),
    registrar: {
      ordersFor: async (domain) => {
        if (!registrarAnswers) throw new UpstreamUnavailable('no answer');
        return orders.filter((order) => order.domain === domain);
      },
      certificateOrdersFor: async () => certificates,
      domain: () => Promise.reject(new Error('not asked')),
      expiring: () => stream(names.map((domain) => ({ domain, expiresAt: new Date(), autoRenew: false }))),
    },
    payments: {
      payment: async (id) => paid.find((payment) => payment.id === id) ?? null,
      paymentsSince: () => stream(paid),
    },
    orders: {
      engine: {
        lookAgain: async (_organisation, id) => {
          looked.push(id);
          return 'review' as const;
        },
      },
    },
    billing: { autoTopup: { retry: async () => true }, webhooks: { apply: async () => undefined } },
    directBilling: { retry: () => Promise.reject(new Error('not asked')) },
    renewals: {
      autoRenew: {
        retry: async ({ address }) => {
          looked.push(address);
          return true;
        },
      },
    },
    mail: { send },
    operatorEmail: 'operator@portal.test',
    publicUrl: 'https://portal.test',
    registrarAccount: async () => ({
      ...{
        balance: 900_00,
        held: 0,
        open: 0,
        available: 900_00,
        threshold: 500_00,
        level: 'enough' as const,
      },
      readAt: people.clock.now().toISOString(),
    }),
    pricing: { price: () => Promise.reject(new Error('no answer')) },
    marginPercent: { domain: 20, certificate: 20 },
  });
}

async function* stream<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows;
}

function registrarOrder(change: Partial<RegistrarOrder> & { domain: string }): RegistrarOrder {
  return {
    orderId: '1',
    kind: 'new',
    state: 'completed',
    tag: null,
    costCents: 1_100,
    years: 1,
    orderedAt: hourAgo(),
    ...change,
  };
}

function certificateOrder(change: Partial<CertificateOrder>): CertificateOrder {
  return {
    ...{ orderId: '1', domain: '', productType: 'rapidssl', state: 'completed', productId: null },
    ...{ approverEmail: null, validation: null, tag: null, orderedAt: hourAgo(), notes: [] },
    ...change,
  };
}

function payment(change: Partial<Payment>): Payment {
  return {
    id: `pi_${newId()}`,
    state: 'succeeded',
    amountCents: 5_000,
    feeCents: null,
    reversedCents: 0,
    disputes: [],
    method: 'card',
    paymentMethod: null,
    failure: null,
    failureCode: null,
    createdAt: hourAgo(),
    topupId: null,
    organisationId: scope.organisationId,
    chargeId: null,
    ...change,
  };
}

/** An item and its order at the registrar, which agree unless told otherwise. */
async function agreed(
  address: string,
  change: Partial<RegistrarOrder> = {},
  state: 'succeeded' | 'declined' = 'succeeded',
) {
  const orderId = String(orders.length + 1_000);
  const { itemId } = await bookItem(database, scope, {
    address,
    state,
    at: hourAgo(),
    registrarOrderId: orderId,
  });
  orders.push(registrarOrder({ domain: address, orderId, tag: itemId, ...change }));
  return itemId;
}

async function ownDomain(address: string) {
  await inTransaction(database.db, scope, (tx) =>
    tx
      .insertInto('domains')
      .values({
        id: newId(),
        organisation_id: scope.organisationId,
        customer_id: null,
        address,
        status: 'active',
        registered_at: hourAgo(),
        expires_at: new Date('2027-11-21T00:00:00Z'),
        locked: true,
        privacy: null,
        credentials_sealed: null,
        synced_at: null,
        ended_at: null,
        end_reason: null,
        created_at: hourAgo(),
      })
      .execute(),
  );
}

test('when all three sides agree nothing is named, nobody is mailed', async () => {
  await agreed('agreed.com');
  await agreed('given-back.com', { state: 'declined' }, 'declined');
  await ownDomain('agreed.com');
  names = ['agreed.com'];
  const topupId = await bookTopup(database, scope, {
    cents: 5_000,
    paymentIntent: 'pi_agreed',
    at: hourAgo(),
  });
  paid = [payment({ id: 'pi_agreed', topupId })];
  const { reconcile, tasks } = operator();
  expect(await reconcile.run()).toEqual({ differences: [], fresh: [], incomplete: null });
  await tasks['operator.reconcile']?.();
  expect(letters).toEqual([]);
});

/** One fault each, made by hand, and what it must be called. */
const planted: Record<Exclude<DifferenceKind, 'ledger'>, () => Promise<unknown>> = {
  'charged-without-order': () =>
    bookItem(database, scope, { address: 'lost.com', at: hourAgo(), registrarOrderId: '9' }),
  'order-without-charge': () => agreed('free.com', {}, 'declined'),
  'order-twice': async () => {
    const tag = await agreed('twice.com');
    orders.push(registrarOrder({ domain: 'twice.com', orderId: '2', tag }));
  },
  'order-unknown': async () => {
    await agreed('mine.com');
    orders.push(registrarOrder({ domain: 'mine.com', orderId: '77' }));
  },
  'cost-differs': () => agreed('dear.com', { costCents: 1_101 }),
  'payment-without-credit': async () => {
    const topupId = await bookTopup(database, scope, { cents: 5_000, state: 'failed', at: hourAgo() });
    paid = [payment({ topupId })];
  },
  'credit-without-payment': () =>
    bookTopup(database, scope, { cents: 5_000, paymentIntent: 'pi_gone', at: hourAgo() }),
  'payment-differs': async () => {
    const topupId = await bookTopup(database, scope, {
      cents: 5_000,
      paymentIntent: 'pi_less',
      at: hourAgo(),
    });
    paid = [payment({ id: 'pi_less', topupId, reversedCents: 1 })];
  },
  'payment-unknown': async () => {
    paid = [payment({})];
  },
  'name-missing': () => ownDomain('gone.com'),
  'name-unknown': async () => {
    names = ['stranger.com'];
  },
};

for (const [kind, plant] of Object.entries(planted)) {
  test(`a planted difference is found and named: ${kind}`, async () => {
    await plant();
    const { differences } = await operator().reconcile.run();
    expect(differences.map((one) => one.kind)).toEqual([kind]);
  });
}

test('a certificate whose order came to nothing and whose price went back is no difference; one that was delivered all the same is', async () => {
  const { itemId } = await bookItem(database, scope, {
    ...{ address: 'www.refunded.com', kind: 'certificate', state: 'succeeded', at: hourAgo() },
    registrarOrderId: '501',
  });
  certificates = [
    certificateOrder({ orderId: '501', domain: 'www.refunded.com', state: 'declined', tag: itemId }),
  ];
  expect((await operator().reconcile.run()).differences).toMatchObject([{ kind: 'charged-without-order' }]);
  await inTransaction(database.db, scope, (tx) =>
    refundItem(tx, { organisationId: scope.organisationId, itemId, cents: 1_200, actor: 'orders', text: '' }),
  );
  expect((await operator().reconcile.run()).differences).toEqual([]);
  certificates = [
    certificateOrder({ orderId: '501', domain: 'www.refunded.com', state: 'completed', tag: itemId }),
  ];
  expect((await operator().reconcile.run()).differences).toMatchObject([{ kind: 'order-without-charge' }]);
});

test('a wallet that was tampered with is named', async () => {
  const change = (cents: number) =>
    database.systemDb
      .updateTable('wallets')
      .set((eb) => ({ posted_cents: eb('posted_cents', '+', cents) }))
      .where('organisation_id', '=', scope.organisationId)
      .execute();
  await change(1);
  const { differences } = await operator().reconcile.run();
  await change(-1);
  expect(differences).toMatchObject([{ kind: 'ledger', organisationId: scope.organisationId }]);
});

test('a difference is told once as new, stays until it is gone, and ends only by a run that could ask', async () => {
  const { reconcile, reconciliation, tasks, figures } = operator();
  await planted['charged-without-order']();
  expect((await reconcile.run()).fresh).toHaveLength(1);
  people.clock.forward(86_400_000);
  await tasks['operator.reconcile']?.();
  expect(letters).toMatchObject([
    { to: 'operator@portal.test', subject: expect.stringMatching(/^1 difference between/) },
  ]);
  expect(letters[0]?.text).toContain('lost.com');
  expect(letters[0]?.text).toContain('Look for the order at the registrar');
  registrarAnswers = false;
  people.clock.forward(86_400_000);
  const blind = await reconcile.run();
  expect(blind).toMatchObject({ differences: [], incomplete: 'orders of lost.com' });
  expect((await reconciliation()).differences).toMatchObject([{ kind: 'charged-without-order' }]);
  // Long out of the days that are compared, it is still asked about.
  registrarAnswers = true;
  people.clock.forward(10 * 86_400_000);
  expect((await reconcile.run()).fresh).toEqual([]);
  expect((await figures()).differences).toBe(1);
  orders.push(registrarOrder({ domain: 'lost.com', orderId: '9' }));
  people.clock.forward(1_000);
  await reconcile.run();
  expect((await reconciliation()).differences).toEqual([]);
});

test('a comparison that could not ask everything is told, though it found nothing', async () => {
  await planted['charged-without-order']();
  registrarAnswers = false;
  await operator().tasks['operator.reconcile']?.();
  expect(letters).toMatchObject([
    { subject: expect.stringContaining('The comparison of registrar, ledger and payments was incomplete') },
  ]);
  expect(letters[0]?.text).toContain('Not asked: orders of lost.com');
});

test('what is under way between two sides is no difference yet', async () => {
  const justNow = people.clock.now();
  await bookItem(database, scope, { address: 'young.com', at: justNow });
  const topupId = await bookTopup(database, scope, { cents: 5_000, state: 'processing', at: justNow });
  paid = [payment({ topupId, createdAt: justNow })];
  await inTransaction(database.db, scope, (tx) =>
    tx.updateTable('topups').set({ state: 'requested' }).where('id', '=', topupId).execute(),
  );
  expect((await operator().reconcile.run()).differences).toEqual([]);
});

test('the queue holds what needs a person with its age, and a retry only looks, writes down who did it, and never buys', async () => {
  const { queue, figures, tasks } = operator();
  const review = await bookItem(database, scope, {
    address: 'stuck.com',
    state: 'review',
    at: hourAgo(),
    note: 'Two orders carry one tag',
  });
  await bookTopup(database, scope, {
    ...{ cents: 10_000, kind: 'auto', state: 'failed', at: hourAgo() },
    failure: 'Your card was declined.',
  });
  const entries = await queue.list();
  expect(entries).toMatchObject([
    { kind: 'review', id: review.itemId, note: 'Two orders carry one tag', ageSeconds: 3_600, amount: 1_200 },
    { kind: 'charge', note: 'Your card was declined.', amount: 10_000, retry: false },
  ]);
  expect(await figures()).toMatchObject({ review: 1, oldestReviewSeconds: 3_600, failedCharges: 1 });
  expect(await queue.retry(ada, 'review', review.itemId)).toEqual({
    message: 'The registrar’s answer has not changed. The money stays reserved.',
  });
  expect(looked).toEqual([review.itemId]);
  const log = await database.systemDb
    .selectFrom('audit_log')
    .select(['action', 'actor', 'ip', 'object'])
    .where('organisation_id', '=', scope.organisationId)
    .where('action', '=', 'operator.retry')
    .execute();
  expect(log).toEqual([
    { action: 'operator.retry', actor: 'operator Ada Smith', ip: '192.0.2.7', object: review.itemId },
  ]);
  await expect(queue.retry(ada, 'review', newId())).rejects.toMatchObject({ code: 'not_found' });
  await expect(queue.retry(ada, 'charge', entries[1]?.id ?? '')).rejects.toMatchObject({
    code: 'unprocessable',
  });
  await tasks['operator.digest']?.();
  expect(letters[0]?.text).toContain('stuck.com');
});

test('however much has waited for long, what came last is listed, counted, mailed and found', async () => {
  await sql`INSERT INTO webhook_events (id, type, object_id, payload, received_at)
    SELECT 'evt_old_' || n, 'charge.failed', '', '{}', ${new Date('2026-01-02T00:00:00Z')}
    FROM generate_series(1, 1200) n`.execute(database.systemDb);
  const { queue, figures, tasks } = operator();
  const review = await bookItem(database, scope, { address: 'last.com', state: 'review', at: hourAgo() });
  const listed = await queue.list();
  expect(listed.at(-1)).toMatchObject({ kind: 'review', id: review.itemId });
  expect(listed).toHaveLength(501);
  expect(await figures()).toMatchObject({ review: 1, oldestReviewSeconds: 3_600, stuckEvents: 1_200 });
  await tasks['operator.digest']?.();
  expect(letters[0]?.subject).toContain('1201 items');
  // What a person must decide comes first in the mail: money is held for it.
  expect(letters[0]?.text.indexOf('last.com')).toBeLessThan(letters[0]?.text.indexOf('charge.failed') ?? -1);
  expect(letters[0]?.text).toContain('and 1151 more');
  // Of a kind of which only the oldest are listed, each can be tried again.
  expect(await queue.retry(ada, 'event', 'evt_old_999')).toEqual({ message: 'The event was applied.' });
  await database.systemDb.deleteFrom('webhook_events').execute();
});

test('a refused renewal waits for a person until the name is renewed or gone', async () => {
  await ownDomain('due.com');
  const renewal = { kind: 'renewal', address: 'due.com', at: hourAgo(), expiryYear: 2027 } as const;
  await bookItem(database, scope, { ...renewal, state: 'declined' });
  expect(await operator().queue.list()).toMatchObject([
    { kind: 'renewal', subject: 'renewal due.com', note: 'refused' },
  ]);
  await bookItem(database, scope, { ...renewal, state: 'succeeded', at: people.clock.now() });
  expect(await operator().queue.list()).toEqual([]);
});

test('an automatic renewal that could not be made is tried again by the job that makes them', async () => {
  await ownDomain('auto.com');
  await inTransaction(database.db, scope, (tx) =>
    tx
      .insertInto('auto_renewals')
      .values({
        organisation_id: scope.organisationId,
        address: 'auto.com',
        expiry_year: 2027,
        expires_at: new Date('2027-11-21T00:00:00Z'),
        state: 'unable',
        price_cents: 1_200,
        order_id: null,
        reason_kind: 'funds',
        reason: 'The balance did not cover the renewal.',
        next_try_at: new Date('2027-11-01T00:00:00Z'),
        told_at: null,
        updated_at: hourAgo(),
      })
      .execute(),
  );
  const { queue } = operator();
  const [entry] = await queue.list();
  expect(entry).toMatchObject({ kind: 'renewal', subject: 'automatic renewal auto.com', retry: true });
  // Nobody can renew what is not in the account: then that alone is listed.
  const miss = (missing_since: Date | null) =>
    inTransaction(database.db, scope, (tx) =>
      tx.updateTable('domains').set({ missing_since }).where('address', '=', 'auto.com').execute(),
    );
  await miss(hourAgo());
  expect((await queue.list()).map(({ kind }) => kind)).toEqual(['missing']);
  await miss(null);
  expect(await queue.retry(ada, 'renewal', entry?.id ?? '')).toEqual({
    message: 'The renewal is being tried again.',
  });
  expect(looked.at(-1)).toBe('auto.com');
});
