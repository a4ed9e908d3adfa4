import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStand, type Stand, WEBHOOK_SECRET } from '../../../sandbox/payments/test-stand.ts';
import { fencelessPayments } from '../../ports/conformance/fenceless.ts';
import { PaymentRefused } from '../../ports/payments.ts';
import { toAccount } from './accounts.ts';
import { createStripe } from './index.ts';

let stand: Stand;
let payments: ReturnType<typeof fencelessPayments>;
beforeAll(async () => {
  stand = await openStand();
  payments = fencelessPayments(
    createStripe({
      ...{ secretKey: 'sk_test_sandbox', webhookSecrets: [WEBHOOK_SECRET], apiBase: stand.part.url },
    }),
  );
});
afterAll(() => stand.close());

const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PaymentRefused);
  return error instanceof Error ? error.message : '';
};

test('an account that the provider does not know is a refusal in our own words, which say nothing of our key', async () => {
  const accountId = 'acct_nobodyknowsit';
  const address = 'https://portal.example/';
  for (const call of [
    () => payments.dashboardLink(accountId),
    () => payments.accountStatus(accountId),
    () => payments.accountSetupLink({ accountId, returnUrl: address, refreshUrl: address }),
  ]) {
    expect(await refusalOf(call())).toBe('The payment provider does not know this account any more.');
  }
});

test('the dashboard of an account that is not set up yet is a refusal, and open once it is', async () => {
  const accountId = await payments.createAccount({
    ...{ organisationId: 'o', email: 'a@b.example', name: 'A', idempotencyKey: 'once' },
  });
  expect(await refusalOf(payments.dashboardLink(accountId))).toMatch(/login link|onboarding/i);
  await stand.control('account-finish', { account: accountId });
  expect(await payments.dashboardLink(accountId)).toMatch(/^https?:/);
});

test('what the provider wants now or has waited for too long keeps an account from being finished; what it wants later does not', () => {
  const wanted = (status: string) => ({ description: status, minimum_deadline: { status } });
  const account = {
    id: 'acct_1',
    configuration: { merchant: { capabilities: { card_payments: { status: 'active' } } } },
    requirements: { entries: ['currently_due', 'past_due', 'eventually_due'].map(wanted) },
  };
  const read = (entries: object[]) => toAccount({ ...account, requirements: { entries } } as never);
  expect(read(account.requirements.entries)).toMatchObject({
    ...{ finished: false, requirements: ['currently_due', 'past_due'] },
  });
  expect(read([wanted('past_due')])).toMatchObject({ finished: false });
  expect(read([wanted('eventually_due')])).toMatchObject({ finished: true, requirements: [] });
});
