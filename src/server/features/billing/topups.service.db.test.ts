import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { inTransaction, sql, systemTransaction } from '#kernel/db/database.ts';
import { createLogger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { topupRow } from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { type Payment, PaymentRefused, type Payments } from '../../ports/payments.ts';
import { createTopupAdoption } from './adopt-topup.ts';
import { createTopups } from './topups.service.ts';

/** What a person is told of a top-up, what the provider is asked for it, and what the log keeps, act by act. */

let database: TestDatabase;
let people: People;
let scope: Scope;
let topups: ReturnType<typeof createTopups>;
let present: Partial<Payment>;
/** What the provider was asked, in order. */
let asked: [string, unknown][];
/** What it does when it is asked for this. */
let failing: { method: string; error: Error } | null;
/** What happens right before it gives a payment up. */
let atCancel: () => void;
/** What happens right before a payment is read. */
let atReading: () => Promise<unknown>;
/** Further payments, by their numbers, and those that it lists. */
let others: Map<string, Partial<Payment>>;
let listed: Payment[];

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope } = await people.organisation());
  [present, asked, failing, atCancel] = [{}, [], null, () => undefined];
  [atReading, others, listed] = [async () => undefined, new Map(), []];
  const answer = <T>(method: string, given: unknown, value: () => T | Promise<T>): Promise<T> => {
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
    payment: (id) =>
      answer('payment', id, async () => {
        await atReading();
        return (others.get(id) ?? present) as Payment;
      }),
    paymentsSince: async function* (since) {
      asked.push(['paymentsSince', since]);
      yield* listed;
    },
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
const methods = () => asked.map(([method]) => method);
const rows = () =>
  inTransaction(database.db, scope, (tx) => tx.selectFrom('topups').selectAll().orderBy('id').execute());
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
  const [row] = await rows();
  expect(row).toMatchObject({ user_id: scope.userId, kind: 'initial', cents: 100_00, state: 'requested' });
  // The next one goes to the same customer of the provider.
  asked.length = 0;
  await topups.start(scope, 20, null);
  expect(asked).toMatchObject([['createTopUp', { customer: `cus_${organisationId}` }]]);
});

test('a top-up that is begun again under its key is in the log once, and the provider is asked under the same key', async () => {
  const key = 'top-up-again';
  const [first, second] = [await topups.start(scope, 20, key), await topups.start(scope, 20, key)];
  expect(second).toEqual(first);
  const keys = asked.filter(([method]) => method === 'createTopUp').map(([, given]) => given);
  expect(keys).toMatchObject(Array(2).fill({ idempotencyKey: `topup:${first.topupId}` }));
  expect(await log('billing.topUp')).toHaveLength(1);
  expect(await rows()).toHaveLength(1);
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

describe('news of a payment', () => {
  const known = async () => {
    const topupId = await begun();
    return { topupId, id: `pi_${topupId}` };
  };

  test('is read again while others change its top-up meanwhile, five times at most', async () => {
    const { topupId, id } = await known();
    atReading = () =>
      systemTransaction(database.systemDb, (tx) =>
        tx
          .updateTable('topups')
          .set((eb) => ({ version: eb('version', '+', 1) }))
          .where('id', '=', topupId)
          .execute(),
      );
    present = { ...present, state: 'processing' };
    expect(await topups.refresh(scope.organisationId, topupId, id)).toMatchObject({
      id,
      state: 'processing',
    });
    expect(methods()).toEqual(Array(5).fill('payment'));
    expect((await rows())[0]?.state).toBe('requested');
  });

  test('of nobody’s, of an unknown top-up or of another organization changes nothing', async () => {
    const { topupId } = await known();
    const { scope: stranger } = await people.organisation();
    const paid = { ...present, state: 'succeeded' as const };
    others.set('pi_bare', { ...paid, id: 'pi_bare', topupId: null });
    others.set('pi_whose', { ...paid, id: 'pi_whose', organisationId: null });
    others.set('pi_else', { ...paid, id: 'pi_else', topupId: newId() });
    others.set('pi_theirs', { ...paid, id: 'pi_theirs', organisationId: stranger.organisationId });
    for (const id of others.keys()) await topups.refreshPayment(id);
    expect(await rows()).toMatchObject([{ id: topupId, state: 'requested' }]);
    expect(await topups.refresh(stranger.organisationId, topupId, 'pi_bare')).toMatchObject({
      id: 'pi_bare',
    });
    expect(await rows()).toMatchObject([{ id: topupId, state: 'requested' }]);
  });
});

describe('a sweep', () => {
  const since = () => new Date(people.clock.now().getTime() - 86_400_000);
  const paymentsOf = () => asked.filter(([method]) => method === 'payment').map(([, id]) => id);

  test('reads again what says more than is known, and what is open since before; nothing else', async () => {
    const [first, second, third] = [await begun(), await begun(), await begun()];
    const paid = (topupId: string): Payment =>
      ({ ...present, ...unpaid(topupId), topupId, state: 'succeeded', method: 'card' }) as Payment;
    for (const id of [first, second, third]) others.set(`pi_${id}`, paid(id));
    await topups.refresh(scope.organisationId, first, `pi_${first}`);
    asked.length = 0;
    const foreign = { ...paid(third), id: 'pi_foreign', organisationId: null };
    listed = [paid(first), paid(second), foreign, { ...paid(third), id: 'pi_none', topupId: null }];
    expect(await topups.sweep(since())).toBe(1);
    expect(paymentsOf()).toEqual([`pi_${second}`]);
    expect(asked[0]).toEqual(['paymentsSince', since()]);
    // From a moment on after which the third was begun, it is read by itself.
    asked.length = 0;
    listed = [];
    await topups.sweep(new Date(Date.now() + 60_000));
    expect(paymentsOf()).toContain(`pi_${third}`);
    expect(paymentsOf()).not.toContain(`pi_${first}`);
    expect((await rows()).map(({ state }) => state)).toEqual(Array(3).fill('succeeded'));
  });

  /** Paid, and not known yet. */
  async function paidAndOpen(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) ids.push(await begun());
    for (const topupId of ids) {
      const paid = { ...unpaid(topupId), topupId, state: 'succeeded', method: 'card' } as const;
      others.set(`pi_${topupId}`, { ...present, ...paid });
    }
    return ids;
  }
  const later = () => new Date(Date.now() + 60_000);

  test.each([new RangeError('an amount that is none'), new UpstreamUnavailable('an error of theirs')])(
    'reads the others where one cannot be read, and then fails: %s',
    async (error) => {
      const ids = await paidAndOpen(3);
      let unread: unknown;
      atReading = async () => {
        unread ??= paymentsOf()[0];
        if (paymentsOf().at(-1) === unread) throw error;
      };
      const failed = { message: expect.stringContaining(error.message), errors: [error] };
      await expect(topups.sweep(later())).rejects.toMatchObject(failed);
      const states = (await rows()).map(({ payment_intent, state }) => [payment_intent, state]);
      expect(new Map(states as [string, string][])).toEqual(
        new Map(ids.map((id) => [`pi_${id}`, unread === `pi_${id}` ? 'requested' : 'succeeded'])),
      );
    },
  );

  test('goes no further without the provider: three in a row have no answer', async () => {
    await paidAndOpen(5);
    const error = new UpstreamUnavailable('no answer');
    atReading = () => Promise.reject(error);
    await expect(topups.sweep(later())).rejects.toBe(error);
    expect(paymentsOf()).toHaveLength(3);
  });

  test('reads what is paid behind a payment of which nobody can say whose it is, and then fails', async () => {
    const topupId = await begun();
    const paid = { ...present, ...unpaid(topupId), topupId, state: 'succeeded', method: 'card' } as Payment;
    others.set(`pi_${topupId}`, paid);
    listed = [{ ...paid, id: 'pi_shop', topupId: 'basket 7', organisationId: 'a shop' }, paid];
    await expect(topups.sweep(since())).rejects.toMatchObject({ errors: [{ code: '22P02' }] });
    expect(paymentsOf()).toContain(`pi_${topupId}`);
    expect((await rows())[0]?.state).toBe('succeeded');
  });

  test('comes to every one that is open: money on its way and the latest each time, the older ones in turns', async () => {
    const { organisationId } = scope;
    const latest = await begun();
    const copies = (state: string, count: number, days: number) =>
      sql`INSERT INTO topups SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),
            'payment_intent', ${`pi_${state}_`} || n, 'state', ${state}::text, 'idempotency_key', gen_random_uuid(),
            'created_at', ${new Date(Date.now() - days * 86_400_000)}::timestamptz - n * interval '1 second'))).*
          FROM topups t, generate_series(1, ${count}::int) n WHERE t.id = ${latest}`.execute(
        database.systemDb,
      );
    await copies('requires_action', 600, 2);
    await copies('processing', 2, 400);
    const { now: present } = people.clock;
    onTestFinished(() => {
      people.clock.now = present;
    });
    const read = new Set<string>();
    for (let turn = 1; turn <= 3; turn += 1) {
      asked.length = 0;
      people.clock.now = () => new Date(Date.now() + turn * 3_600_000);
      await topups.sweep(new Date(Date.now() + 60_000));
      const now = paymentsOf().map(String);
      expect(now.length).toBeLessThanOrEqual(1_000);
      expect(now).toEqual(expect.arrayContaining(['pi_processing_1', 'pi_processing_2', `pi_${latest}`]));
      for (const id of now) read.add(id);
    }
    expect(read.size).toBeGreaterThanOrEqual(603);
    await database.systemDb
      .deleteFrom('topups')
      .where('organisation_id', '=', organisationId)
      .where('id', '<>', latest)
      .execute();
  });

  test('looks back an hour before the oldest automatic top-up that was never charged, and has auto balance look once it ended', async () => {
    const { organisationId } = scope;
    const at = (hours: number) => new Date(people.clock.now().getTime() - hours * 3_600_000);
    await topupRow(database, organisationId, { kind: 'auto', created_at: at(100), updated_at: at(100) });
    await takeJobs(database.url);
    await topups.sweep(at(24));
    expect(asked[0]).toEqual(['paymentsSince', at(101)]);
    expect(await rows()).toMatchObject([{ state: 'cancelled', updated_at: people.clock.now() }]);
    expect(await takeJobs(database.url)).toEqual([
      { task: 'billing.consider-auto-topup', payload: { organisationId } },
    ]);
    asked.length = 0;
    await topups.sweep(at(24));
    expect(asked[0]).toEqual(['paymentsSince', at(24)]);
  });

  test('ends what was never charged although another payment cannot be read, and leaves that of which one cannot be', async () => {
    const auto = { kind: 'auto' as const, created_at: new Date(people.clock.now().getTime() - 7_200_000) };
    const unread = await topupRow(database, scope.organisationId, auto);
    const { scope: other } = await people.organisation();
    await topupRow(database, other.organisationId, auto);
    listed = [
      {
        ...unpaid(unread),
        topupId: unread,
        organisationId: scope.organisationId,
        state: 'succeeded',
      } as Payment,
    ];
    const failure = new RangeError('an amount that is none');
    atReading = async () => {
      throw failure;
    };
    await expect(topups.sweep(since())).rejects.toMatchObject({ errors: [failure] });
    expect(await rows()).toMatchObject([{ id: unread, state: 'requested' }]);
    expect(
      await inTransaction(database.db, other, (tx) => tx.selectFrom('topups').select('state').execute()),
    ).toEqual([{ state: 'cancelled' }]);
  });

  test('leaves alone what was begun an hour ago, and ends what was begun a moment before', async () => {
    const young = new Date(people.clock.now().getTime() - 3_600_000);
    const id = await topupRow(database, scope.organisationId, { kind: 'auto', created_at: young });
    await topups.sweep(since());
    expect(await rows()).toMatchObject([{ id, state: 'requested' }]);
    people.clock.forward(1);
    await topups.sweep(since());
    expect(await rows()).toMatchObject([{ id, state: 'cancelled' }]);
  });
});

describe('a payment whose top-up a restored database does not know', () => {
  const adopt = (payment: Payment) => createTopupAdoption(database.db, topups)(payment);
  const read = () => asked.filter(([method]) => method === 'payment').map(([, id]) => id);

  test('has it written down again as its metadata tells, once, and is applied', async () => {
    const { organisationId } = scope;
    const topupId = newId();
    present = { ...unpaid(topupId), topupId, organisationId, amountCents: 45_00, state: 'succeeded' };
    const payment = present as Payment;
    expect([await adopt(payment), await adopt(payment)]).toEqual([true, false]);
    expect(await rows()).toMatchObject([
      { id: topupId, kind: 'manual', cents: 45_00, user_id: null, state: 'succeeded' },
    ]);
    expect(read()).toEqual([payment.id, payment.id]);
    asked.length = 0;
    expect(await adopt({ ...payment, topupId: null })).toBe(false);
    expect(await adopt({ ...payment, organisationId: null })).toBe(false);
    expect(asked).toEqual([]);
  });
});
