import { randomBytes } from 'node:crypto';
import { describe, test, vi } from 'vitest';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { type Account, cartOf, openAccount, purchase } from '../support/account.ts';
import { patientCall } from '../support/patient.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { inTurn } from '../support/turn.ts';

/** Between any two steps of a purchase (design: kill points). */
const points = [
  'purchase.held',
  'item.claimed',
  'item.answered',
  'item.settling',
  'item.settled',
  'purchase.items-done',
  'purchase.reply-stored',
];

/** Short enough for a test, long enough that nothing is given up that still runs. */
const times = {
  REGISTRAR_WRITE_TIMEOUT_MS: '5000',
  ORDER_RELEASE_AFTER_MS: '8000',
  ORDER_CLAIM_MARGIN_MS: '1000',
};

interface RegistrarState {
  orders: { domain: string; affiliate_id: string; status: string }[];
  commands: { domain: string; fault: string }[];
}

async function registrarOrders(stack: Stack, names: readonly string[]) {
  const state = await stack.control<RegistrarState>('registrar', 'state');
  return state.orders.filter((order) => names.includes(order.domain) && order.status === 'completed');
}

async function whenQuiet(stack: Stack, account: Account): Promise<{ state: string; address: string }[]> {
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 200) {
    const items = await stack.database.systemDb
      .selectFrom('order_items')
      .select(['state', 'address'])
      .where('organisation_id', '=', account.organisationId)
      .execute();
    if (items.length > 0 && items.every((item) => ['succeeded', 'declined'].includes(item.state)))
      return items;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`items did not come to rest\n${stack.log()}`);
}

/** The server dies at its point while a purchase runs. */
async function killedAt({ stack, buy }: Killed): Promise<void> {
  await buy().catch(() => 'no answer');
  await stack.serverDied();
}

/** Kills the server while the registrar has both orders and answers neither. */
async function killedInCall(effect: string, { stack, names, buy }: Killed): Promise<void> {
  const faults = names.map((domain) => ({ domain, action: 'SW_REGISTER', effect }));
  await stack.control('registrar', 'faults', faults);
  const buying = buy().catch(() => 'no answer');
  await vi.waitFor(
    async () => {
      const { commands } = await stack.control<RegistrarState>('registrar', 'state');
      const sent = commands.filter(({ domain, fault }) => names.includes(domain) && fault === effect);
      if (sent.length < names.length) throw new Error(`${sent.length} orders sent\n${stack.log()}`);
    },
    { interval: 20, timeout: 180_000 },
  );
  await stack.killServer();
  await buying;
}

interface Killed {
  stack: Stack;
  names: readonly string[];
  buy: () => Promise<unknown>;
}

interface Kill {
  act: (killed: Killed) => Promise<void>;
  /** Only purchases come by the points: the server has its own from the start. */
  env?: { FAILPOINT: string };
}

const kills: Record<string, Kill> = {
  ...Object.fromEntries(points.map((point) => [point, { act: killedAt, env: { FAILPOINT: `${point}:1` } }])),
  'call sent, no answer, carried out': { act: (killed) => killedInCall('timeout-after', killed) },
  'call sent, no answer, not carried out': { act: (killed) => killedInCall('timeout-before', killed) },
};

describe.concurrent('kill -9 during a purchase, then a restart', () => {
  for (const [point, { act, env }] of inTurn(Object.entries(kills))) {
    test(`${point}: ends in a right state without a person`, async ({ expect }) => {
      await using stack = await startStack();
      await stack.startServer({ ...times, ...env });
      const account = await openAccount(stack, 100_00);
      const names = ['one', 'two'].map((word) => `${word}-${randomBytes(4).toString('hex')}.com`);
      const body = await cartOf(stack, account, names);
      const key = randomBytes(8).toString('hex');
      await act({ stack, names, buy: () => purchase(stack, account, body, key) });
      await stack.startServer(times);
      // The browser asks again under the same key; then the jobs finish what is open.
      await patientCall(stack, account.token, 'POST', 'cart/purchase', body, key);
      const items = await whenQuiet(stack, account);

      const held = await registrarOrders(stack, names);
      const succeeded = items.filter((item) => item.state === 'succeeded').map((item) => item.address);
      expect(held.map((order) => order.domain).sort()).toEqual(succeeded.sort());
      expect(await checkLedger(stack.database.systemDb)).toEqual([]);
      const balance = await stack.call<{ data: { balance: number; held: number } }>(
        account.token,
        'GET',
        'account/balancev2',
      );
      const pricePerName = Math.round((body.price * 100) / names.length);
      expect(balance.body.data).toMatchObject({ balance: 100_00 - succeeded.length * pricePerName, held: 0 });
    });
  }
});
