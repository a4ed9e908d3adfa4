import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, cartOf, openAccount, purchase } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { type Relay, startRelay, through } from '../support/relay.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** Connections to the database that break or fall silent: a request or an attempt of a job ends, never the process. */

let stack: Stack;
let relay: Relay;
let owner: pg.Client;
let account: Account;
beforeAll(async () => {
  stack = await startStack({ logChars: 2_000_000 });
  relay = await startRelay(stack.database.url);
  // In another database, so that it is not cut off itself.
  owner = new pg.Client({ connectionString: stack.database.url.replace(/\/\w+$/, '/postgres') });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await stack[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
});

const name = () => `cut-${randomBytes(4).toString('hex')}.com`;
const ready = async () => (await fetch(`${stack.url}/readyz`)).status;
const said = (words: string) => stack.log().split(words).length - 1;

async function cutAll(): Promise<void> {
  const database = new URL(stack.database.url).pathname.slice(1);
  await owner.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
}

test('a portal that starts while PostgreSQL recovers waits for it, says so, and then serves', async () => {
  relay.become('starting');
  const starting = stack.startServer({
    DATABASE_URL: through(relay, stack.database.urls.tenants),
    DATABASE_SYSTEM_URL: through(relay, stack.database.urls.system),
  });
  await eventually(() => expect(said('waiting for the database')).toBeGreaterThan(0));
  relay.become('open');
  await starting;
  expect(await ready()).toBe(200);
});

test('all connections are cut a dozen times while people buy and jobs run: the process lives, and each purchase ends well, once', async () => {
  account = await openAccount(stack, 1_000_00);
  const bought: { address: string; again: () => Promise<void> }[] = [];
  for (let round = 0; round < 12; round += 1) {
    const address = name();
    const body = await eventually(() => cartOf(stack, account, [address]));
    const buy = () => purchase(stack, account, body, `key-of-${address}`);
    const running = buy().catch(() => null);
    await cutAll();
    await running;
    bought.push({
      address,
      again: () => eventually(async () => expect((await buy()).status).toBe(200)),
    });
  }
  expect(stack.serverLives()).toBe(true);
  for (const { again } of bought) await again();
  await eventually(async () => {
    const items = await stack.database.systemDb
      .selectFrom('order_items')
      .select(['state', 'address'])
      .execute();
    expect(items.map(({ state }) => state)).toEqual(bought.map(() => 'succeeded'));
    expect(items.map(({ address }) => address).sort()).toEqual(bought.map(({ address }) => address).sort());
  });
});

test('a database that falls silent: /readyz says so at once, requests end, and all goes on when it speaks again', async () => {
  relay.become('silent');
  const hanging = Promise.all(
    Array.from({ length: 14 }, () =>
      stack.call(account.token, 'GET', 'customer').then(({ status }) => status),
    ),
  );
  expect(await ready()).toBe(503);
  // More of them than there are connections.
  expect(await hanging).toEqual(Array(14).fill(503));
  expect(await ready()).toBe(503);
  relay.become('open');
  await eventually(async () => expect(await ready()).toBe(200));
  await eventually(async () => expect((await stack.call(account.token, 'GET', 'customer')).status).toBe(200));
  expect(stack.serverLives()).toBe(true);
});
