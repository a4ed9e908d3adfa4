import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { across, customerRow, orderRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { createSeal } from '../../kernel/seal.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { PaymentRefused } from '../../ports/payments.ts';
import { findBilledCustomer } from '../customers/index.ts';
import { createConnections, mostInTurn } from './connections.ts';
import type { DirectBillingDeps } from './deps.ts';
import { createSetupLinks } from './setup-links.ts';

/** End customers at a payment provider that is a stand-in here: what is asked of it, and what its answers change. */

const account = 'acct_1';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let database: TestDatabase;
let organisationId: string;
const payments = {
  createConnectedCustomer: vi.fn(async (_customer: { customerId: string }) => `cus_${newId()}`),
  connectedPaymentMethods: vi.fn(async (): Promise<string[]> => []),
  connectedMandate: vi.fn(),
  setupSession: vi.fn(async (_asked: object) => 'https://pay.test/once'),
};

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  await readyAccount();
  vi.clearAllMocks();
  payments.createConnectedCustomer.mockImplementation(async () => `cus_${newId()}`);
});
const readyAccount = () =>
  within(database, organisationId, (tx) =>
    tx
      .insertInto('billing_profiles')
      .values({
        ...{ organisation_id: organisationId, payment_account_id: `${account}-${organisationId}` },
        payment_account_ready: true,
      })
      .execute(),
  );

const deps = (): DirectBillingDeps => ({
  ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => new Date('2026-11-22T12:00:00Z') } },
  ...{ payments: payments as never, logger: { warn: () => undefined } as never },
  ...{ seal: createSeal([{ number: 1, secret: 'test' }]), publicUrl: 'https://portal.test', claimMs: 60_000 },
});
const connections = () => createConnections(deps());
const billed = { bill_directly: true, billing_email: 'pay@customer.test' } as const;
async function customer(change: Parameters<typeof customerRow>[2] = {}) {
  const [paymentCustomer, method] = [`cus_${newId()}`, `pm_${newId()}`];
  const known = { payment_customer_id: paymentCustomer, payment_method_id: method, payment_method_set: true };
  const id = await customerRow(database, organisationId, { ...billed, ...known, ...change });
  return { id, paymentCustomer, method };
}
const methodOf = (id: string) =>
  within(database, organisationId, (tx) =>
    tx
      .selectFrom('customers')
      .select(['payment_method_id', 'payment_method_set', 'payment_method_revoked'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  );

describe('a bank’s consent to debits', () => {
  test('that still stands changes nothing', async () => {
    const { id, method } = await customer();
    payments.connectedMandate.mockResolvedValue({ active: true, paymentMethod: method });
    await connections().refreshMandate(account, 'mandate_1');
    expect(await methodOf(id)).toMatchObject({ payment_method_id: method, payment_method_revoked: null });
  });

  test('that was revoked takes its method away for good; a newer method takes its place', async () => {
    const { id, method } = await customer();
    payments.connectedMandate.mockResolvedValue({ active: false, paymentMethod: method });
    payments.connectedPaymentMethods.mockResolvedValue([method]);
    await connections().refreshMandate(account, 'mandate_1');
    expect(payments.connectedMandate).toHaveBeenCalledWith(account, 'mandate_1');
    const gone = { payment_method_id: null, payment_method_set: false, payment_method_revoked: method };
    expect(await methodOf(id)).toEqual(gone);
    const ref = { organisationId, customerId: id };
    expect(await connections().refreshMethod(ref)).toBe(false);
    payments.connectedPaymentMethods.mockResolvedValue(['pm_new', method]);
    expect(await connections().refreshMethod(ref)).toBe(true);
    expect(await methodOf(id)).toMatchObject({ payment_method_id: 'pm_new', payment_method_set: true });
  });

  test('for a method of nobody here changes nothing', async () => {
    payments.connectedMandate.mockResolvedValue({ active: false, paymentMethod: 'pm_unknown' });
    await connections().refreshMandate(account, 'mandate_1');
    expect(payments.connectedPaymentMethods).not.toHaveBeenCalled();
  });
});

describe('a customer', () => {
  const connect = async (change: Parameters<typeof customerRow>[2]) => {
    const customerId = await customerRow(database, organisationId, change);
    await connections().connect({ organisationId, customerId });
    return payments.createConnectedCustomer.mock.calls.filter(([input]) => input.customerId === customerId);
  };

  test('who is billed directly is made known to the provider, once', async () => {
    const accountId = `${account}-${organisationId}`;
    const calls = await connect(billed);
    const customerId = calls[0]?.[0].customerId;
    expect(calls).toEqual([
      [
        {
          ...{ accountId, customerId, email: billed.billing_email, name: 'Example Ltd' },
          idempotencyKey: `customer:${accountId}:${customerId}:${billed.billing_email}`,
        },
        expect.anything(),
      ],
    ]);
    expect(await connect({ ...billed, payment_customer_id: `cus_${newId()}` })).toHaveLength(0);
  });

  test('whose method is another one has what failed tried at once; the same one read again tries nothing', async () => {
    const { id, method, paymentCustomer } = await customer();
    const chargeId = newId();
    const order_id = await orderRow(database, organisationId);
    await within(database, organisationId, (tx) =>
      tx
        .insertInto('direct_charges')
        .values({
          ...{ id: chargeId, organisation_id: organisationId, customer_id: id, order_id, part: 1 },
          ...{ cents: 12_00, state: 'failed', payment_intent: null, failure: 'Declined' },
          ...{ next_try_at: null, note: null, sent_at: null },
        })
        .execute(),
    );
    await takeJobs(database.url);
    const read = async (...methods: string[]) => {
      payments.connectedPaymentMethods.mockResolvedValue(methods);
      await connections().refreshMethod({ organisationId, customerId: id });
      return (await takeJobs(database.url)).map(({ task, payload }) => [task, payload.chargeId]);
    };
    expect(await read(method, 'pm_older')).toEqual([]);
    expect(await read()).toEqual([]);
    expect(await read('pm_new')).toEqual([['direct-billing.charge', chargeId]]);
    const place = [`${account}-${organisationId}`, paymentCustomer];
    expect(payments.connectedPaymentMethods.mock.calls).toEqual([place, place, place]);
  });

  test.each([
    ['not billed directly', { bill_directly: false }],
    ['without an address for bills', { billing_email: '' }],
    ['deleted', { deleted_at: new Date('2026-11-01T00:00:00Z') }],
  ])('who is %s is not', async (_what, change) => {
    expect(await connect({ ...billed, ...change })).toHaveLength(0);
  });

  test('whom an event names by their id or their method is read again', async () => {
    const { id, paymentCustomer, method } = await customer();
    payments.connectedPaymentMethods.mockResolvedValue(['pm_second']);
    await connections().refreshNamed({ customerId: null, paymentMethodId: method });
    expect(await methodOf(id)).toMatchObject({ payment_method_id: 'pm_second' });
    payments.connectedPaymentMethods.mockResolvedValue([]);
    await connections().refreshNamed({ customerId: paymentCustomer, paymentMethodId: null });
    expect(await methodOf(id)).toMatchObject({ payment_method_id: null, payment_method_set: false });
  });
});

describe('customers that wait', () => {
  const waiting = (count: number) =>
    Promise.all(Array.from({ length: count }, () => customerRow(database, organisationId, billed)));
  const connected = async () => {
    const rows = await within(database, organisationId, (tx) =>
      tx.selectFrom('customers').select('id').where('payment_customer_id', 'is not', null).execute(),
    );
    return rows.map(({ id }) => id).toSorted();
  };
  /** As the queue would, one job after the other. */
  async function connectAll(after?: string): Promise<void> {
    await connections().connectAll({ organisationId, after });
    for (const { task, payload } of await takeJobs(database.url)) {
      if (task === 'direct-billing.connect-all') await connectAll(String(payload.after));
    }
  }

  test('are found by the sweep, for an id and for a method, past an account that was disconnected', async () => {
    const { id: invited } = await customer({ payment_method_id: null, payment_method_set: false });
    const [unknown] = await waiting(1);
    const disconnected = `${account}-${organisationId}`;
    organisationId = await organisationRow(database);
    await readyAccount();
    const [other = ''] = await waiting(1);
    payments.createConnectedCustomer.mockImplementation(async ({ customerId }) => {
      if (customerId === unknown) throw new Error(`no access to ${disconnected}`);
      return `cus_${newId()}`;
    });
    payments.connectedPaymentMethods.mockRejectedValueOnce(new Error(`no access to ${disconnected}`));
    await connections().sweep();
    expect(await connected()).toEqual([other]);
    payments.connectedPaymentMethods.mockResolvedValue(['pm_found']);
    await connections().sweep();
    const found = await across(database, (tx) => findBilledCustomer(tx, { id: invited }));
    expect(found?.paymentMethod).toBe('pm_found');
  });

  test('are not gone through without the database: the job comes again', async () => {
    await waiting(2);
    const lost = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    payments.createConnectedCustomer.mockRejectedValue(lost);
    await expect(connectAll()).rejects.toBe(lost);
    expect(payments.createConnectedCustomer).toHaveBeenCalledTimes(1);
  });

  test('are not asked about one by one while the provider is away: the job comes again', async () => {
    await waiting(5);
    payments.createConnectedCustomer.mockRejectedValue(new UpstreamUnavailable('no answer'));
    await expect(connections().connectAll({ organisationId })).rejects.toThrow('no answer');
    expect(payments.createConnectedCustomer).toHaveBeenCalledTimes(3);
  });

  test.each([
    ['is answered', async () => `cus_${newId()}`],
    ['is refused', () => Promise.reject(new PaymentRefused('Invalid email address'))],
  ])('are all asked about where the provider is there again: one in between %s', async (_what, answer) => {
    await waiting(5);
    const away = () => Promise.reject(new UpstreamUnavailable('no answer'));
    for (const one of [away, away, answer, away, away]) {
      payments.createConnectedCustomer.mockImplementationOnce(one);
    }
    await connections().connectAll({ organisationId });
    expect(payments.createConnectedCustomer).toHaveBeenCalledTimes(5);
  });

  test('are connected after the account became ready, however many they are, past one that is refused', async () => {
    await takeJobs(database.url);
    const [first = '', ...others] = (await waiting(mostInTurn + 2)).toSorted();
    payments.createConnectedCustomer.mockImplementation(async ({ customerId }) => {
      if (customerId === first) throw new PaymentRefused('Invalid email address');
      return `cus_${newId()}`;
    });
    await connectAll();
    expect(await connected()).toEqual(others);
  });
});

describe('a setup link', () => {
  const links = () => createSetupLinks(deps(), connections());
  const scope = () =>
    ({ organisationId, userId: newId(), email: 'ann@msp.example', ip: null, requestId: 'test' }) as never;
  const resend = (stripeId: string) => links().resend(scope(), stripeId);
  const sentLinks = (customerId: string) =>
    within(database, organisationId, (tx) =>
      tx.selectFrom('payment_setup_links').select('id').where('customer_id', '=', customerId).execute(),
    );
  /** A link as it was written so long before now; its token. */
  async function link(customerId: string, beforeMs: number) {
    const writtenAt = new Date(deps().clock.now().getTime() - beforeMs);
    const to = { organisationId, customerId, email: billed.billing_email };
    const { address } = await within(database, organisationId, (tx) => links().writeLink(tx, to, writtenAt));
    return address.split('/').at(-1) ?? '';
  }

  test('is for a living customer who is billed directly', async () => {
    const { paymentCustomer: deleted } = await customer({ deleted_at: new Date('2026-11-01T00:00:00Z') });
    await expect(resend(deleted)).rejects.toMatchObject({ code: 'not_found' });
    const { paymentCustomer: otherwise } = await customer({ bill_directly: false });
    await expect(resend(otherwise)).rejects.toMatchObject({ code: 'unprocessable' });
  });

  test('is sent three times an hour to each customer, also when all are asked for at once; the answer says how long to wait', async () => {
    const [mine, other] = [await customer(), await customer()];
    // Not counted: one of an hour before, and those of others.
    await link(mine.id, hourMs);
    for (let time = 0; time < 3; time += 1) await link(other.id, 0);
    const all = await Promise.allSettled([1, 2, 3, 4, 5].map(() => resend(mine.paymentCustomer)));
    expect(all.map(({ status }) => status).sort()).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    ]);
    expect(await sentLinks(mine.id)).toHaveLength(4);
    await expect(resend(mine.paymentCustomer)).rejects.toMatchObject({
      ...{ code: 'rate_limited', retryAfterSeconds: 3_600 },
    });
    const later = await customer();
    for (const before of [10_000, hourMs - 4_500, 20_000]) await link(later.id, before);
    await expect(resend(later.paymentCustomer)).rejects.toMatchObject({ retryAfterSeconds: 5 });
  });

  test('is remembered for 90 days after its end, and forgotten with the next one; those of others stay', async () => {
    const [mine, other] = [await customer(), await customer()];
    const old = 97 * dayMs;
    for (const { id } of [mine, other]) await link(id, old + 1);
    const token = await link(mine.id, old);
    await resend(mine.paymentCustomer);
    expect([await sentLinks(mine.id), await sentLinks(other.id)].map(({ length }) => length)).toEqual([2, 1]);
    expect(await links().state(token)).toMatchObject({ state: 'expired' });
  });

  test('says whose it is, and asks the provider only while it can be used', async () => {
    const { id, paymentCustomer } = await customer();
    const [open, ended] = [await link(id, 0), await link(id, 7 * dayMs)];
    const names = { invitedBy: 'Test', organization: 'Example Ltd' };
    expect(await links().state(ended)).toEqual({ state: 'expired', ...names });
    await expect(links().open(ended)).rejects.toMatchObject({ code: 'unprocessable' });
    expect([payments.connectedPaymentMethods, payments.setupSession].map((one) => one.mock.calls)).toEqual([
      ...[[], []],
    ]);
    payments.connectedPaymentMethods.mockResolvedValueOnce([]);
    expect(await links().state(open)).toEqual({ state: 'open', ...names });
    payments.connectedPaymentMethods.mockResolvedValueOnce(['pm_1']);
    expect(await links().state(open)).toEqual({ state: 'done', ...names });
    expect(await links().open(open)).toEqual({ url: 'https://pay.test/once' });
    const back = `https://portal.test/payment-setup/${open}`;
    expect(payments.setupSession.mock.calls).toEqual([
      [
        {
          ...{ accountId: `${account}-${organisationId}`, connectedCustomer: paymentCustomer },
          ...{ successUrl: back, cancelUrl: back },
        },
      ],
    ]);
  });

  test('of a customer whom the provider does not know leads nowhere yet', async () => {
    const { id } = await customer({ payment_customer_id: null });
    await expect(links().open(await link(id, 0))).rejects.toMatchObject({ code: 'unprocessable' });
  });

  test.each([
    [
      'does not answer',
      new UpstreamUnavailable('socket hang up'),
      'upstream_unavailable',
      'The payment provider does not answer at the moment. Please try again.',
    ],
    ['refuses', new PaymentRefused('The account is closed.'), 'payment_failed', 'The account is closed.'],
  ] as const)('whose provider %s says so in words for the customer', async (_what, fault, code, message) => {
    const { id } = await customer();
    const token = await link(id, 0);
    payments.connectedPaymentMethods.mockRejectedValueOnce(fault);
    payments.setupSession.mockRejectedValueOnce(fault);
    for (const ask of [links().state, links().open]) {
      const error = await ask(token).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code, message });
    }
  });
});
