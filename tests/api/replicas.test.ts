import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { positionHeader } from '../../src/contracts/values/position.ts';
import { type Account, contact, openAccount } from '../support/account.ts';
import { adapted, anyPort, documented, programOf, runProgram } from '../support/documented.ts';
import { type Beside, type Stack, startStack } from '../support/stack.ts';
import { openReplicated, type Replicated } from '../support/standby.ts';

/** Two web processes before a primary and a standby whose replay can be stopped. No request sticks to a process. */
let servers: Replicated;
let stack: Stack;
let one: Beside;
let other: Beside;
let account: Account;
let neighbour: Account;

beforeAll(async () => {
  servers = await openReplicated();
  stack = await startStack({ database: servers.primary.database });
  const env = { DATABASE_READ_URL: servers.readUrl, ROLES: 'web' };
  [one, other] = [await stack.startBeside(env), await stack.startBeside(env)];
  const doors = { ...stack, call: one.call };
  account = await openAccount(doors, 100_00);
  neighbour = await openAccount(doors, 100_00);
});
afterAll(async () => {
  // The database, which is the stack's, goes with its server.
  await stack?.[Symbol.asyncDispose]();
  await servers?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await servers.resumeReplay();
  for (const process of [one, other]) await until(async () => (await figure(process, serving)) === 1);
});

const serving = 'nameward_replica_serves';
const byReplica = 'nameward_replica_readings{outcome="replica"}';

async function until(right: () => Promise<boolean>): Promise<void> {
  while (!(await right())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** The first figure of this name at `/metrics` of a process; 0 when there is none. */
async function figure({ url }: Beside, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(name));
  return Number(line?.split(' ').at(-1) ?? 0);
}

interface Reply<T> {
  status: number;
  data: T;
  position: string | null;
}

async function ask<T = unknown>(
  { url }: Beside,
  { token }: Pick<Account, 'token'>,
  call: string,
  { shown, body }: { shown?: string | null; body?: unknown } = {},
): Promise<Reply<T>> {
  const [method = '', path = ''] = call.split(' ');
  const reply = await fetch(`${url}/api/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(shown ? { [positionHeader]: shown } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const isJson = reply.headers.get('content-type')?.includes('json');
  return {
    status: reply.status,
    data: (isJson ? JSON.parse(text).data : text) as T,
    position: reply.headers.get(positionHeader),
  };
}

type Row = { customerId: string; contacts: { owner: { organization: string } } };
const listed = (process: Beside, who: Account, shown?: string | null) =>
  ask<Row[]>(process, who, 'GET customer', { shown: shown ?? null });
const idsOf = ({ data }: Reply<Row[]>) => data.map(({ customerId }) => customerId);

/** Adds a customer over a process. */
async function add(process: Beside, who: Account): Promise<{ id: string; position: string | null }> {
  const body = { contacts: { owner: contact, admin: contact, billing: contact } };
  const made = await ask<{ customerId: string }>(process, who, 'POST customer', { body });
  expect(made.status).toBe(200);
  return { id: made.data.customerId, position: made.position };
}

/** How many readings of this process a replica answered meanwhile. */
async function readThere(process: Beside, work: () => Promise<unknown>): Promise<number> {
  const before = await figure(process, byReplica);
  await work();
  return (await figure(process, byReplica)) - before;
}

test('with the replay stopped a customer made over one process is listed by the other', async () => {
  const before = (await listed(other, account)).position;
  const others = (await listed(other, neighbour)).position;
  expect(before).toMatch(/^[0-9A-F]{8}-[0-9a-f]{14}$/);
  await servers.pauseReplay();
  const { id, position } = await add(one, account);
  // The page that made it, a script that knows nothing of positions, and the person's other device.
  for (const shown of [position, null, before]) {
    expect(idsOf(await listed(other, account, shown))).toContain(id);
  }
  // The list of somebody else is the standby's.
  expect(await readThere(other, () => listed(other, neighbour, others))).toBe(1);
});

test('what a page has shown does not vanish from the next list, even when another person changed it', async () => {
  const before = (await listed(one, account)).position;
  await servers.pauseReplay();
  await servers.onPrimary(
    `UPDATE customers SET owner = jsonb_set(owner, '{organization}', '"Moved Ltd"') WHERE id = '${account.customerId}'`,
  );
  const page = await ask<Row>(one, account, `GET customer/${account.customerId}`, { shown: before });
  expect(page.data.contacts.owner.organization).toBe('Moved Ltd');
  const names = ({ data }: Reply<Row[]>) => data.map((row) => row.contacts.owner.organization);
  expect(names(await listed(other, account, page.position))).toContain('Moved Ltd');
  // Nobody who has not seen it needs it, and the log of the organization does not speak of it.
  expect(names(await listed(other, account, before))).not.toContain('Moved Ltd');
});

test('each of the lists, exports and reports is answered by the standby', async () => {
  const paths = [
    ...['attention/counts', 'audit', 'ssl', 'changes', 'customer/choices', 'customer', 'direct-charge'],
    ...['dns/records?search=exa', 'domain', `domain/${account.customerId}`, `ssl/${account.customerId}`],
    ...[
      'account/earnings?by=customer',
      'health',
      'health/watched',
      `customer/${account.customerId}/health`,
      'move',
    ],
    ...['order', 'overview', 'account/statement', 'account/statement/months', 'attention'],
    ...['account/earnings/csv', 'account/statement/csv', 'audit/csv', 'customer/csv/export'],
  ];
  for (const path of paths) {
    await until(async () => {
      const count = await readThere(one, async () => {
        const { status } = await ask(one, account, `GET ${path}`);
        expect({ path, status }).toEqual({ path, status: 200 });
      });
      return count > 0;
    });
  }
});

test('many requests of two organizations at once: each sees its own', async () => {
  const replies = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const [mine, foreign] = index % 2 === 0 ? [account, neighbour] : [neighbour, account];
      const { status, data } = await listed(index % 3 === 0 ? one : other, mine);
      const ids = data.map(({ customerId }) => customerId);
      return [status, ids.includes(mine.customerId), ids.includes(foreign.customerId)];
    }),
  );
  expect(replies.filter((reply) => String(reply) !== '200,true,false')).toEqual([]);
});

const pgbouncer = programOf('pgbouncer');

test.skipIf(pgbouncer === null)(
  'behind PgBouncer in transaction mode: the same, and nothing of a request stays behind',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'nameward-read-pooler-'));
    await chmod(dir, 0o755);
    const port = await anyPort();
    const { port: behind, username, password } = new URL(servers.directUrl);
    const userlist = join(dir, 'userlist.txt');
    await writeFile(userlist, `"${username}" "${password}"\n`);
    const ini = adapted(documented('pgbouncer.ini'), {
      'port=5432': `port=${behind}`,
      'listen_port = 6432': `listen_port = ${port}`,
      '/etc/pgbouncer/userlist.txt': userlist,
      'default_pool_size = 20': 'default_pool_size = 2',
    });
    await writeFile(join(dir, 'pgbouncer.ini'), `${ini}\nunix_socket_dir =\n`);
    await using _pooler = await runProgram(pgbouncer ?? '', [join(dir, 'pgbouncer.ini')], port);
    const pooled = new URL(servers.directUrl);
    pooled.port = String(port);
    const third = await stack.startBeside({
      ...{ DATABASE_READ_URL: pooled.href, DATABASE_PREPARED_STATEMENTS: 'off', ROLES: 'web' },
    });
    await until(async () => (await figure(third, serving)) === 1);
    await until(async () => {
      const count = await readThere(third, async () => {
        const both = await Promise.all(
          Array.from({ length: 30 }, async (_, index) => {
            const [mine, foreign] = index % 2 === 0 ? [account, neighbour] : [neighbour, account];
            const ids = idsOf(await listed(third, mine));
            return ids.includes(mine.customerId) && !ids.includes(foreign.customerId);
          }),
        );
        expect(both).not.toContain(false);
      });
      return count > 0;
    });
    const { rows } = await seenBy(pooled.href);
    expect(rows).toEqual([]);
    await third.kill();
    await rm(dir, { recursive: true });
  },
);

async function seenBy(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query('SELECT id FROM organisations').finally(() => client.end());
}

test('people who list and change in turns over two processes are shown each of their changes, and the standby has its share', async () => {
  const count = async (name: string) => (await figure(one, name)) + (await figure(other, name));
  const outcomes = ['behind', 'failed'].map((outcome) => `nameward_replica_readings{outcome="${outcome}"}`);
  const all = async () => {
    const found = await Promise.all([byReplica, ...outcomes].map(count));
    return [found[0] ?? 0, found.reduce((sum, each) => sum + each, 0)] as const;
  };
  const [replicaBefore, allBefore] = await all();
  await Promise.all(
    [account, neighbour].map(async (who) => {
      let shown: string | null = null;
      for (let turn = 0; turn < 40; turn += 1) {
        const process = turn % 2 === 0 ? one : other;
        if (turn % 8 === 7) {
          const made = await add(process, who);
          shown = made.position;
          expect(idsOf(await listed(turn % 2 === 0 ? other : one, who, shown))).toContain(made.id);
        } else {
          const { position } = await listed(process, who, shown);
          shown = position;
        }
      }
    }),
  );
  const [replicaAfter, allAfter] = await all();
  const share = (replicaAfter - replicaBefore) / (allAfter - allBefore);
  expect(allAfter - allBefore).toBe(80);
  expect(share, `${replicaAfter - replicaBefore} of ${allAfter - allBefore}`).toBeGreaterThan(0);
});

test('without the standby everybody is answered; after a promotion of it, too, and with what the primary has', async () => {
  await servers.killStandby();
  const { id } = await add(one, account);
  expect(idsOf(await listed(other, account))).toContain(id);
  await until(async () => (await figure(other, serving)) === 0);
  expect(idsOf(await listed(other, account))).toContain(id);
  await servers.startStandby();
  await until(async () => (await figure(other, serving)) === 1);
  await servers.promote();
  const after = await add(one, account);
  for (const shown of [null, after.position]) {
    expect(idsOf(await listed(other, account, shown))).toContain(after.id);
  }
});
