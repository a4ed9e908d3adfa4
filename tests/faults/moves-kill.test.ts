import pg from 'pg';
import { describe, test } from 'vitest';
import type { Zone } from '../../src/contracts/operations/dns.ts';
import type { Move } from '../../src/contracts/operations/moves.ts';
import { recordKey } from '../../src/contracts/values/dns-records.ts';
import { flatRecords } from '../../src/contracts/values/zone-changes.ts';
import { type Account, openAccount } from '../support/account.ts';
import { patientCall } from '../support/patient.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { inTurn } from '../support/turn.ts';

/** Between any two steps of a list of transfers, with some of its domains done and some under way. */
const points = [
  ...['moves.checked:2', 'moves.staged:2', 'moves.published:2', 'moves.switched:2', 'moves.compared:2'],
];

/** For what comes before a crash and after it: a slow machine has as much time as production. */
const calm = { REGISTRAR_WRITE_TIMEOUT_MS: '20000', REGISTRAR_PER_SECOND: '1000', REGISTRAR_PARALLEL: '2' };

/** For the process that dies: the next one does not wait long for what it held. */
const dying = { ...calm, LEASE_MS: '2000' };

const code = 'Right-Code-42';
const words = ['alder', 'birch', 'cedar'];

interface World {
  stack: Stack;
  account: Account;
  names: string[];
  /** As the database's owner: time passes there. */
  owner: pg.Client;
}

const ask = <T>({ stack, account }: World, method: string, path: string, body?: unknown, key?: string) =>
  patientCall<T>(stack, account.token, method, path, body, key);

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
  for (const sweep of ['moves.sweep', 'orders.sweep', 'transfers.poll']) await run(world, sweep);
}

/** After a crash: the claims of the process that died have run out. */
const claimsRunOut = ({ owner }: World) =>
  owner.query('UPDATE move_lines SET next_at = now() WHERE next_at IS NOT NULL');

/** Again and again, until it is so; what a slow machine has put off is looked at again each time. */
async function hurryUntil<T>(world: World, waits: () => boolean, turn: () => Promise<T | null>) {
  const end = performance.now() + 600_000;
  while (waits() && performance.now() < end) {
    const found = await turn();
    if (found !== null) return found;
    await hurry(world);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return null;
}

/** Asked again as a browser does. */
async function listWhen(world: World, id: string, isSo: (move: Move) => boolean): Promise<Move> {
  let last = 'nothing';
  const found = await hurryUntil(world, world.stack.serverLives, async () => {
    const move = await ask<Move>(world, 'GET', `move/${id}`).catch(() => null);
    last = JSON.stringify(move?.lines.map(({ stage, text }) => [stage, text]));
    return move && isSo(move) ? move : null;
  });
  if (!found) throw new Error(`the list stopped at ${last}\n${world.stack.log()}`);
  return found;
}

/** Until the act has brought the server to its point. What fails before is done again, if it is given as to be repeated. */
async function diesDoing(world: World, act: () => Promise<unknown>): Promise<void> {
  let failure: unknown = null;
  await hurryUntil(world, world.stack.serverLives, async () => {
    await act().catch((error: unknown) => (failure = error));
    return null;
  });
  if (world.stack.serverLives()) {
    throw new Error(`the server did not die\n${world.stack.log()}`, { cause: failure });
  }
  await world.stack.serverDied();
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
  test.for(inTurn(points))(
    '%s: each domain comes once, with its whole zone and our nameservers, and is compared',
    async (point, { expect }) => {
      await using stack = await startStack();
      const owner = new pg.Client({ connectionString: stack.database.url });
      await owner.connect();
      try {
        await stack.startServer(calm);
        const world = await openWorld(stack, owner);
        const withDeath = async (act: () => Promise<unknown>) => {
          await stack.killServer();
          await stack.startServer({ ...dying, FAILPOINT: point });
          await diesDoing(world, act);
          await stack.startServer(calm);
          await claimsRunOut(world);
        };

        let id = '';
        const paste = async () => {
          id ||= await pasted(world);
        };
        await (point.startsWith('moves.checked') ? withDeath(paste) : paste());
        // Its names are looked at as soon as they are stored, and perhaps before its answer is there.
        id ||= (await owner.query<{ id: string }>('SELECT id FROM moves')).rows[0]?.id ?? '';
        const ready = await listWhen(world, id, allAt('ready'));
        const lineIds = ready.lines.map((line) => line.id);
        // Under one key: a repeat orders nothing more.
        const order = () =>
          ask(world, 'POST', `move/${id}/order`, { lineIds, price: ready.total }, `order-${id}`);
        // Its zones are prepared as soon as it is ordered, and perhaps before its answer is there.
        await (point.startsWith('moves.staged') ? withDeath(order) : order());
        await listWhen(world, id, allAt('approval'));

        const arrive = () => stack.control('registrar', 'transfers/advance', { steps: 1 });
        if (!point.startsWith('moves.checked') && !point.startsWith('moves.staged')) await withDeath(arrive);
        else await stack.control('registrar', 'transfers/advance', { steps: 3 });
        const done = await listWhen(world, id, allAt('done'));

        for (const name of world.names) {
          const zone = await ask<Zone>(world, 'GET', `${name}/zone`);
          expect(flatRecords(zone.records).map(recordKey).sort()).toEqual([...expected].sort());
          const line = done.lines.find(({ domain }) => domain === name);
          expect(line?.text).toContain(
            'It is served here now, and all of its 4 records answer as they did on',
          );
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
