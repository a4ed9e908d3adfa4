import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLogger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { type Payment, PaymentRefused, type Payments } from '../../ports/payments.ts';
import { createTopups } from './topups.service.ts';

/** What a person is told of a top-up, what the provider is asked for it, and what the log keeps, act by act. */

let database: TestDatabase;
let people: People;
let scope: Scope;
let topups: ReturnType<typeof createTopups>;
let present: Partial<Payment>;
/** What the provider was asked, in order. */
let asked: unknown[];
/** What it does when it is asked for this. */
let failing: { method: string; error: Error } | null;
/** What happens right before it gives a payment up. */
let atCancel: () => void;

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope } = await people.organisation());
  [present, asked, failing, atCancel] = [{}, [], null, () => undefined];
  const answer = <T>(method: string, given: unknown, value: () => T): Promise<T> => {
    asked.push([method, given]);
    return failing?.method === method ? Promise.reject(failing.error) : Promise.resolve(value());
  };
  const payments: Partial<Payments> = {
    createCustomer: (input) => answer('createCustomer', input, () => `cus_${input.organisationId}`),
    createTopUp: (input) =>
      answer('createTopUp', input, () => {
        const { topupId, organisationId, amountCents } = input;
        present = { ...unpaid(topupId), topupId, organisationId, amountCents };
        return { ...(present as Payment), clientSecret: `${present.id}_secret_1` };
      }),
    payment: (id) => answer('payment', id, () => present as Payment),
    cancelPayment: (id) =>
      answer('cancelPayment', id, () => {
        atCancel();
        if (present.state !== 'succeeded') present = { ...present, state: 'cancelled' };
        return present as Payment;
      }),
  };
  topups = createTopups({
    ...{ db: database.db, systemDb: database.systemDb, payments: payments as Payments, clock: people.clock },
    ...{ logger: createLogger({ level: 'silent' }), publicUrl: 'https://portal.test' },
  });
});

const unpaid = (id: string): Partial<Payment> => ({
  ...{ id: `pi_${id}`, state: 'requires_payment_method', feeCents: null, reversedCents: 0, method: null },
  ...{ paymentMethod: null, failure: null, failureCode: null, chargeId: null, createdAt: people.clock.now() },
});
const methods = () => asked.map((call) => (call as [string])[0]);
const begun = async () => {
  const { topupId } = await topups.start(scope, 20, null);
  asked.length = 0;
  return topupId;
};
const log = (action: 'billing.topUp' | 'billing.cancelTopUp') => logged(database.db, scope, action);

test('a top-up is begun in whole: what is replied, what the provider gets, and what the log says', async () => {
  const started = await topups.start(scope, 20, null);
  const { topupId } = started;
  // The first one is the initial fee, whatever was asked for.
  expect(started).toEqual({ topupId, intentSecret: `pi_${topupId}_secret_1`, amount: 100_00 });
  const { organisationId } = scope;
  expect(asked).toEqual([
    [
      'createCustomer',
      {
        ...{ organisationId, email: scope.email, name: 'Example MSP' },
        idempotencyKey: `customer:${organisationId}`,
      },
    ],
    [
      'createTopUp',
      {
        ...{ topupId, organisationId, customer: `cus_${organisationId}`, amountCents: 100_00 },
        idempotencyKey: `topup:${topupId}`,
      },
    ],
  ]);
  const entry = { by: scope.userId, kind: 'top-up', before: null };
  const after = { cents: 100_00, kind: 'initial' };
  expect(await log('billing.topUp')).toEqual([{ ...entry, object: topupId, after }]);
  // The next one goes to the same customer of the provider.
  asked.length = 0;
  await topups.start(scope, 20, null);
  expect(asked).toMatchObject([['createTopUp', { customer: `cus_${organisationId}` }]]);
});

test.each<[string, Partial<Payment>, string, boolean]>([
  ['waits for a method', {}, 'requested', false],
  ['waits for its payer', { state: 'requires_action' }, 'requires_action', false],
  ['was declined', { failure: 'Your card was declined.' }, 'failed', false],
  ['is on its way', { state: 'processing', method: 'us_bank_account' }, 'processing', true],
  ['arrived', { state: 'succeeded', method: 'card', feeCents: 3_20 }, 'succeeded', true],
  [
    'went back',
    { state: 'succeeded', method: 'card', feeCents: 3_20, reversedCents: 100_00 },
    'reversed',
    true,
  ],
  ['was given up', { state: 'cancelled' }, 'cancelled', false],
])('of a payment that %s a look says all as it is at that moment', async (_what, change, state, charged) => {
  const topupId = await begun();
  present = { ...present, ...change };
  expect(await topups.status(scope, topupId)).toEqual({ topupId, amount: 100_00, state, charged });
  expect(asked).toEqual([['payment', `pi_${topupId}`]]);
});

test.each<[string, Partial<Payment>, boolean, string]>([
  ['waits for a method', {}, true, 'requested'],
  ['waits for its payer', { state: 'requires_action' }, true, 'requires_action'],
  ['was declined', { failure: 'Your card was declined.' }, true, 'failed'],
  ['is on its way', { state: 'processing' }, false, 'processing'],
  ['arrived', { state: 'succeeded' }, false, 'succeeded'],
  ['was given up', { state: 'cancelled' }, false, 'cancelled'],
])(
  'a payment that %s is given up only while nothing moved, and the log says from what',
  async (_what, change, open, state) => {
    const topupId = await begun();
    present = { ...present, ...change };
    const end = open ? 'cancelled' : state;
    const charged = state === 'processing' || state === 'succeeded';
    const told = { topupId, amount: 100_00, state: end, charged };
    expect(await topups.cancel(scope, topupId)).toEqual(told);
    // It is read before anything is said, and after it was given up.
    expect(methods()).toEqual(open ? ['payment', 'cancelPayment', 'payment'] : ['payment']);
    const entry = { by: scope.userId, kind: 'top-up', object: topupId };
    // A declined one and one that was given up have the same rank: it stays what it was first.
    const given = { ...entry, before: { state }, after: { state: end } };
    expect(await log('billing.cancelTopUp')).toEqual(open ? [given] : []);
  },
);

test('a payment that was faster than its giving up is a success, and the log says what it came from', async () => {
  const topupId = await begun();
  present = { ...present, state: 'requires_action' };
  atCancel = () => {
    present = { ...present, state: 'succeeded', method: 'card' };
  };
  const told = { topupId, amount: 100_00, state: 'succeeded', charged: true };
  expect(await topups.cancel(scope, topupId)).toEqual(told);
  expect(await log('billing.cancelTopUp')).toEqual([
    {
      ...{ by: scope.userId, kind: 'top-up', object: topupId },
      ...{ before: { state: 'requires_action' }, after: { state: 'succeeded' } },
    },
  ]);
});

test.each([
  ['createTopUp', () => topups.start(scope, 20, null)],
  ['createCustomer', () => topups.start(scope, 20, null)],
  ['payment', async () => topups.status(scope, await begun())],
  ['payment', async () => topups.cancel(scope, await begun())],
  ['cancelPayment', async () => topups.cancel(scope, await begun())],
] as const)(
  'where the provider is silent or refuses at %s, the person is told so in its words',
  async (method, act) => {
    const fail = (error: Error) => {
      failing = { method, error };
      return act();
    };
    await expect(fail(new UpstreamUnavailable('x'))).rejects.toMatchObject({
      ...{ code: 'upstream_unavailable' },
      message: 'The payment provider does not answer at the moment. Please try again.',
    });
    await expect(fail(new PaymentRefused('Not now'))).rejects.toMatchObject({
      ...{ code: 'payment_failed', message: 'Not now' },
    });
    await expect(fail(new Error('mistake'))).rejects.toThrow('mistake');
    expect(await log('billing.cancelTopUp')).toEqual([]);
  },
);

test('a top-up of another organization is unknown, and of the provider nothing is asked', async () => {
  const topupId = await begun();
  const { scope: stranger } = await people.organisation();
  for (const act of [topups.status, topups.cancel]) {
    await expect(act(stranger, topupId)).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(asked).toEqual([]);
});
