import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Billed, createBilled } from '../../../../tests/support/billed.ts';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';

let stand: BillingStand;
let billed: Billed;
beforeAll(async () => {
  stand = await openBillingStand();
  billed = createBilled(stand);
  // Nothing that the provider tells arrives.
  await stand.sandbox.control('webhook-faults', { drop: true });
});
afterAll(() => stand.close());

const charge = async (scope: Parameters<Billed['charges']>[0]) => (await billed.charges(scope))[0];

test('with every event of a connected account lost, the sweep finds what became of account, method and charges', async () => {
  const scope = await stand.organisation();
  await stand.billing.accounts.setupLink(scope);
  const { id } = await stand.billing.accounts.refresh(scope);
  const account = id ?? '';
  await stand.sandbox.control('account-finish', { account });
  const ready = async () => (await stand.billing.account(scope)).stripeAccount.finishedRequirement;
  expect(await ready()).toBe(false);
  await stand.sweep();
  expect(await ready()).toBe(true);

  const customer = await billed.customerOf(scope);
  const chip = async () => (await stand.customers.get(scope, customer.customerId)).paymentMethodSet;
  await billed.storeMethod(account, customer, 'pm_usBankAccount_processing');
  expect(await chip()).toBe(false);
  await stand.sweep();
  expect(await chip()).toBe(true);

  await billed.bought(scope, customer.customerId, [{}]);
  await stand.settle();
  const paymentIntent = (await charge(scope))?.paymentId;
  await stand.sandbox.control('settle', { paymentIntent, account });
  await stand.sandbox.stripe.refunds.create(
    { payment_intent: paymentIntent ?? '', amount: 5_00 },
    { stripeAccount: account },
  );
  await stand.settle();
  expect(await charge(scope)).toMatchObject({ state: 'processing', refunded: 0 });
  await stand.sweep();
  expect(await charge(scope)).toMatchObject({ state: 'succeeded', refunded: 5 });

  const [method] = await stand.payments.connectedPaymentMethods(account, customer.billing.stripeId ?? '');
  await stand.sandbox.control('detach', { paymentMethod: method, account });
  await stand.sandbox.control('account-requirements', { account });
  await stand.sweep();
  expect(await chip()).toBe(false);
  expect(await ready()).toBe(false);
});

test('an account that the provider no longer shows stops no other', async () => {
  const gone = await billed.msp();
  await stand.database.systemDb
    .updateTable('billing_profiles')
    .set({ payment_account_id: 'acct_gone' })
    .where('organisation_id', '=', gone.scope.organisationId)
    .execute();
  const { scope } = await billed.msp();
  await stand.sweep();
  expect((await stand.billing.account(scope)).stripeAccount.finishedRequirement).toBe(true);
});
