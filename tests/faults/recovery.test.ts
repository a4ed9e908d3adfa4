import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import pg from 'pg';
import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { dayMs } from '../../src/contracts/values/time.ts';
import { sql } from '../../src/server/kernel/db/database.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { readTag } from '../../src/server/ports/tag.ts';
import { type Account, contact, openAccount } from '../support/account.ts';
import { type JudgedItem, orderFaults } from '../support/invariants.ts';
import { type Stack, startStack } from '../support/stack.ts';

/**
 * Buy, back up, buy more, edit zones, take payments, lose the disk, restore: nothing is bought twice, nothing is lost, each
 * cent is right, each zone is as the registrar has it (docs/decisions/0251).
 */
const quick = {
  REGISTRAR_WRITE_TIMEOUT_MS: '2000',
  ORDER_RELEASE_AFTER_MS: '3000',
  OPERATOR_TOKEN: 'operate-this-portal-in-tests',
};

async function ask<T>(stack: Stack, account: Account, method: string, path: string, body?: unknown) {
  const key = { 'idempotency-key': randomBytes(8).toString('hex') };
  const reply = await stack.call<{ data: T }>(account.token, method, path, body, method === 'GET' ? {} : key);
  if (reply.status !== 200)
    throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}\n${stack.log()}`);
  return reply.body.data;
}

interface Line {
  address: string;
  kind: string;
  productType?: string;
}

async function buy(stack: Stack, account: Account, lines: readonly Line[], body: object): Promise<void> {
  const asked = lines.map((line) => ({ ...line, period: 1 }));
  const prices = await ask<{ price: number }[]>(stack, account, 'POST', 'cart/prices', asked);
  const price = prices.reduce((sum, one) => sum + Math.round(one.price * 100), 0) / 100;
  await ask(stack, account, 'POST', 'cart/purchase', { ...body, price });
}

const register = (
  stack: Stack,
  account: Account,
  names: readonly string[],
  customerId = account.customerId,
) =>
  buy(
    stack,
    account,
    names.map((address) => ({ address, kind: 'domain' })),
    { domains: names.map((address) => ({ address, customerId, period: 1, whois: false })) },
  );

const addRecord = (stack: Stack, account: Account, domain: string, value: string) =>
  ask(stack, account, 'PUT', `${domain}/zone`, {
    records: [{ type: 'TXT', subdomain: '', action: 'add', text: value }],
  });

async function topUp(stack: Stack, account: Account, amount: number): Promise<string> {
  const { intentSecret } = await ask<{ intentSecret: string }>(stack, account, 'POST', 'account/topupv2', {
    amount,
  });
  const paymentIntent = intentSecret.split('_secret')[0] ?? '';
  await stack.control('payments', 'pay', { paymentIntent, paymentMethod: 'pm_card_visa' });
  return paymentIntent;
}

async function csrFor(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)('openssl', [
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', '/dev/null', '-subj', `/CN=${name}`],
  ]);
  return stdout;
}

/** The cluster's own copy of a database: exact, and another database than the first. */
async function copy(stack: Stack, from: string, to: string): Promise<void> {
  const admin = new pg.Client({ connectionString: stack.database.url.replace(/\/\w+$/, '/postgres') });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${to} WITH (FORCE)`);
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [from]);
  await admin.query(`CREATE DATABASE ${to} TEMPLATE ${from}`);
  await admin.end();
}

const nameOf = (stack: Stack) => new URL(stack.database.url).pathname.slice(1);

interface Truth {
  balance: { balance: number; held: number; pendingBalance: number };
  domains: { address: string; expires: string; customerId: string; autoRenew: boolean }[];
  certificates: { address: string; orderId: string | null }[];
  zones: Record<string, unknown>;
  journal: string[];
  completed: string[];
}

/** What people see of their money and things, and what the registrar was paid for. */
async function truthOf(stack: Stack, account: Account): Promise<Truth> {
  const domains = await sql<Truth['domains'][number]>`SELECT address, expires_at::date::text AS expires,
      customer_id AS "customerId", auto_renew AS "autoRenew" FROM domains
    WHERE organisation_id = ${account.organisationId} AND status <> 'ended' ORDER BY address`.execute(
    stack.database.systemDb,
  );
  const zones: Record<string, unknown> = {};
  for (const { address } of domains.rows) {
    zones[address] = (await ask<{ records: unknown }>(stack, account, 'GET', `${address}/zone`)).records;
  }
  const journal = await sql<{ line: string }>`SELECT ref || ' ' || coalesce(sum(p.cents) FILTER
      (WHERE account = 'wallet'), 0) AS line FROM journal j LEFT JOIN postings p ON p.journal_id = j.id
    WHERE j.organisation_id = ${account.organisationId} GROUP BY j.id ORDER BY 1`.execute(
    stack.database.systemDb,
  );
  const listed = await ask<{ address: string; orderId: string | null }[]>(stack, account, 'GET', 'ssl');
  return {
    balance: await ask(stack, account, 'GET', 'account/balancev2'),
    domains: domains.rows,
    certificates: listed.map(({ address, orderId }) => ({ address, orderId })),
    zones,
    journal: journal.rows.map(({ line }) => line),
    completed: await completedOrders(stack),
  };
}

async function completedOrders(stack: Stack): Promise<string[]> {
  const names = await stack.control<{ orders: { id: string; affiliateId: string; status: string }[] }>(
    ...(['registrar', 'state'] as const),
  );
  const trust = await stack.control<{ orders: { id: string; tag: string }[] }>('registrar', 'certificates');
  return [
    ...names.orders
      .filter(({ status }) => status === 'completed')
      .map((one) => readTag(one.affiliateId).tag ?? ''),
    ...trust.orders.map(({ tag }) => readTag(tag).tag ?? ''),
  ].sort();
}

async function until(stack: Stack, what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 90_000;
  let last: unknown = null;
  while (performance.now() < end) {
    try {
      if (await holds()) return;
      last = null;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what}: ${last}\n${stack.log()}`);
}

const quiet = (stack: Stack) =>
  until(stack, 'items did not come to rest', async () => {
    // What takes days is asked about at once.
    await sql`UPDATE order_items SET next_check_at = now() WHERE state = 'pending'`.execute(
      stack.database.systemDb,
    );
    const { rows } = await sql`SELECT FROM order_items WHERE state NOT IN ('succeeded', 'declined')`.execute(
      stack.database.systemDb,
    );
    return rows.length === 0;
  });

const recoveries = async (stack: Stack) =>
  (await sql<{ state: string }>`SELECT state FROM recoveries`.execute(stack.database.systemDb)).rows.map(
    ({ state }) => state,
  );

const findings = async (stack: Stack) =>
  (
    await sql<{ kind: string; text: string; person: boolean }>`
      SELECT kind, text, needs_person AS person FROM recovery_findings ORDER BY id`.execute(
      stack.database.systemDb,
    )
  ).rows;

/** Where a process is killed on the way, if anywhere, and how old the backup says that it is. */
const disasters = [
  { title: 'undisturbed', points: [], ageMs: 0 },
  { title: 'killed after each of the steps', points: ['recovery.topup:1', 'recovery.adopted:2'], ageMs: 0 },
  { title: 'with a backup of a week ago', points: [], ageMs: 7 * dayMs },
];

describe('a restore', { timeout: 900_000 }, () => {
  test.each(disasters)('loses nothing, buys nothing twice: $title', async ({ points, ageMs }) => {
    await using stack = await startStack();
    await stack.startServer(quick);
    const account = await openAccount(stack, 300_00);
    const tag = randomBytes(3).toString('hex');
    const name = (word: string) => `${word}-${tag}.com`;
    await register(stack, account, [name('before'), name('renewed')]);
    await addRecord(stack, account, name('before'), 'before the backup');
    const kept = await topUp(stack, account, 100);
    await until(
      stack,
      'the first top-up',
      async () => (await truthOf(stack, account)).balance.balance > 350_00,
    );
    await quiet(stack);

    await stack.killServer();
    await copy(stack, nameOf(stack), `${nameOf(stack)}_backup`);
    await stack.startServer(quick);

    // All of this is known to the others, and lost with the disk.
    await topUp(stack, account, 70);
    await register(stack, account, [name('after'), name('also')]);
    const other = { ...contact, organization: 'Red Fig Ltd', email: 'red@fig.example', lastName: 'Red' };
    const { customerId } = await ask<{ customerId: string }>(stack, account, 'POST', 'customer', {
      contacts: { owner: other, admin: other, billing: other },
    });
    await register(stack, account, [name('new-customer')], customerId);
    const { registry_expiredate: expireDate } = await ask<{ registry_expiredate: string }>(
      ...([stack, account, 'GET', `domain/details/${name('renewed')}`] as const),
    );
    await buy(stack, account, [{ address: name('renewed'), kind: 'renewal' }], {
      domainRenewals: [{ address: name('renewed'), period: 1, expireDate }],
    });
    const coming = {
      domain: name('coming'),
      locked: false,
      ageDays: 400,
      expiresInDays: 200,
      authCode: 'code-1234',
    };
    await stack.control('registrar', 'outside-world', coming);
    await buy(stack, account, [{ address: name('coming'), kind: 'transfer' }], {
      domainTransfers: [
        { address: name('coming'), customerId: account.customerId, period: 1, EPPCode: 'code-1234' },
      ],
    });
    const certificate = { provider: 'RapidSSL', productType: 'rapidssl', handle: 'process', regType: 'new' };
    await buy(
      ...([
        stack,
        account,
        [{ address: name('after'), kind: 'certificate', productType: 'rapidssl' }],
      ] as const),
      {
        certificates: [
          {
            ...{ domain: name('after'), ...certificate, dvAuthMethod: 'Email', period: 1 },
            ...{ csr: await csrFor(name('after')), customerId: account.customerId },
          },
        ],
      },
    );
    await addRecord(stack, account, name('before'), 'after the backup');
    await addRecord(stack, account, name('after'), 'of a lost name');
    const provider = new URL(stack.settings.STRIPE_API_BASE ?? '');
    const stripe = new Stripe('sk_test_sandbox', {
      host: provider.hostname,
      port: provider.port,
      protocol: 'http',
    });
    await stripe.refunds.create({ payment_intent: kept, amount: 10_00 });
    await until(stack, 'the refund', async () =>
      (await truthOf(stack, account)).journal.some((line) => line.includes(':reversed:')),
    );
    await stack.control('registrar', 'transfers/advance', { steps: 5 });
    await quiet(stack);
    await until(stack, 'the synchronisation', async () => {
      const { rows } = await sql`SELECT FROM domains WHERE synced_at IS NULL AND status <> 'ended'`.execute(
        stack.database.systemDb,
      );
      return rows.length === 0;
    });
    const before = await truthOf(stack, account);
    expect(before.domains.map(({ address }) => address)).toHaveLength(6);

    await stack.killServer();
    await copy(stack, `${nameOf(stack)}_backup`, nameOf(stack));
    const seenAt = new Date(Date.now() - ageMs);
    if (ageMs > 0) {
      await sql`UPDATE database_place SET seen_at = ${seenAt}`.execute(stack.database.systemDb);
    }
    for (const point of points) {
      await stack.startServer({ ...quick, FAILPOINT: point }).catch(() => 'dead already');
      await stack.serverDied();
    }
    await stack.startServer(quick);
    await until(stack, 'the recovery', async () => (await recoveries(stack)).join() === 'ended');
    await quiet(stack);
    const after = await truthOf(stack, account);
    expect(await findings(stack)).not.toContainEqual(expect.objectContaining({ person: true }));
    expect(after).toEqual({ ...before, journal: after.journal });
    expect(after.journal.map(normalised)).toEqual(before.journal.map(normalised));
    expect(await checkLedger(stack.database.systemDb)).toEqual([]);
    const { rows: items } = await sql<JudgedItem>`SELECT id, kind, address, state FROM order_items`.execute(
      stack.database.systemDb,
    );
    const done = Map.groupBy(after.completed, (id) => id);
    expect(orderFaults(items, ({ id }) => done.get(id)?.length ?? 0, { atRest: true })).toEqual([]);
    expect(items.map(({ id }) => id).sort()).toEqual([...new Set(after.completed)].sort());
  });
});

/** A reversal is numbered by how often its top-up was read. */
const normalised = (line: string) => line.replace(/:reversed:\d+/, ':reversed');
