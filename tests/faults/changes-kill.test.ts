import { describe, test } from 'vitest';
import type { Change, ChangeItems } from '../../src/contracts/operations/changes.ts';
import type { Zone, ZoneVersionHead } from '../../src/contracts/operations/dns.ts';
import { recordKey } from '../../src/contracts/values/dns-records.ts';
import { flatRecords } from '../../src/contracts/values/zone-changes.ts';
import { type Account, cartOf, openAccount, purchase } from '../support/account.ts';
import { patientCall } from '../support/patient.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { inTurn } from '../support/turn.ts';

/** Between any two steps of a change of many domains, with some of them done and some under way. */
const points = [
  ...['changes.look-taken:3', 'changes.looked:3', 'changes.run-taken:3', 'lease.intent:3', 'zone.answered:3'],
  ...['changes.applied:3', 'changes.concluded:1'],
];

/** Where a change of settings goes its own way; the other points lie in what it shares with those of zones. */
const settingPoints = ['settings.read:3', 'settings.answered:3', 'changes.applied:3'];

/** For what comes before a crash and after it: a slow machine has as much time as production. */
const calm = { REGISTRAR_PER_SECOND: '1000', REGISTRAR_PARALLEL: '2' };

/** For the crash: short enough for a test, long enough that nothing is given up that still runs. */
const times = { ...calm, REGISTRAR_WRITE_TIMEOUT_MS: '3000', LEASE_MS: '4000' };

const words = ['alder', 'birch', 'cedar', 'dogwood', 'elm'];
const base = [
  { type: 'A', subdomain: '', action: 'add', ip_address: '192.0.2.1' },
  { type: 'MX', subdomain: '', action: 'add', hostname: 'mx1.old.example', priority: 10 },
  { type: 'TXT', subdomain: '', action: 'add', text: 'v=spf1 include:old.example -all' },
];

interface World {
  stack: Stack;
  account: Account;
  names: string[];
}
type Method = 'GET' | 'POST' | 'PUT';

const ask = <T>({ stack, account }: World, method: Method, path: string, body?: unknown) =>
  patientCall<T>(stack, account.token, method, path, body);

async function openWorld(stack: Stack): Promise<World> {
  await stack.startServer(calm);
  const account = await openAccount(stack, 1_000_00);
  const names = words.map((word) => `${word}-${account.name}.com`);
  const world = { stack, account, names };
  await purchase(stack, account, await cartOf(stack, account, names), account.name);
  // What the registrar answered too late is the portal's a little later.
  for (
    let waitedMs = 0;
    (await ask<unknown[]>(world, 'GET', 'domain')).length < names.length;
    waitedMs += 200
  ) {
    if (waitedMs > 180_000) throw new Error(`the domains did not come\n${stack.log()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  for (const name of names) {
    await ask(world, 'POST', `${name}/zone/force_dns_nameservers`, {});
    await ask(world, 'PUT', `${name}/zone`, { records: base });
  }
  return world;
}

async function zoneOf(world: World, name: string): Promise<string[]> {
  const { records } = await ask<Zone>(world, 'GET', `${name}/zone`);
  return flatRecords(records).map(recordKey).sort();
}

/** Asked again as a browser does, also while there is no server. */
async function whenIn(world: World, id: string, states: readonly Change['state'][]): Promise<Change> {
  let last = 'nothing';
  for (let waitedMs = 0; waitedMs < 180_000 && world.stack.serverLives(); waitedMs += 100) {
    const change = await ask<Change>(world, 'GET', `changes/${id}`).catch(() => null);
    if (change && states.includes(change.state)) return change;
    last = JSON.stringify(change);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the change stopped at ${last}\n${world.stack.log()}`);
}

const moving = { kind: 'replace-value', find: 'old.example', replacement: 'new.example', part: true };
const hiding = { kind: 'privacy', enabled: true };

async function described(world: World, request: object): Promise<string> {
  const targets = { kind: 'names', names: world.names };
  const { id } = await ask<Change>(world, 'POST', 'changes', { title: 'Move mail', targets, request });
  return id;
}

/** How often the registrar has carried out such a command for each name. */
async function writes({ stack, names }: World, command = /set_dns_zone/i): Promise<number[]> {
  interface Command {
    action: string;
    domain: string;
    code: number;
  }
  const { commands } = await stack.control<{ commands: Command[] }>('registrar', 'state');
  const sets = commands.filter(({ action, code }) => command.test(action) && code === 200);
  return names.map((name) => sets.filter(({ domain }) => domain === name).length);
}

/** The server is started so that it dies at the point, while the change is looked at or applied; then it starts again. */
async function killedAt(point: string, world: World, request: object): Promise<string> {
  const { stack } = world;
  const isLook = point.startsWith('changes.look');
  const withDeath = async (act: () => Promise<string>) => {
    await stack.killServer();
    await stack.startServer({ ...times, FAILPOINT: point });
    const id = await act();
    await stack.serverDied();
    await stack.startServer(times);
    return id;
  };
  const apply = async (id: string) => {
    await whenIn(world, id, ['ready']);
    await ask(world, 'POST', `changes/${id}/apply`, { expected: words.length });
    return id;
  };
  if (isLook) return apply(await withDeath(() => described(world, request)));
  const id = await described(world, request);
  await whenIn(world, id, ['ready']);
  return withDeath(() => apply(id));
}

const later = { type: 'A', subdomain: 'later', action: 'add', ip_address: '192.0.2.9' };

/** Somebody works on while it is brought to its end; what they are asked to send again, they send again. */
async function editBeside({ stack, account }: World, name: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const reply = await stack.call(account.token, 'PUT', `${name}/zone`, { records: [later] });
    if (reply.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the edit was never taken');
}

describe.concurrent('kill -9 during a change of many domains, then a restart', () => {
  test.for(inTurn(points))(
    '%s: ends complete, each zone changed once, others’ edits kept, and undone byte by byte',
    async (point, { expect }) => {
      await using stack = await startStack();
      const world = await openWorld(stack);
      const [first = '', second = ''] = world.names;
      const original = await zoneOf(world, first);
      const before = await writes(world);
      const moreOf = (name: string) => (name === second ? ['A later 192.0.2.9'] : []);

      const id = await killedAt(point, world, moving);
      await editBeside(world, second);
      const done = await whenIn(world, id, ['done', 'partly']);
      const { items } = await ask<ChangeItems>(world, 'GET', `changes/${id}/items`);
      expect([done.state, done.counts.done], JSON.stringify(items)).toEqual(['done', words.length]);
      const changed = original.map((key) => key.replace('old.example', 'new.example'));
      for (const name of world.names) {
        expect(await zoneOf(world, name)).toEqual([...changed, ...moreOf(name)].sort());
        const versions = await ask<ZoneVersionHead[]>(world, 'GET', `${name}/zone/versions`);
        const own = versions.filter(({ state, reason }) => state === 'applied' && reason === 'Move mail');
        expect(own).toHaveLength(1);
      }
      const after = await writes(world);
      expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual(
        world.names.map((name) => 1 + moreOf(name).length),
      );

      await stack.killServer();
      await stack.startServer(calm);
      const undo = await ask<Change>(world, 'POST', `changes/${id}/undo`);
      await whenIn(world, undo.id, ['ready']);
      await ask(world, 'POST', `changes/${undo.id}/apply`, { expected: words.length });
      await whenIn(world, undo.id, ['done']);
      for (const name of world.names) {
        expect(await zoneOf(world, name)).toEqual([...original, ...moreOf(name)].sort());
      }
      expect((await ask<Change>(world, 'GET', `changes/${id}`)).state).toBe('undone');
    },
  );

  test.for(inTurn(settingPoints))(
    '%s: a setting is set once everywhere, is in the log, what others set is kept, and it is undone',
    async (point, { expect }) => {
      await using stack = await startStack();
      const world = await openWorld(stack);
      const before = await writes(world, /^modify$/i);
      const privacyOf = async (name: string) =>
        (await ask<{ privacy: boolean | null }>(world, 'GET', `domain/details/${name}?type=all_info`))
          .privacy;

      const id = await killedAt(point, world, hiding);
      const done = await whenIn(world, id, ['done', 'partly']);
      const { items } = await ask<ChangeItems>(world, 'GET', `changes/${id}/items`);
      expect([done.state, done.counts.done], JSON.stringify(items)).toEqual(['done', words.length]);
      const after = await writes(world, /^modify$/i);
      expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual(words.map(() => 1));
      for (const name of world.names) expect(await privacyOf(name)).toBe(true);
      const path = 'audit?action=domains.privacy&pageSize=100';
      const entries = await ask<{ object: string }[]>(world, 'GET', path);
      expect(entries.map(({ object }) => object).sort()).toEqual([...world.names].sort());

      // Somebody makes one public again: that stays.
      const [first = ''] = world.names;
      await ask(world, 'POST', 'domain/privacy', { domain: first, enabled: false });
      await stack.killServer();
      await stack.startServer(calm);
      const undo = await ask<Change>(world, 'POST', `changes/${id}/undo`);
      await whenIn(world, undo.id, ['ready']);
      await ask(world, 'POST', `changes/${undo.id}/apply`, { expected: words.length - 1 });
      await whenIn(world, undo.id, ['done']);
      for (const name of world.names) expect(await privacyOf(name)).toBe(false);
    },
  );
});
