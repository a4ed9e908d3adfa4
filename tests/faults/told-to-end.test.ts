import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, cartOf, openAccount, purchase } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** A server that gets SIGTERM (docs/operations.md) answers the requests under way, and then ends. */

let stack: Stack;
let account: Account;
beforeAll(async () => {
  stack = await startStack();
  await stack.startServer({ LOG_LEVEL: 'info' });
  account = await openAccount(stack, 1_000_00);
});
afterAll(() => stack[Symbol.asyncDispose]());

test('a purchase under way is answered, also when SIGTERM comes twice, and then the server ends', async () => {
  const name = `told-${randomBytes(4).toString('hex')}.com`;
  const cart = await cartOf(stack, account, [name]);
  await stack.control('registrar', 'latency', { ms: 1_000 });
  const answer = purchase(stack, account, cart, `told-${name}`);
  const orders = () => stack.database.systemDb.selectFrom('orders').select('id').execute();
  await eventually(async () => expect(await orders()).toHaveLength(1));
  stack.signal('SIGTERM');
  await eventually(() => expect(stack.log()).toContain('"stopping"'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) stack.signal(signal);
  const { status, body } = await answer;
  expect([status, body.data?.domains?.success.length]).toEqual([200, 1]);
  // Within the time that it has: after that it would end with 1.
  expect(await stack.serverDied()).toBe(0);
  await expect(stack.call(account.token, 'GET', 'user')).rejects.toThrow('fetch failed');
});
