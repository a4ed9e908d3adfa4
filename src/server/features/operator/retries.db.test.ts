import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Billed, createBilled } from '../../../../tests/support/billed.ts';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';
import type { QueueKind } from '../../../contracts/operations/operator.ts';
import { inTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { createQueue } from './queue.service.ts';

/** The operator's "try again" on real billing and direct billing: pressed twice, it moves money once. */
let stand: BillingStand;
let billed: Billed;
let queue: ReturnType<typeof createQueue>;
beforeAll(async () => {
  stand = await openBillingStand();
  billed = createBilled(stand);
  queue = createQueue({
    systemDb: stand.database.systemDb,
    clock: stand.clock,
    orders: { engine: { lookAgain: () => Promise.reject(new Error('not asked')) } },
    directBilling: stand.direct,
    renewals: { autoRenew: { retry: () => Promise.reject(new Error('not asked')) } },
    billing: stand.billing,
  });
});
afterEach(async () => {
  expect(await stand.faults()).toEqual([]);
});
afterAll(() => stand.close());

const ada = { id: newId(), name: 'Ada Smith', ip: null, requestId: 'r' };
const entriesOf = async (kind: QueueKind, scope?: Scope) =>
  (await queue.list()).filter(
    (entry) => entry.kind === kind && (!scope || entry.organizationId === scope.organisationId),
  );
/** Three people press at once. The later ones may find it gone. */
async function pressThrice(kind: QueueKind, id: string): Promise<void> {
  const pressed = await Promise.allSettled([1, 2, 3].map(() => queue.retry(ada, kind, id)));
  expect(pressed.some(({ status }) => status === 'fulfilled')).toBe(true);
  await stand.settle();
}

test('a failed direct charge: one payment, retried, and out of the queue when it is paid', async () => {
  const { scope, account, customer } = await billed.active('pm_card_chargeCustomerFail');
  await billed.bought(scope, customer.customerId, [{}]);
  await stand.settle();
  const [entry] = await entriesOf('charge', scope);
  expect(entry).toMatchObject({ subject: 'direct charge', amount: 13_20, retry: true });
  await pressThrice('charge', entry?.id ?? '');
  expect((await billed.charges(scope))[0]).toMatchObject({ state: 'failed' });
  expect(await billed.paymentsAt(account)).toHaveLength(1);
  await stand.sandbox.control('webhook-faults', { drop: true });
  await billed.storeMethod(account, customer, 'pm_card_visa');
  await stand.sandbox.control('webhook-faults', {});
  await stand.direct.tasks['direct-billing.sweep-methods']();
  await stand.sweep();
  await stand.settle();
  expect((await billed.paymentsAt(account)).map(({ status }) => status)).toEqual(['succeeded']);
  expect(await entriesOf('charge', scope)).toEqual([]);
});

test('an automatic top-up that was declined: one new charge, one credit', async () => {
  const scope = await stand.organisation();
  const { intentSecret } = await stand.billing.topups.start(scope, 100, null);
  const paymentIntent = intentSecret.split('_secret')[0];
  await stand.sandbox.control('pay', { paymentIntent, paymentMethod: 'pm_card_visa' });
  await stand.settle();
  const stored = await change(scope, null);
  const declining = await stand.sandbox.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
    customer: stored.payment_customer_id ?? '',
  });
  await change(scope, declining.id);
  await stand.billing.autoTopup.set(scope, { enabled: true, amount: 100_00, mark: 100_01 });
  await stand.settle();
  const [entry] = await entriesOf('charge', scope);
  expect(entry).toMatchObject({ subject: 'automatic top-up', amount: 100_00, retry: true });
  await change(scope, stored.payment_method_id);
  await pressThrice('charge', entry?.id ?? '');
  expect((await stand.figures(scope)).balance).toBe(200_00);
  expect(await entriesOf('charge', scope)).toEqual([]);
  await expect(queue.retry(ada, 'charge', entry?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
});

test('an event that could not be applied: one credit', async () => {
  const scope = await stand.organisation();
  const { intentSecret } = await stand.billing.topups.start(scope, 100, null);
  const paymentIntent = intentSecret.split('_secret')[0];
  await stand.sandbox.control('pay', { paymentIntent, paymentMethod: 'pm_card_visa' });
  await stand.delivered();
  // Ten tries were in vain, half an hour ago.
  await stand.database.systemDb
    .updateTable('webhook_events')
    .set({
      attempts: 10,
      last_error: 'no answer',
      received_at: new Date(stand.clock.now().getTime() - 1_800_000),
    })
    .where('applied_at', 'is', null)
    .execute();
  await stand.jobs();
  expect((await stand.figures(scope)).balance).toBe(0);
  const stuck = await entriesOf('event');
  expect(stuck.length).toBeGreaterThan(0);
  for (const { id } of stuck) await pressThrice('event', id);
  expect((await stand.figures(scope)).balance).toBe(100_00);
  expect(await entriesOf('event')).toEqual([]);
});

/** The stored method that automatic top-ups charge; null leaves it. */
function change(scope: Scope, method: string | null) {
  return inTransaction(stand.database.db, scope, async (tx) => {
    if (method) await tx.updateTable('billing_profiles').set({ payment_method_id: method }).execute();
    return tx
      .selectFrom('billing_profiles')
      .select(['payment_customer_id', 'payment_method_id'])
      .executeTakeFirstOrThrow();
  });
}
