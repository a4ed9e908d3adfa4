import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { within } from '../../../../tests/support/rows.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { PaymentRefused, type Payments } from '../../ports/payments.ts';
import { createDashboard } from './dashboard.ts';
import { createPaymentAccounts } from './payment-account.ts';
import { billingProfile } from './profile.repo.ts';

/** The organisation's own account at the provider: what is asked there, what is replied, and what the log and the queue get. */

let database: TestDatabase;
let people: People;
let scope: Scope;
let asked: unknown[];
let finished: boolean;
let failing: Error | null;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope } = await people.organisation());
  [asked, finished, failing, accountId] = [[], false, null, `acct_${scope.organisationId}`];
  await takeJobs(database.url);
});

const answer = <T>(method: string, given: unknown, value: T): Promise<T> => {
  asked.push([method, given]);
  return failing ? Promise.reject(failing) : Promise.resolve(value);
};
const payments = {
  createAccount: (input: unknown) => answer('createAccount', input, accountId),
  accountSetupLink: (input: unknown) => answer('accountSetupLink', input, 'https://provider.test/setup'),
  accountStatus: (id: string) =>
    answer('accountStatus', id, { id, finished, requirements: finished ? [] : ['tax_id'] }),
  dashboardLink: (id: string) => answer('dashboardLink', id, 'https://provider.test/dashboard'),
} as unknown as Payments;
const accounts = () =>
  createPaymentAccounts({
    ...{ db: database.db, systemDb: database.systemDb, clock: people.clock, payments },
    ...{ publicUrl: 'https://portal.test', logger: { warn: () => undefined } as never },
  });
const dashboard = () => createDashboard({ db: database.db, clock: people.clock, payments });
const isReady = async () => {
  const profile = await within(database, scope.organisationId, (tx) =>
    billingProfile(tx, scope.organisationId),
  );
  return profile.payment_account_ready;
};

test('an account is made once and its set-up leads back to where it was begun; each link is in the log', async () => {
  expect(await accounts().setupLink(scope)).toEqual({ link: 'https://provider.test/setup' });
  const { organisationId, userId, email } = scope;
  const back = 'https://portal.test/onboarding/2';
  const links = [
    'accountSetupLink',
    { accountId, returnUrl: `${back}?from=provider`, refreshUrl: `${back}?from=expired` },
  ];
  expect(asked).toEqual([
    [
      'createAccount',
      { organisationId, email, name: 'Example MSP', idempotencyKey: `account:${organisationId}:${userId}` },
    ],
    links,
  ]);
  asked.length = 0;
  await accounts().setupLink(scope);
  expect(asked).toEqual([links]);
  const entry = { by: userId, kind: 'payment-account', object: accountId, before: null, after: null };
  expect(await logged(database.db, scope, 'billing.accountLink')).toEqual([entry, entry]);
});

test('who comes back is told what the provider still wants; customers are connected once, when it wants nothing more', async () => {
  const none = { id: null, finishedRequirement: false, requirements: [] };
  expect(await accounts().refresh(scope)).toEqual(none);
  expect(asked).toEqual([]);
  await accounts().setupLink(scope);
  const waits = { id: accountId, finishedRequirement: false, requirements: ['tax_id'] };
  expect(await accounts().refresh(scope)).toEqual(waits);
  expect([await isReady(), await takeJobs(database.url)]).toEqual([false, []]);
  finished = true;
  expect(await accounts().refresh(scope)).toEqual({
    id: accountId,
    finishedRequirement: true,
    requirements: [],
  });
  const job = {
    ...{ task: 'direct-billing.connect-all', payload: { organisationId: scope.organisationId } },
  };
  expect([await isReady(), await takeJobs(database.url)]).toEqual([true, [job]]);
  await accounts().refresh(scope);
  expect(await takeJobs(database.url)).toEqual([]);
  await accounts().onEvent(accountId, { type: 'account.application.deauthorized' });
  expect([await isReady(), await takeJobs(database.url)]).toEqual([false, []]);
});

test('the dashboard is opened for who asks, and the log says so before the address is made', async () => {
  await expect(dashboard().link(scope)).rejects.toMatchObject({
    ...{ code: 'unprocessable', message: 'There is no payment account yet.' },
  });
  await accounts().setupLink(scope);
  asked.length = 0;
  expect(await dashboard().link(scope)).toEqual({ link: 'https://provider.test/dashboard' });
  expect(asked).toEqual([['dashboardLink', accountId]]);
  failing = new UpstreamUnavailable('x');
  await expect(dashboard().link(scope)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  const entry = { by: scope.userId, kind: 'payment account', object: accountId, before: null, after: null };
  expect(await logged(database.db, scope, 'billing.dashboardLink')).toEqual([entry, entry]);
});

test('where the provider is silent or refuses, the person is told so in its words, and the log has no link', async () => {
  const silent = 'The payment provider does not answer at the moment. Please try again.';
  failing = new UpstreamUnavailable('x');
  await expect(accounts().setupLink(scope)).rejects.toMatchObject({
    ...{ code: 'upstream_unavailable', message: silent },
  });
  failing = new PaymentRefused('This country is not supported.');
  await expect(accounts().setupLink(scope)).rejects.toMatchObject({
    ...{ code: 'payment_failed', message: 'This country is not supported.' },
  });
  expect(await logged(database.db, scope, 'billing.accountLink')).toEqual([]);
  failing = null;
  await accounts().setupLink(scope);
  failing = new PaymentRefused('Not now');
  await expect(accounts().refresh(scope)).rejects.toMatchObject({
    code: 'payment_failed',
    message: 'Not now',
  });
  await expect(dashboard().address(scope)).rejects.toMatchObject({
    code: 'unprocessable',
    message: 'Not now',
  });
});
