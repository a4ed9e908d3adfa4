import { randomBytes } from 'node:crypto';
import pg from 'pg';
import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { dayMs } from '../../src/contracts/values/time.ts';
import { sql } from '../../src/server/kernel/db/database.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { contact, openAccount } from '../support/account.ts';
import { type JudgedItem, orderFaults } from '../support/invariants.ts';
import { type OwnPostgres, openOwnPostgres } from '../support/own-postgres.ts';
import {
  addRecord,
  ask,
  buy,
  csrFor,
  findings,
  normalised,
  quiet,
  recoveries,
  register,
  topUp,
  truthOf,
  until,
} from '../support/recovering.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { inTurn } from '../support/turn.ts';

/**
 * Buy, back up, buy more, edit zones, take payments, lose the disk, restore: nothing is bought twice, nothing is lost, each
 * cent is right, each zone is as the registrar has it (docs/decisions/0251).
 */
const quick = {
  REGISTRAR_WRITE_TIMEOUT_MS: '8000',
  ORDER_RELEASE_AFTER_MS: '12000',
  OPERATOR_TOKEN: 'operate-this-portal-in-tests',
};

/** The cluster's own copy of a database: exact, and another database than the first. */
async function copy(stack: Stack, from: string, to: string): Promise<void> {
  const admin = new pg.Client({ connectionString: stack.database.url.replace(/\/\w+$/, '/postgres') });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${to} WITH (FORCE)`);
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [from]);
  await admin.query(`CREATE DATABASE ${to} TEMPLATE ${from}`);
  await admin.end();
}

interface Keeper {
  backUp(stack: Stack): Promise<void>;
  bringBack(stack: Stack): Promise<void>;
}

const copies: Keeper = {
  backUp: (stack) => copy(stack, nameOf(stack), `${nameOf(stack)}_backup`),
  bringBack: (stack) => copy(stack, `${nameOf(stack)}_backup`, nameOf(stack)),
};

/** The PostgreSQL that comes along, backed up while the portal works, by the commands of docs/operations.md. */
const sealedFile = (own: OwnPostgres): Keeper => ({
  backUp: () => own.tool('backup', [own.file]).then(() => undefined),
  async bringBack(stack) {
    await own.loseDisk();
    await own.tool('restore', [own.file]);
    await own.start();
    expect(await recoveries(stack)).toEqual([]);
  },
});

const nameOf = (stack: Stack) => new URL(stack.database.url).pathname.slice(1);

/** Where a process is killed on the way, if anywhere, how old the backup says that it is, and whether it is a sealed file. */
const disasters = inTurn([
  { title: 'from the sealed file of its own PostgreSQL', points: [], ageMs: 0, isFile: true },
  { title: 'undisturbed', points: [], ageMs: 0, isFile: false },
  {
    title: 'killed after each of the steps',
    points: ['recovery.topup:1', 'recovery.adopted:1', 'recovery.adopted:1'],
    ageMs: 0,
    isFile: false,
  },
  { title: 'with a backup of a week ago', points: [], ageMs: 7 * dayMs, isFile: false },
]);

describe('a restore', () => {
  test.each(disasters)('loses nothing, buys nothing twice: $title', async ({ points, ageMs, isFile }) => {
    await using own = isFile ? await openOwnPostgres() : null;
    const keeper = own ? sealedFile(own) : copies;
    await using stack = await startStack(own ? { database: own.database } : {});
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

    if (!own) await stack.killServer();
    await keeper.backUp(stack);
    if (!own) await stack.startServer(quick);

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
    await keeper.bringBack(stack);
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
