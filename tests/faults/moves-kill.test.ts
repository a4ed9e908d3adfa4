import pg from 'pg';
import { describe, test } from 'vitest';
import type { Zone } from '../../src/contracts/operations/dns.ts';
import type { Move } from '../../src/contracts/operations/moves.ts';
import { recordKey } from '../../src/contracts/values/dns-records.ts';
import { flatRecords } from '../../src/contracts/values/zone-changes.ts';
import { type Account, openAccount } from '../support/account.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** Between any two steps of a list of transfers, with some of its domains done and some under way. */
const points = [
  ...['moves.checked:2', 'moves.staged:2', 'moves.published:2', 'moves.switched:2', 'moves.compared:2'],
];

const times = {
  REGISTRAR_WRITE_TIMEOUT_MS: '20000',
  LEASE_MS: '2000',
  REGISTRAR_PER_SECOND: '1000',
  REGISTRAR_PARALLEL: '2',
};
const code = 'Right-Code-42';
const words = ['alder', 'birch', 'cedar'];

interface World {
  stack: Stack;
  account: Account;
  names: string[];
  /** As the database's owner: time passes there. */
  owner: pg.Client;
}

async function ask<T>({ stack, account }: World, method: string, path: string, body?: unknown): Promise<T> {
  const reply = await stack.call<{ data: T }>(account.token, method, path, body);
  if (reply.status !== 200)
    throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}\n${stack.log()}`);
  return reply.body.data;
}

const records = {
  A: [{ ip_address: '203.0.113.5' }, { subdomain: 'www', ip_address: '203.0.113.5' }],
  MX: [{ hostname: 'mx1.old.example', priority: 10 }],
  TXT: [{ text: 'v=spf1 include:old.example -all' }],
};
const expected = [
  ...['A  203.0.113.5', 'A www 203.0.113.5', 'MX  10 mx1.old.example'],
  'TXT  v=spf1 include:old.example -all',
];

async function openWorld(stack: Stack, owner: pg.Client): Promise<World> {
  const account = await openAccount(stack, 1_000_00);
  const names = words.map((word) => `${word}-${account.name}.com`);
  const nameservers = ['ns1.oldregistrar.net', 'ns2.oldregistrar.net'];
  await stack.control(
    'registrar',
    'outside-world',
    names.map((domain) => ({ domain, authCode: code, nameservers })),
  );
  await stack.control('dns', 'zones', {
    zones: names.map((domain) => ({ domain, records, axfr: true })),
  });
  return { stack, account, names, owner };
}

const run = ({ owner }: World, task: string) =>
  owner.query('SELECT graphile_worker.add_job($1, $2)', [task, {}]);

/** What would be looked at in ten minutes is looked at now; what a job works on is left to it. */
async function hurry(world: World): Promise<void> {
  await world.owner.query(
    "UPDATE move_lines SET next_at = now() WHERE next_at > now() + interval '3 minutes'",
  );
  await world.owner.query(
    "UPDATE order_items SET next_check_at = now() WHERE state IN ('pending', 'unknown')",
  );
  await run(world, 'moves.sweep');
  await run(world, 'orders.sweep');
}

/** After a crash: the claims of the process that died have run out. */
const claimsRunOut = ({ owner }: World) =>
  owner.query('UPDATE move_lines SET next_at = now() WHERE next_at IS NOT NULL');

/** Asked again as a browser does, until it is so. */
async function until(world: World, id: string, isSo: (move: Move) => boolean, hurried: boolean) {
  let last = 'nothing';
  for (let rounds = 0; rounds < 1_200 && world.stack.serverLives(); rounds += 1) {
    const move = await ask<Move>(world, 'GET', `move/${id}`).catch(() => null);
    if (move && isSo(move)) return move;
    last = JSON.stringify(move?.lines.map(({ stage, text }) => [stage, text]));
    if (hurried) await hurry(world);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`the list stopped at ${last}\n${world.stack.log()}`);
}

const allAt = (stage: string) => (move: Move) => move.counts[stage as 'done'] === words.length;

async function pasted(world: World): Promise<string> {
  const text = world.names.map((name) => `${name}, ${code}`).join('\n');
  const { id } = await ask<{ id: string }>(world, 'POST', 'move', {
    ...{ customerId: world.account.customerId, text },
  });
  return id;
}

/** The commands that the registrar has carried out, of each name. */
async function commands({ stack, names }: World, which: RegExp): Promise<number[]> {
  interface Command {
    action: string;
    domain: string;
    code: number;
  }
  const state = await stack.control<{ commands: Command[] }>('registrar', 'state');
  const done = state.commands.filter((each) => which.test(each.action) && each.code === 200);
  return names.map((name) => done.filter(({ domain }) => domain === name).length);
}

describe.concurrent('kill -9 in the middle of a list of transfers, then a restart', () => {
  test.for(points)(
    '%s: each domain comes once, with its whole zone and our nameservers, and is compared',
    { timeout: 900_000 },
    async (point, { expect }) => {
      await using stack = await startStack();
      const owner = new pg.Client({ connectionString: stack.database.url });
      await owner.connect();
      try {
        await stack.startServer(times);
        const world = await openWorld(stack, owner);
        const withDeath = async (act: () => Promise<unknown>) => {
          await stack.killServer();
          await stack.startServer({ ...times, FAILPOINT: point });
          await act();
          await stack.serverDied();
          await stack.startServer(times);
          await claimsRunOut(world);
        };

        let id = '';
        const paste = async () => {
          id = await pasted(world);
        };
        await (point.startsWith('moves.checked') ? withDeath(paste) : paste());
        const ready = await until(world, id, allAt('ready'), true);
        const lineIds = ready.lines.map((line) => line.id);
        const order = () => ask(world, 'POST', `move/${id}/order`, { lineIds, price: ready.total });
        // Its zones are prepared as soon as it is ordered, and perhaps before its answer is there.
        const diesAtOnce = point.startsWith('moves.staged');
        await (diesAtOnce ? withDeath(() => order().catch(() => 'on its way')) : order());
        await until(world, id, allAt('approval'), diesAtOnce);

        const arrive = async () => {
          for (let rounds = 0; rounds < 200 && stack.serverLives(); rounds += 1) {
            await stack.control('registrar', 'transfers/advance', { steps: 1 });
            await run(world, 'transfers.poll');
            await hurry(world);
            await new Promise((resolve) => setTimeout(resolve, 500));
          }
        };
        if (!point.startsWith('moves.checked') && !diesAtOnce) await withDeath(arrive);
        else await stack.control('registrar', 'transfers/advance', { steps: 3 });
        await run(world, 'transfers.poll');
        const done = await until(world, id, allAt('done'), true);

        for (const name of world.names) {
          const zone = await ask<Zone>(world, 'GET', `${name}/zone`);
          expect(flatRecords(zone.records).map(recordKey).sort()).toEqual([...expected].sort());
          const line = done.lines.find(({ domain }) => domain === name);
          expect(line?.text).toContain('It is served here now, and all of its 4 records answer as before.');
        }
        // Each was paid for once, sent once, and its delegation changed once.
        const { rows } = await owner.query(
          "SELECT count(*)::int AS n FROM order_items WHERE kind = 'transfer' AND state = 'succeeded'",
        );
        expect(rows).toEqual([{ n: words.length }]);
        expect(await commands(world, /^sw_register$/i)).toEqual(words.map(() => 1));
      } finally {
        await owner.end();
      }
    },
  );
});
