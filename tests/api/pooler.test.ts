import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { checkDatabase } from '../../src/server/kernel/db/login-check.ts';
import { type Account, contact, openAccount } from '../support/account.ts';
import {
  adapted,
  anyPort,
  documented,
  programOf,
  type RunningProgram,
  runProgram,
} from '../support/documented.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** The portal behind PgBouncer, as docs/operations.md sets it up. */
const pgbouncer = programOf('pgbouncer');
/** Prepared statements in transaction mode: PgBouncer 1.21. */
const firstThatKeeps = 21;

let stack: Stack;
let accounts: [Account, Account];
beforeAll(async () => {
  stack = await startStack();
  await stack.startServer();
  accounts = [await openAccount(stack, 100_00), await openAccount(stack, 100_00)];
  await stack.killServer();
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Pooler extends AsyncDisposable {
  urls: { tenants: string; system: string };
}

async function startPooler(changes: Record<string, string>): Promise<Pooler> {
  const dir = await mkdtemp(join(tmpdir(), 'nameward-pooler-'));
  await chmod(dir, 0o755);
  const port = await anyPort();
  const { port: behind, pathname } = new URL(stack.database.url);
  const userlist = join(dir, 'userlist.txt');
  const ini = adapted(documented('pgbouncer.ini'), {
    'port=5432 dbname=nameward': `port=${behind} dbname=${pathname.slice(1)}`,
    'listen_port = 6432': `listen_port = ${port}`,
    '/etc/pgbouncer/userlist.txt': userlist,
    ...changes,
  });
  const { tenants, system } = inject('loginPasswords');
  await writeFile(userlist, `"nameward_app" "${tenants}"\n"nameward_system" "${system}"\n`, { mode: 0o644 });
  await writeFile(join(dir, 'pgbouncer.ini'), `${ini}\nunix_socket_dir =\n`);
  const running: RunningProgram = await runProgram(pgbouncer ?? '', [join(dir, 'pgbouncer.ini')], port);
  const through = (url: string) => {
    const changed = new URL(url);
    Object.assign(changed, { port: String(port), pathname: '/nameward' });
    return changed.href;
  };
  return {
    urls: { tenants: through(stack.database.urls.tenants), system: through(stack.database.urls.system) },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Many requests of two organizations at once: each is answered, and with its own rows only. */
async function useBoth(): Promise<void> {
  const [one, other] = accounts;
  const replies = await Promise.all(
    Array.from({ length: 120 }, async (_, index) => {
      const { token, customerId } = index % 2 === 0 ? one : other;
      if (index % 5 === 0) {
        const owner = { ...contact, city: index % 2 ? 'Boston' : 'Albany' };
        const changed = { contacts: { owner, admin: contact, billing: contact } };
        const { status } = await stack.call(token, 'PATCH', `customer/${customerId}`, changed);
        return { status, ids: [customerId], expected: [customerId] };
      }
      const { status, body } = await stack.call<{ data: { customerId: string }[] }>(token, 'GET', 'customer');
      return { status, ids: body.data?.map((row) => row.customerId), expected: [customerId] };
    }),
  );
  expect(replies.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  expect(replies.filter(({ ids, expected }) => String(ids) !== String(expected))).toEqual([]);
}

async function seenBy(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query('SELECT id FROM organisations')).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

describe.skipIf(pgbouncer === null)('behind PgBouncer', () => {
  test('in transaction mode, few connections shared by all: no request fails, and each sees its own organization', async () => {
    await using pooler = await startPooler({ 'default_pool_size = 20': 'default_pool_size = 3' });
    await stack.startServer({
      DATABASE_URL: pooler.urls.tenants,
      DATABASE_SYSTEM_URL: pooler.urls.system,
      DATABASE_DIRECT_URL: stack.database.urls.system,
      DATABASE_PREPARED_STATEMENTS: 'off',
    });
    await using _server = { [Symbol.asyncDispose]: () => stack.killServer() };
    await useBoth();
    // Nothing of a request stays with a connection that another one gets.
    for (let look = 0; look < 6; look += 1) expect(await seenBy(pooler.urls.tenants)).toBe(0);
    expect(await seenBy(pooler.urls.system)).toBe(2);
  });

  test('in session mode: the same, with prepared statements, and jobs by the same address', async () => {
    await using pooler = await startPooler({ 'pool_mode = transaction': 'pool_mode = session' });
    await stack.startServer({ DATABASE_URL: pooler.urls.tenants, DATABASE_SYSTEM_URL: pooler.urls.system });
    await using _server = { [Symbol.asyncDispose]: () => stack.killServer() };
    await useBoth();
    expect(await seenBy(pooler.urls.tenants)).toBe(0);
  });

  test('in transaction mode the start asks for what that mode takes away', async () => {
    await using pooler = await startPooler({});
    const check = (options: { preparedStatements: boolean; runsJobs: boolean }, direct: string | null) =>
      checkDatabase({ ...pooler.urls, direct }, { ...options, waitMs: 5_000 });
    await check({ preparedStatements: false, runsJobs: true }, stack.database.urls.system);
    await check({ preparedStatements: false, runsJobs: false }, null);
    await expect(check({ preparedStatements: false, runsJobs: true }, null)).rejects.toThrow(
      'Please set DATABASE_DIRECT_URL',
    );
    const version = /(\d+)\.(\d+)/.exec(spawnSync(pgbouncer ?? '', ['--version']).stdout.toString());
    if (Number(version?.[1]) > 1 || Number(version?.[2]) >= firstThatKeeps) return;
    await expect(check({ preparedStatements: true, runsJobs: false }, null)).rejects.toThrow(
      'Please set DATABASE_PREPARED_STATEMENTS=off',
    );
  });
});
