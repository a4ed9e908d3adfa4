import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runOnce, type TaskList, Logger as WorkerLogger } from 'graphile-worker';
import pg from 'pg';
import type { Balance } from '../../src/contracts/operations/billing.ts';
import {
  CONNECT_SECRET,
  openStand,
  type Stand,
  WEBHOOK_SECRET,
} from '../../src/sandbox/payments/test-stand.ts';
import { createStripe } from '../../src/server/adapters/stripe/index.ts';
import { type BillingApi, createBilling } from '../../src/server/features/billing/index.ts';
import { createCustomers } from '../../src/server/features/customers/index.ts';
import {
  createDirectBilling,
  type DirectBillingApi,
} from '../../src/server/features/direct-billing/index.ts';
import type { OrdersApi } from '../../src/server/features/orders/index.ts';
import { createTasks } from '../../src/server/jobs/tasks.ts';
import { systemTransaction } from '../../src/server/kernel/db/database.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { createLogger } from '../../src/server/kernel/logger.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { createSeal } from '../../src/server/kernel/seal.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { adjust } from '../../src/server/ledger/ledger.ts';
import type { Payments } from '../../src/server/ports/payments.ts';
import { statementFaults } from '../faults/statement-check.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createPeople, type People } from './people.ts';

/**
 * Billing and direct billing as the portal composes them, on the real SDK against the payment sandbox in this
 * process. Webhooks arrive over HTTP and are received as the portal does; jobs run when the test says so.
 */
export interface BillingStand {
  database: TestDatabase;
  sandbox: Stand;
  payments: Payments;
  people: People;
  billing: BillingApi;
  direct: DirectBillingApi;
  customers: ReturnType<typeof createCustomers>;
  /** What the portal answered to webhooks, in order. */
  answers: number[];
  organisation(): Promise<Scope>;
  /** The organisation's figures. */
  figures(scope: Scope): Promise<Balance>;
  /** Money from nowhere, for what is not about top-ups. */
  give(scope: Scope, cents: number): Promise<void>;
  /** Runs all jobs that are due, until there are none. @returns whether there were any. */
  jobs(): Promise<boolean>;
  /** Waits until all webhooks that are due were answered. */
  delivered(): Promise<void>;
  /** Delivers webhooks and runs what they enqueue, until neither is left. */
  settle(): Promise<void>;
  /** The hourly sweep, as it is run at the start. */
  sweep(): Promise<void>;
  clock: { now(): Date };
  /** Time passes, here and at the provider. */
  forward(ms: number): Promise<void>;
  /** What the nightly check of the ledger finds, and where a statement does not add up to the balance. */
  faults(): Promise<unknown[]>;
  close(): Promise<void>;
}

const quiet = new WorkerLogger(() => () => undefined);

export async function openBillingStand({
  pendingLimitCents = Number.MAX_SAFE_INTEGER,
} = {}): Promise<BillingStand> {
  const database = await createTestDatabase();
  const sandbox = await openStand();
  const people = createPeople(database);
  const logger = createLogger({ level: 'silent' });
  const payments = createStripe({
    secretKey: 'sk_test_sandbox',
    webhookSecrets: [WEBHOOK_SECRET, CONNECT_SECRET],
    apiBase: sandbox.part.url,
  });
  const { db, systemDb } = database;
  const owner = new pg.Pool({ connectionString: database.url, max: 6 });
  // The database is dropped with force at the end: a connection that is still closing must not fail the run.
  owner.on('error', () => undefined);
  owner.on('connect', (client) => client.on('error', () => undefined));
  let offsetMs = 0;
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const seal = createSeal([{ number: 1, secret: 'a sealing key for tests' }]);
  const shared = {
    db,
    systemDb,
    payments,
    clock,
    logger,
    seal,
    publicUrl: 'https://portal.test',
    claimMs: 120_000,
  };
  const direct = createDirectBilling(shared);
  const customers = createCustomers({ ...shared, newId, users: people.users, connect: direct.connect });
  const billing = createBilling({
    ...shared,
    users: people.users,
    pendingLimitCents,
    onConnected: direct.onEvent,
  });
  const tasks = createTasks({
    ...{ systemDb, billing, logger, clock, seal, managersOf: people.users.managersOf },
    orders: {} as OrdersApi,
    mail: { send: people.send },
    brandOf: people.brandOf,
    operatorEmail: 'operator@portal.test',
    more: { ...people.users.tasks, ...direct.tasks },
  });
  const taskList = Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      (payload: unknown) => task((payload ?? {}) as Record<string, unknown>),
    ]),
  ) as TaskList;
  const answers: number[] = [];
  const scopes: Scope[] = [];
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const signature = String(request.headers['stripe-signature'] ?? '');
      void billing.webhooks
        .receive(Buffer.concat(chunks), signature)
        .then(
          () => 200,
          (error: unknown) => (error instanceof Error && 'status' in error ? Number(error.status) : 500),
        )
        .then((status) => {
          answers.push(status);
          response.writeHead(status).end();
        });
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  await sandbox.control('webhook-endpoint', {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`,
  });

  /** Jobs that are due within moments are due; what failed waits for its turn. */
  const wakeJobs = async (): Promise<boolean> => {
    const woken = await owner.query(
      `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE run_at < now() + make_interval(secs => $1)
         AND attempts = 0 AND locked_at IS NULL`,
      [offsetMs / 1000 + 1],
    );
    return (woken.rowCount ?? 0) > 0;
  };
  async function jobs(): Promise<boolean> {
    let any = false;
    while (await wakeJobs()) {
      any = true;
      await runOnce({ pgPool: owner, taskList, noHandleSignals: true, logger: quiet, concurrency: 4 });
    }
    return any;
  }

  return {
    ...{ database, sandbox, payments, people, billing, direct, customers, answers, jobs, clock },
    async organisation() {
      const { scope } = await people.organisation();
      scopes.push(scope);
      return scope;
    },
    figures: (scope) => billing.balance(scope),
    give: (scope, cents) =>
      systemTransaction(systemDb, (tx) =>
        adjust(tx, {
          organisationId: scope.organisationId,
          cents,
          ref: newId(),
          actor: 'test',
          text: 'opening balance',
        }),
      ),
    async delivered() {
      await sandbox.control('idle');
    },
    async settle() {
      // A job can charge, whose webhook enqueues the next job: also when it arrives after the last one has ended.
      do await sandbox.control('idle');
      while (await jobs());
    },
    async sweep() {
      await billing.sweep();
      await jobs();
    },
    async forward(ms) {
      offsetMs += ms;
      await sandbox.pass(ms);
    },
    async faults() {
      // Those of the test that has just ended.
      const statements = await Promise.all(scopes.splice(0).map((scope) => statementFaults(database, scope)));
      return [...(await checkLedger(systemDb)), ...statements.flat()];
    },
    async close() {
      await sandbox.close();
      receiver.closeAllConnections();
      await new Promise<void>((resolve) => receiver.close(() => resolve()));
      await owner.end();
      await database.close();
    },
  };
}
