import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { createSeal } from '../../kernel/seal.ts';
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
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('billing_profiles')
      .values({
        ...{ organisation_id: organisationId, payment_account_id: `${account}-${organisationId}` },
        payment_account_ready: true,
      })
      .execute(),
  );
  vi.clearAllMocks();
});

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

test('a setup link is for a living customer who is billed directly', async () => {
  const scope = { organisationId } as never;
  const resend = (stripeId: string) => createSetupLinks(deps(), connections()).resend(scope, stripeId);
  const { paymentCustomer: deleted } = await customer({ deleted_at: new Date('2026-11-01T00:00:00Z') });
  await expect(resend(deleted)).rejects.toMatchObject({ code: 'not_found' });
  const { paymentCustomer: otherwise } = await customer({ bill_directly: false });
  await expect(resend(otherwise)).rejects.toMatchObject({ code: 'unprocessable' });
});
