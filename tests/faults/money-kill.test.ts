import { randomBytes } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { type Account, cartOf, contact, openAccount, purchase } from '../support/account.ts';
import { patientCall } from '../support/patient.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { untilOf } from '../support/until.ts';
import { statementFaults } from './statement-check.ts';

/**
 * Money's kill points (design: kill points), one after the other on one portal: the real server is killed with -9
 * right there, started again, and has to come to the right state by itself.
 */
let stack: Stack;
let account: Account;
let provider: Stripe;
/** By the one purchase. */
let spentCents = 0;
/** A payment that was begun and is not paid yet. */
let second = '';

beforeAll(async () => {
  stack = await startStack();
  await start('payment-account.created');
  account = await openAccount(stack, 0);
  const base = new URL(stack.settings.STRIPE_API_BASE ?? '');
  provider = new Stripe('sk_test_sandbox', { host: base.hostname, port: base.port, protocol: 'http' });
});
afterAll(() => stack[Symbol.asyncDispose]());

/**
 * The server died at its point; the next one is up when this resolves, and dies at `next`, if that is given. What the
 * dead one left may lead straight to that point.
 */
async function restarted(next?: string): Promise<void> {
  await stack.serverDied();
  await start(next);
}

async function start(point?: string): Promise<void> {
  const started = stack.startServer(point ? { FAILPOINT: `${point}:1` } : {});
  await (point ? started.catch(() => 'dead already') : started);
}

const unanswered = (act: Promise<unknown>) => act.catch(() => 'no answer');

const ask = <T>(method: string, path: string, body?: unknown, key?: string) =>
  patientCall<T>(stack, account.token, method, path, body, key);

const until = untilOf(
  () => stack,
  () => account,
  ['billing.sweep', 'direct-billing.sweep'],
);

const balance = () =>
  ask<{ balance: number; pendingBalance: number; held: number }>('GET', 'account/balancev2');
const balanceIs = (cents: number) => until(`${cents} cents`, balance, (found) => found.balance === cents);
const pay = (paymentIntent: string) =>
  stack.control('payments', 'pay', { paymentIntent, paymentMethod: 'pm_card_visa' });
async function startTopup(amount: number, key: string): Promise<string> {
  const { intentSecret } = await ask<{ intentSecret: string }>(
    ...(['POST', 'account/topupv2', { amount }, key] as const),
  );
  return intentSecret.split('_secret')[0] ?? '';
}
const topupsAtProvider = async () => (await provider.paymentIntents.list({ limit: 100 })).data;
const paidTopups = async () => (await topupsAtProvider()).filter(({ status }) => status === 'succeeded');
const accountId = async () =>
  (await ask<{ stripeAccount: { id: string } }>('GET', 'account')).stripeAccount.id;

interface Customer {
  customerId: string;
  billing: { billDirectly: boolean; stripeId: string | null };
}

describe('kill -9 around money, then a restart', () => {
  test('payment-account.created: asking again leads to the one account', async () => {
    await unanswered(ask('GET', 'account/link'));
    await restarted('direct-billing.connected');
    await ask('GET', 'account/link');
    const { accounts } = await stack.control<{ accounts: { id: string }[] }>('payments', 'state');
    expect(accounts.map(({ id }) => id)).toEqual([await accountId()]);
    await stack.control('payments', 'account-finish', { account: await accountId() });
    await ask('POST', 'account/refresh');
  });

  test('direct-billing.connected: the customer is made known again, later, by itself', async () => {
    const billing = { billDirectly: true, email: 'pay@customer.example', allowChangeBilling: false };
    const contacts = { owner: contact, admin: contact, billing: contact };
    await unanswered(ask('POST', 'customer', { contacts, billing }));
    await restarted('topup.created');
    const customers = await ask<Customer[]>('GET', 'customer');
    expect(customers.filter(({ billing }) => billing.billDirectly)).toHaveLength(1);
  });

  test('topup.created: a payment nobody recorded, whose every event is lost, is credited by the start', async () => {
    await stack.control('payments', 'webhook-faults', { drop: true });
    await unanswered(startTopup(100, 'first-topup'));
    await pay((await topupsAtProvider())[0]?.id ?? '');
    await restarted();
    await balanceIs(100_00);
    // The browser, which got no answer, asks again: the same payment.
    const again = await startTopup(100, 'first-topup');
    expect((await topupsAtProvider()).map(({ id }) => id)).toEqual([again]);
    // The next one's beginning is told to nobody either: the first event that arrives is that of its payment.
    second = await startTopup(20, 'second-topup');
    await stack.control('payments', 'webhook-faults', {});
    // Only now: an event of earlier, sent again, would end the server before it has answered all this.
    await stack.killServer();
    await start('webhook.verified');
  });

  test('webhook.verified, then .stored, then before and after it is applied: one credit', async () => {
    await pay(second);
    await restarted('webhook.stored');
    await restarted('topup.fetched');
    await restarted('webhook.applied');
    await restarted('auto-topup.planned');
    await balanceIs(120_00);
    expect(await paidTopups()).toHaveLength(2);
  });

  test('auto-topup.planned, then .charged: one charge, one credit', async () => {
    await unanswered(ask('POST', 'account/auto-balance', { enabled: true, amount: 100_00, mark: 120_01 }));
    await restarted('auto-topup.charged');
    await restarted('direct-charge.claimed');
    await balanceIs(220_00);
    expect(await paidTopups()).toHaveLength(3);
  });

  test('direct-charge.claimed, then .made: the end customer is charged once', async () => {
    const read = () => ask<Customer[]>('GET', 'customer');
    const known = (all: Customer[]) => all.some(({ billing }) => billing.stripeId !== null);
    const billed = (await until('known to the provider', read, known)).find((one) => known([one]));
    const onAccount = { stripeAccount: await accountId() };
    const atProvider = await provider.customers.list({ limit: 10 }, onAccount);
    expect(atProvider.data.map(({ id }) => id)).toEqual([billed?.billing.stripeId]);
    await storeMethod(billed?.customerId ?? '', billed?.billing.stripeId ?? '');
    const name = `charged-${randomBytes(4).toString('hex')}.com`;
    const cart = await cartOf(stack, { ...account, customerId: billed?.customerId ?? '' }, [name]);
    await unanswered(purchase(stack, account, cart, 'third-purchase'));
    await restarted('direct-charge.made');
    await restarted();
    await purchase(stack, account, cart, 'third-purchase');
    spentCents = Math.round(cart.price * 100);
    const charges = () =>
      ask<{ state: string; attempts: number; paymentId: string }[]>('GET', 'direct-charge');
    const [charge] = await until('charged', charges, ([first]) => first?.state === 'succeeded');
    expect(charge?.attempts).toBe(1);
    const made = (await provider.paymentIntents.list({ limit: 100 }, onAccount)).data;
    expect(made.map(({ id }) => id)).toEqual([charge?.paymentId]);
  });

  test('afterwards every cent is explained: wallet, ledger, statement and provider say the same', async () => {
    expect(await balance()).toMatchObject({ balance: 220_00 - spentCents, pendingBalance: 0, held: 0 });
    expect(await checkLedger(stack.database.systemDb)).toEqual([]);
    const person: Scope = {
      ...{ organisationId: account.organisationId, userId: '', email: '', role: 'MSP_ADMIN' },
      ...{ reach: { kind: 'organisation' }, rights: { kind: 'role' }, ip: null, requestId: '' },
    };
    expect(await statementFaults(stack.database, person)).toEqual([]);
    const credits = await stack.database.systemDb
      .selectFrom('journal')
      .select('ref')
      .where('kind', '=', 'topup')
      .execute();
    expect(credits).toHaveLength((await paidTopups()).length);
  });
});

async function storeMethod(customerId: string, customer: string): Promise<void> {
  await provider.setupIntents.create(
    {
      customer,
      payment_method: 'pm_card_visa',
      confirm: true,
      usage: 'off_session',
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    },
    { stripeAccount: await accountId() },
  );
  const read = () => ask<{ paymentMethodSet: boolean }>('GET', `customer/${customerId}`);
  await until('method stored', read, ({ paymentMethodSet }) => paymentMethodSet);
}
