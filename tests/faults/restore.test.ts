import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restorableUntil } from '../../src/server/features/domains/index.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { type Account, cartOf, openAccount, purchase } from '../support/account.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** Restoring a deleted domain, over the wire, with the answers that get lost. */
let stack: Stack;
let account: Account;
beforeAll(async () => {
  stack = await startStack();
  await stack.startServer({ REGISTRAR_WRITE_TIMEOUT_MS: '8000', ORDER_RELEASE_AFTER_MS: '12000' });
  account = await openAccount(stack, 1_000_00);
});
afterAll(() => stack[Symbol.asyncDispose]());

const feeAndYear = 108.31;

interface RegistrarState {
  domains: { domain: string; state: string }[];
  orders: { domain: string; regType: string; status: string }[];
}

/** A domain of the account's that the registry has deleted. */
async function deleted(): Promise<string> {
  const name = `gone-${randomBytes(4).toString('hex')}.com`;
  const bought = await purchase(stack, account, await cartOf(stack, account, [name]), `buy-${name}`);
  expect(bought.body.data.domains.success).toHaveLength(1);
  await read(name);
  await stack.control('registrar', 'domains/dates', { domain: name, expiresInDays: -41 });
  await stack.control('registrar', 'state');
  await stack.database.systemDb
    .updateTable('domains')
    .set({ status: 'expired', restorable_until: new Date(Date.now() + 20 * 86_400_000) })
    .where('address', '=', name)
    .execute();
  return name;
}

/** The reading that follows a purchase is over: it would find the domain alive. */
async function read(domain: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 100) {
    const row = await stack.database.systemDb
      .selectFrom('domains')
      .select('synced_at')
      .where('address', '=', domain)
      .executeTakeFirstOrThrow();
    if (row.synced_at) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${domain} was not read\n${stack.log()}`);
}

async function restore(domain: string, price = feeAndYear) {
  const reply = await fetch(`${stack.url}/api/domain/restore`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${account.token}` },
    body: JSON.stringify({ domain, price }),
  });
  return { status: reply.status, body: (await reply.json()) as { code?: string } };
}

async function endOf(domain: string): Promise<string> {
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 200) {
    const item = await stack.database.systemDb
      .selectFrom('order_items')
      .select('state')
      .where('address', '=', domain)
      .where('kind', '=', 'redemption')
      .executeTakeFirstOrThrow();
    if (item.state === 'succeeded' || item.state === 'declined') return item.state;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the restoration of ${domain} did not come to rest\n${stack.log()}`);
}

const redeemed = async (domain: string) => {
  const { orders } = await stack.control<RegistrarState>('registrar', 'state');
  return orders.filter((order) => order.domain === domain && order.regType === 'redeem').length;
};

test.each([
  ['is answered', null, 'succeeded', 1],
  ['gets no answer, but has happened', 'timeout-after', 'succeeded', 1],
  ['is cut off after it happened', 'drop-after', 'succeeded', 1],
  ['is lost on the way', 'timeout-before', 'declined', 0],
  ['is refused', 'nofunds', 'declined', 0],
] as const)(
  'a restoration that %s is charged if, and only if, the registry has carried it out',
  async (_what, effect, end, times) => {
    const domain = await deleted();
    if (effect) await stack.control('registrar', 'faults', { action: 'REDEEM', domain, effect, times: 1 });
    expect((await restore(domain)).status).toBe(200);
    expect(await endOf(domain)).toBe(end);
    expect(await redeemed(domain)).toBe(times);
    const row = await stack.database.systemDb
      .selectFrom('domains')
      .select(['status', 'restorable_until'])
      .where('address', '=', domain)
      .executeTakeFirstOrThrow();
    // As people see it: the news of the deletion may come after it.
    expect(restorableUntil(row, new Date()) === null).toBe(end === 'succeeded');
    expect(await checkLedger(stack.database.systemDb)).toEqual([]);
  },
);

test('another price than the present one charges nothing; a living domain cannot be restored', async () => {
  const domain = await deleted();
  expect(await restore(domain, 90)).toMatchObject({ status: 409, body: { code: 'price_changed' } });
  await stack.database.systemDb
    .updateTable('domains')
    .set({ restorable_until: null })
    .where('address', '=', domain)
    .execute();
  expect(await restore(domain)).toMatchObject({ status: 422 });
  expect(await redeemed(domain)).toBe(0);
});
