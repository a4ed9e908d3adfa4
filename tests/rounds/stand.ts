import Stripe from 'stripe';
import { createDatabase, type Db } from '../../src/server/kernel/db/database.ts';
import { type Account, contact, openAccount } from '../support/account.ts';
import type { TestCluster } from '../support/cluster.ts';
import { watchEnds } from '../support/invariants.ts';
import { type Relay, startRelay, through } from '../support/relay.ts';
import { type Beside, type Stack, startStack } from '../support/stack.ts';
import { watchZones, type ZoneWrites } from './zone-writes.ts';

/** What people and checks need of the product, wherever its processes run. */
export type World = Pick<Stack, 'database' | 'settings' | 'url' | 'control' | 'call' | 'log'>;

/** Two portals (each serves requests and runs jobs) on one database, with the sandbox, and a few MSPs. */
export interface Stand extends AsyncDisposable {
  stack: World;
  /** With the owner's login, past every relay. */
  owner: Db;
  provider: Stripe;
  portals: readonly Portal[];
  zoneWrites: ZoneWrites;
  pace: number;
  msps: Msp[];
  /** MSPs come and go: what one may do in a day is limited. */
  openMsp(): Promise<Msp>;
}

export interface Portal {
  name: string;
  relay: Relay;
  /** Callers go to the other one until then. */
  silentUntil: number;
  url(): string;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
  /** `failpoint`: where it stops or ends by itself (`kernel/failpoint.ts`). */
  start(failpoint?: string): Promise<void>;
  isStopped(): Promise<boolean>;
  /** False as well while it is down because it was killed here. */
  lives(): boolean;
}

export interface Msp extends Account {
  customers: { id: string; direct: boolean }[];
  domains: string[];
  stripeAccount: string;
}

/** Short enough for a round, long enough that nothing is given up that still runs. A busy machine needs more. */
export const timesAt = (pace: number) =>
  Object.fromEntries(
    Object.entries({
      ...{ LEASE_MS: 1_500, REGISTRAR_WRITE_TIMEOUT_MS: 1_000, REGISTRAR_READ_TIMEOUT_MS: 3_000 },
      // W is three time-outs of a write, as in production.
      ...{ ORDER_RELEASE_AFTER_MS: 3_000, ORDER_CLAIM_MARGIN_MS: 500, ORDER_REPLY_WAIT_MS: 4_000 },
      PAYMENT_CLAIM_MS: 2_500,
    }).map(([name, ms]) => [name, String(Math.round(ms * pace))]),
  );
/** When an order comes true that the registrar answers too late: after its time-out and before W has passed. */
const lateMs = 3_200;
const openingCents = 400_00;

/** `pace`: how many times slower than an idle machine everything may be. */
export async function openStand({
  cluster,
  pace = 1,
}: {
  cluster?: TestCluster;
  pace?: number;
} = {}): Promise<Stand> {
  const stack = await startStack({ logChars: 400_000, ...(cluster ? { cluster } : {}) });
  const owner = createDatabase({ url: stack.database.url, maxConnections: 2 });
  await watchEnds(owner);
  const zoneWrites = watchZones(stack.settings.DATA_DIR ?? '');
  const relays = [await startRelay(stack.database.url), await startRelay(stack.database.url)] as const;
  const settingsBy = (relay: Relay) => ({
    ...timesAt(pace),
    DATABASE_URL: through(relay, stack.database.urls.tenants),
    DATABASE_SYSTEM_URL: through(relay, stack.database.urls.system),
  });
  const portals = [
    first(stack, relays[0], settingsBy(relays[0])),
    second(stack, relays[1], settingsBy(relays[1])),
  ];
  await Promise.all(portals.map((portal) => portal.start()));
  const provider = await troubleOutside(stack, pace);
  const stand: Stand = {
    ...{ stack, owner, provider, portals, zoneWrites, pace, msps: [] },
    async openMsp() {
      const msp = await openMsp(stack, provider);
      stand.msps.push(msp);
      return msp;
    },
    async [Symbol.asyncDispose]() {
      await owner.destroy();
      zoneWrites.close();
      await stack[Symbol.asyncDispose]();
      for (const relay of relays) await relay[Symbol.asyncDispose]();
    },
  };
  return stand;
}

/** The vendors' own faults. Returns the payment provider as its dashboard sees it. */
export async function troubleOutside(world: World, pace: number): Promise<Stripe> {
  await world.control('registrar', 'knobs', {
    ...{ certificateCheckMs: 100, certificateIssueMs: 100, certificateReissueDays: 0, hangMs: 2_000 },
    lateMs: lateMs * pace,
  });
  await world.control('payments', 'webhook-faults', { duplicate: 2, shuffle: true });
  const base = new URL(world.settings.STRIPE_API_BASE ?? '');
  return new Stripe('sk_test_sandbox', { host: base.hostname, port: base.port, protocol: 'http' });
}

const withPoint = (settings: Record<string, string>, failpoint: string | undefined) =>
  failpoint ? { ...settings, FAILPOINT: failpoint } : settings;

/** At the address where the payment provider's events go. */
function first(stack: Stack, relay: Relay, settings: Record<string, string>): Portal {
  return {
    ...{ name: 'first', relay, silentUntil: 0, url: () => stack.url },
    signal: (signal) => stack.signal(signal),
    kill: () => stack.killServer(),
    start: (failpoint) => stack.startServer(withPoint(settings, failpoint)),
    isStopped: () => stack.serverStopped(),
    lives: () => stack.serverLives(),
  };
}

function second(stack: Stack, relay: Relay, settings: Record<string, string>): Portal {
  let present: Beside | null = null;
  return {
    ...{ name: 'second', relay, silentUntil: 0, url: () => present?.url ?? stack.url },
    signal: (signal) => present?.signal(signal),
    kill: async () => present?.kill(),
    start: async (failpoint) => {
      const { beside, answers } = await stack.launchBeside(withPoint(settings, failpoint));
      present = beside;
      await answers;
    },
    isStopped: async () => (await present?.isStopped()) ?? false,
    lives: () => present?.lives() ?? false,
  };
}

/** Through the product's own doors, while nothing is wrong. */
export async function openMsp(stack: World, provider: Stripe): Promise<Msp> {
  const account = await openAccount(stack, openingCents);
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await stack.call<{ data: T }>(account.token, method, path, body);
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body.data;
  };
  await ask('GET', 'account/link');
  const { stripeAccount } = await ask<{ stripeAccount: { id: string } }>('GET', 'account');
  await stack.control('payments', 'account-finish', { account: stripeAccount.id });
  await ask('POST', 'account/refresh');
  const direct = await billedCustomer(stack, provider, stripeAccount.id, ask);
  const { intentSecret } = await ask<{ intentSecret: string }>('POST', 'account/topupv2', { amount: 100 });
  const paymentIntent = intentSecret.split('_secret')[0] ?? '';
  await stack.control('payments', 'pay', { paymentIntent, paymentMethod: 'pm_card_visa' });
  await until('the first top-up', async () => {
    const { balance } = await ask<{ balance: number }>('GET', 'account/balancev2');
    return balance === openingCents + 100_00;
  });
  await ask('POST', 'account/auto-balance', { enabled: true, amount: 100_00, mark: 440_00 });
  return {
    ...account,
    customers: [
      { id: account.customerId, direct: false },
      { id: direct, direct: true },
    ],
    domains: [],
    stripeAccount: stripeAccount.id,
  };
}

async function billedCustomer(
  stack: World,
  provider: Stripe,
  stripeAccount: string,
  ask: <T>(method: string, path: string, body?: unknown) => Promise<T>,
): Promise<string> {
  const { customerId } = await ask<{ customerId: string }>('POST', 'customer', {
    contacts: { owner: contact, admin: contact, billing: contact },
    billing: { billDirectly: true, email: 'pay@customer.example', allowChangeBilling: false },
  });
  interface Customer {
    billing: { stripeId: string | null };
    paymentMethodSet: boolean;
  }
  const read = () => ask<Customer>('GET', `customer/${customerId}`);
  await until('a customer at the provider', async () => (await read()).billing.stripeId !== null);
  await provider.setupIntents.create(
    {
      ...{ customer: (await read()).billing.stripeId ?? '', payment_method: 'pm_card_visa', confirm: true },
      ...{ usage: 'off_session', automatic_payment_methods: { enabled: true, allow_redirects: 'never' } },
    },
    { stripeAccount },
  );
  await until(`a payment method\n${stack.url}`, async () => (await read()).paymentMethodSet);
  return customerId;
}

export async function until(what: string, right: () => Promise<boolean>, limitMs = 90_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await right())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${limitMs / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
