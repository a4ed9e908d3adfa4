import { randomBytes } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Db, inTransaction, sql } from '../../src/server/kernel/db/database.ts';
import { enqueueJob } from '../../src/server/kernel/jobs.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { type Account, cartOf, contact, openAccount, purchase } from '../support/account.ts';
import { patientCall } from '../support/patient.ts';
import { type Beside, type Stack, startStack } from '../support/stack.ts';
import { inTurn } from '../support/turn.ts';
import { untilOf } from '../support/until.ts';

/**
 * A worker that stands still (SIGSTOP) on its way to the payment provider, while another one takes over what it was at.
 * It wakes a day later, when the provider has forgotten the keys that keep a repeat from happening twice.
 */
/** Of the worker that stops. The others keep the usual times, which they meet on a slow machine too. */
const claimMs = 6_000;
const shortTimes = { PAYMENT_CLAIM_MS: String(claimMs), LEASE_MS: '1500' };
const dayMs = 25 * 3_600_000;

let stack: Stack;
let account: Account;
let owner: Db;
let provider: Stripe;
let onAccount: { stripeAccount: string };
let customerId: string;

beforeAll(async () => {
  stack = await startStack();
  await stack.startServer();
  owner = createDatabase({ url: stack.database.url, maxConnections: 2 });
  account = await openAccount(stack, 1_000_00);
  const base = new URL(stack.settings.STRIPE_API_BASE ?? '');
  provider = new Stripe('sk_test_sandbox', { host: base.hostname, port: base.port, protocol: 'http' });
  await ask('GET', 'account/link');
  const { stripeAccount } = await ask<{ stripeAccount: { id: string } }>('GET', 'account');
  await stack.control('payments', 'account-finish', { account: stripeAccount.id });
  await ask('POST', 'account/refresh');
  onAccount = { stripeAccount: stripeAccount.id };
  customerId = await billedCustomer();
  await topUp();
  // From here on the workers are those of the tests.
  await stack.killServer();
  await stack.startServer({ ROLES: 'web' });
});
afterAll(async () => {
  await owner.destroy();
  await stack[Symbol.asyncDispose]();
});

const ask = <T>(method: string, path: string, body?: unknown) =>
  patientCall<T>(stack, account.token, method, path, body);

const until = untilOf(
  () => stack,
  () => account,
  ['billing.sweep', 'direct-billing.sweep'],
);

async function billedCustomer(): Promise<string> {
  const billing = { billDirectly: true, email: 'pay@customer.example', allowChangeBilling: false };
  const contacts = { owner: contact, admin: contact, billing: contact };
  const { customerId: id } = await ask<{ customerId: string }>('POST', 'customer', { contacts, billing });
  interface Customer {
    customerId: string;
    billing: { stripeId: string | null };
  }
  const read = async () =>
    (await ask<Customer[]>('GET', 'customer')).find((one) => one.customerId === id)?.billing.stripeId ?? '';
  const customer = await until('known to the provider', read, (stripeId) => stripeId !== '');
  await provider.setupIntents.create(
    {
      ...{ customer, payment_method: 'pm_card_visa', confirm: true, usage: 'off_session' },
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    },
    onAccount,
  );
  const set = () => ask<{ paymentMethodSet: boolean }>('GET', `customer/${id}`);
  await until('method stored', set, ({ paymentMethodSet }) => paymentMethodSet);
  return id;
}

async function topUp(): Promise<void> {
  const { intentSecret } = await ask<{ intentSecret: string }>('POST', 'account/topupv2', { amount: 100 });
  const paymentIntent = intentSecret.split('_secret')[0] ?? '';
  await stack.control('payments', 'pay', { paymentIntent, paymentMethod: 'pm_card_visa' });
  const read = () => ask<{ balance: number }>('GET', 'account/balancev2');
  await until('credited', read, ({ balance }) => balance === 1_100_00);
}

const worker = (env: Record<string, string> = {}) => stack.startBeside({ ROLES: 'worker', ...env });

/** No worker has a job in hand. */
async function quiet(): Promise<void> {
  const held = async () => {
    const { rows } = await sql<{ held: number }>`
      SELECT count(*)::int AS held FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL`.execute(
      owner,
    );
    return rows[0]?.held ?? 0;
  };
  await until('jobs in hand', held, (count) => count === 0);
}

/** As if an hour had passed since each claim: what a worker that stands still has in hand falls to the others. */
async function claimsGrowOld(): Promise<void> {
  for (const table of ['direct_charges', 'direct_refunds', 'topups']) {
    await sql`UPDATE ${sql.table(table)} SET claimed_at = claimed_at - interval '1 hour'`.execute(owner);
  }
}

/** A worker stops at the point, another one does its work, a day passes, the first goes on and comes to rest. */
async function sleepsThrough(
  point: string,
  work: { begin?: () => Promise<void>; again?: () => Promise<void>; done: () => Promise<boolean> },
  forgetful: boolean,
): Promise<void> {
  const workers: Beside[] = [];
  const start = async (env: Record<string, string> = {}) => {
    const started = await worker(env);
    workers.push(started);
    return started;
  };
  try {
    const paused = await start({ ...shortTimes, FAILPOINT: `${point}:1:stop` });
    await work.begin?.();
    await paused.stopped();
    // Longer than its own claim, then longer than the claims of the others.
    await new Promise((resolve) => setTimeout(resolve, claimMs + 500));
    await claimsGrowOld();
    await start();
    await work.again?.();
    await until(`done beside ${point}`, work.done, (done) => done);
    if (forgetful) await stack.control('clock', 'advance', { ms: dayMs });
    paused.signal('SIGCONT');
    await quiet();
  } finally {
    // Also after a failure: a worker that lives on would do the work of the next test before its own comes to it.
    await Promise.all(workers.map((one) => one.kill()));
  }
}

/** At `wire.held` the question was asked and answered: from there on only the provider's key keeps it from happening twice. */
const placesOf = (path: string): [point: string, forgetful: boolean][] => [
  [`wire.asking@${path}`, true],
  [`wire.held@${path}`, false],
];

describe('a charge of an end customer', () => {
  interface Charge {
    chargeId: string;
    state: string;
    attempts: number;
    items: { itemId?: string }[];
  }
  const charges = () => ask<Charge[]>('GET', 'direct-charge');
  const payments = async () => (await provider.paymentIntents.list({ limit: 100 }, onAccount)).data;

  const charging = [
    ...placesOf('/v1/payment_intents'),
    ['direct-charge.claimed', true] as const,
    ['direct-charge.made', true] as const,
  ];
  test.each(inTurn(charging))('stopped at %s: is made once, and tried once', async (point, forgetful) => {
    const [before, paidBefore] = [(await charges()).length, (await payments()).length];
    const name = `charged-${randomBytes(4).toString('hex')}.com`;
    const cart = await cartOf(stack, { ...account, customerId }, [name]);
    await purchase(stack, account, cart, `charge-${name}`);
    const done = async () => {
      const all = await charges();
      return all.length === before + 1 && all.every(({ state }) => state === 'succeeded');
    };
    await sleepsThrough(point, { done }, forgetful);
    expect((await payments()).length).toBe(paidBefore + 1);
    expect((await charges()).map(({ state, attempts }) => ({ state, attempts }))).toEqual(
      Array.from({ length: before + 1 }, () => ({ state: 'succeeded', attempts: 1 })),
    );
  });

  // As many places as there are for charges: each gives one of those back.
  const refunding = [
    ...placesOf('/v1/refunds'),
    ['direct-refund.claimed', true] as const,
    ['direct-refund.made', true] as const,
  ];
  test.each(inTurn(refunding))('given back, stopped at %s: goes back once', async (point, forgetful) => {
    const refunds = async () => (await provider.refunds.list({ limit: 100 }, onAccount)).data;
    const before = (await refunds()).length;
    const item = await stack.database.systemDb
      .selectFrom('direct_charge_items as c')
      .leftJoin('direct_refunds as r', 'r.item_id', 'c.item_id')
      .select(['c.item_id', 'c.price_cents', 'c.markup_cents'])
      .where('r.item_id', 'is', null)
      .executeTakeFirstOrThrow();
    const { organisationId } = account;
    const reason = 'The certificate was cancelled.';
    await inTransaction(stack.database.db, { organisationId }, (tx) =>
      enqueueJob(tx, 'orders.after-refund', { organisationId, itemId: item.item_id, reason }),
    );
    const done = async () => {
      const row = await stack.database.systemDb
        .selectFrom('direct_refunds')
        .select('state')
        .where('item_id', '=', item.item_id)
        .executeTakeFirst();
      return row?.state === 'done';
    };
    await sleepsThrough(point, { done }, forgetful);
    const made = await refunds();
    expect(made).toHaveLength(before + 1);
    expect(made.map(({ amount }) => amount)).toContain(item.price_cents + item.markup_cents);
  });
});

describe('an automatic top-up', () => {
  test.each(inTurn(placesOf('/v1/payment_intents')))(
    'stopped at %s: is charged and credited once',
    async (point, forgetful) => {
      const paid = async () =>
        (await provider.paymentIntents.list({ limit: 100 })).data.filter(
          ({ status }) => status === 'succeeded',
        );
      const balance = async () => (await ask<{ balance: number }>('GET', 'account/balancev2')).balance;
      const [paidBefore, before] = [(await paid()).length, await balance()];
      const turnOn = async () => {
        const setting = { enabled: true, amount: 100_00, mark: before + 1 };
        await ask('POST', 'account/auto-balance', setting);
      };
      const done = async () => (await balance()) === before + 100_00;
      await sleepsThrough(point, { begin: turnOn, again: turnOn, done }, forgetful);
      await ask('POST', 'account/auto-balance', { enabled: false });
      expect(await paid()).toHaveLength(paidBefore + 1);
      expect(await balance()).toBe(before + 100_00);
      expect(await checkLedger(stack.database.systemDb)).toEqual([]);
    },
  );
});
