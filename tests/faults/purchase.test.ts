import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stillBeingConfirmed } from '../../src/contracts/values/outcome-texts.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { cartOf, openAccount, purchase } from '../support/account.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** The real server, the real adapter and the registrar's stand-in, over the wire. */
let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  await stack.startServer({ REGISTRAR_WRITE_TIMEOUT_MS: '20000', ORDER_RELEASE_AFTER_MS: '30000' });
});
afterAll(() => stack[Symbol.asyncDispose]());

const tag = () => randomBytes(4).toString('hex');

interface RegistrarState {
  domains: { domain: string }[];
}

async function heldBy(names: readonly string[]): Promise<string[]> {
  const state = await stack.control<RegistrarState>('registrar', 'state');
  return state.domains
    .map((entry) => entry.domain)
    .filter((name) => names.includes(name))
    .sort();
}

async function whenQuiet(organisationId: string): Promise<Map<string, string>> {
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 200) {
    const items = await stack.database.systemDb
      .selectFrom('order_items')
      .select(['address', 'state'])
      .where('organisation_id', '=', organisationId)
      .execute();
    if (items.length > 0 && items.every(({ state }) => state === 'succeeded' || state === 'declined')) {
      return new Map(items.map(({ address, state }) => [address, state]));
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`items did not come to rest\n${stack.log()}`);
}

describe('a purchase of ten names in which three fail', () => {
  test('charges exactly for what the registrar holds, and ends without a person', async () => {
    const account = await openAccount(stack, 500_00);
    const good = Array.from({ length: 7 }, (_, index) => `good${index}-${tag()}.com`);
    const refused = `refuse-${tag()}.com`;
    const lost = `timeout-before-${tag()}.com`;
    const unanswered = `timeout-after-${tag()}.com`;
    const names = [...good, refused, lost, unanswered];
    const body = await cartOf(stack, account, names);
    const reply = await purchase(stack, account, body, `ten-${tag()}`);
    expect(reply.status).toBe(200);
    const { domains, pending } = reply.body.data;
    expect(domains.success.map((item) => item.domain).sort()).toEqual([...good].sort());
    expect(domains.fail.find((item) => item.domain === refused)?.error).toBeTruthy();
    for (const name of [lost, unanswered]) {
      expect(domains.fail.find((item) => item.domain === name)?.error).toBe(stillBeingConfirmed);
      expect(pending.map((item) => item.domain)).toContain(name);
    }

    const ended = await whenQuiet(account.organisationId);
    expect(ended.get(unanswered)).toBe('succeeded');
    expect(ended.get(lost)).toBe('declined');
    expect(ended.get(refused)).toBe('declined');
    expect(await heldBy(names)).toEqual([...good, unanswered].sort());
    const balance = await stack.call<{ data: { balance: number; held: number } }>(
      account.token,
      'GET',
      'account/balancev2',
    );
    const priceCents = Math.round((body.price * 100) / names.length);
    expect(balance.body.data).toMatchObject({ balance: 500_00 - 8 * priceCents, held: 0 });
    expect(await checkLedger(stack.database.systemDb)).toEqual([]);
  });
});

describe('fifty purchases at once on a balance for one', () => {
  test('one order, forty-nine clear refusals, never below zero', async () => {
    const account = await openAccount(stack, 15_00);
    const names = Array.from({ length: 50 }, (_, index) => `n${index}-${tag()}.com`);
    // Priced one by one first, as fifty people would have.
    const carts = await Promise.all(names.map((name) => cartOf(stack, account, [name])));
    const replies = await Promise.all(carts.map((cart) => purchase(stack, account, cart, `fifty-${tag()}`)));
    const bought = replies.filter((reply) => reply.status === 200);
    const refusals = replies.filter((reply) => reply.status === 402);
    expect(bought).toHaveLength(1);
    expect(refusals).toHaveLength(49);
    for (const refusal of refusals) {
      expect(refusal.body.message).toBe(
        "You don't have enough funds to process this cart, please topup your account",
      );
    }
    await whenQuiet(account.organisationId);
    expect(await heldBy(names)).toHaveLength(1);
    expect(await checkLedger(stack.database.systemDb)).toEqual([]);
  });
});

describe('the same purchase again', () => {
  test('the same key and body give the same reply and one registration', async () => {
    const account = await openAccount(stack, 100_00);
    const name = `again-${tag()}.com`;
    const body = await cartOf(stack, account, [name]);
    const key = `again-${tag()}`;
    const [first, second] = await Promise.all([
      purchase(stack, account, body, key),
      purchase(stack, account, body, key),
    ]);
    const third = await purchase(stack, account, body, key);
    expect(first.body).toEqual(second.body);
    expect(third.body).toEqual(first.body);
    expect(await heldBy([name])).toEqual([name]);
  });

  test('the same key with another body is refused and buys nothing', async () => {
    const account = await openAccount(stack, 100_00);
    const key = `other-${tag()}`;
    const name = `second-${tag()}.com`;
    await purchase(stack, account, await cartOf(stack, account, [`first-${tag()}.com`]), key);
    const reply = await purchase(stack, account, await cartOf(stack, account, [name]), key);
    expect([reply.status, reply.body.code]).toEqual([409, 'idempotency_key_reused']);
    expect(await heldBy([name])).toEqual([]);
  });

  test('409 price_changed: nothing is charged, old and new price are told', async () => {
    const account = await openAccount(stack, 100_00);
    const name = `price-${tag()}.com`;
    const body = await cartOf(stack, account, [name]);
    const wrong = {
      ...body,
      price: body.price + 1,
      domains: body.domains.map((d) => ({ ...d, price: body.price + 1 })),
    };
    const reply = await purchase(stack, account, wrong, `price-${tag()}`);
    expect([reply.status, reply.body.code]).toEqual([409, 'price_changed']);
    expect(reply.body).toMatchObject({
      data: {
        ...{ oldTotal: body.price + 1, newTotal: body.price },
        items: [{ address: name, oldPrice: body.price + 1, newPrice: body.price }],
      },
    });
    expect(await heldBy([name])).toEqual([]);
  });
});
