import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { across, customerRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { createSeal } from '../../kernel/seal.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { PaymentRefused } from '../../ports/payments.ts';
import { findBilledCustomer } from '../customers/index.ts';
import { mostInTurn } from './connections.rules.ts';
import { createConnections } from './connections.ts';
import type { DirectBillingDeps } from './deps.ts';
import { createSetupLinks } from './setup-links.ts';

/** End customers at a payment provider that is a stand-in here: what is asked of it, and what its answers change. */

const account = 'acct_1';
let database: TestDatabase;
let organisationId: string;
const payments = {
  createConnectedCustomer: vi.fn(async (_customer: { customerId: string }) => `cus_${newId()}`),
  connectedPaymentMethods: vi.fn(async (): Promise<string[]> => []),
  connectedMandate: vi.fn(),
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
    expect(await connect(billed)).toHaveLength(1);
    expect(await connect({ ...billed, payment_customer_id: `cus_${newId()}` })).toHaveLength(0);
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

  test('are not asked about one by one while the provider is away: the job comes again', async () => {
    await waiting(5);
    payments.createConnectedCustomer.mockRejectedValue(new UpstreamUnavailable('no answer'));
    await expect(connections().connectAll({ organisationId })).rejects.toThrow('no answer');
    expect(payments.createConnectedCustomer).toHaveBeenCalledTimes(3);
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

test('a setup link is for a living customer who is billed directly', async () => {
  const scope = { organisationId } as never;
  const resend = (stripeId: string) => createSetupLinks(deps(), connections()).resend(scope, stripeId);
  const { paymentCustomer: deleted } = await customer({ deleted_at: new Date('2026-11-01T00:00:00Z') });
  await expect(resend(deleted)).rejects.toMatchObject({ code: 'not_found' });
  const { paymentCustomer: otherwise } = await customer({ bill_directly: false });
  await expect(resend(otherwise)).rejects.toMatchObject({ code: 'unprocessable' });
});
