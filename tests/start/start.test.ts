import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import type { ProcessMark } from '../../src/start/instance-lock.ts';
import { gone, holdPort, makeProduct, placeIn, postgresOf } from './product.ts';

// Some tests bring the whole up twice. The limit is for what hangs.
vi.setConfig({ testTimeout: 240_000 });

async function portalAt(url: string): Promise<{ pid: number; failpoint: string | null }> {
  return (await fetch(url)).json() as Promise<{ pid: number; failpoint: string | null }>;
}

async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

async function query(url: string | undefined, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

test('one command brings up database, sandbox and portal; Ctrl-C takes all of it down', async () => {
  await using product = await makeProduct();
  const start = product.start();
  await portalAt(await start.ready);
  const { children } = await product.instance();
  const postgres = (await postgresOf(join(product.dataDir, 'postgres'))) as ProcessMark;
  expect(children).toHaveLength(2);
  start.child.kill('SIGINT');
  expect(await start.exited).toBe(0);
  await gone([...children, postgres]);
  expect(await readdir(product.dataDir)).not.toContain('instance.json');
  expect(start.output().match(/http:\/\/\S+/g)).toHaveLength(1);
});

test('Ctrl-C while the database comes up takes down the database too', async () => {
  await using product = await makeProduct();
  const start = product.start();
  const postgres = await until(() => postgresOf(join(product.dataDir, 'postgres')));
  expect(start.output()).not.toContain('ready');
  start.child.kill('SIGINT');
  expect(await start.exited).toBe(0);
  await gone([postgres]);
  expect(start.output()).toContain('stopping');
  expect(await readdir(product.dataDir)).not.toContain('instance.json');
});

test('a start builds what has changed and nothing else; what cannot be built leaves the last build', async () => {
  await using product = await makeProduct();
  const source = join(product.root, 'src/server/main.ts');
  const built = () => readFile(join(product.root, 'dist/server/main.js'), 'utf8');
  const startAndStop = async () => {
    const start = product.start();
    await start.ready;
    start.child.kill('SIGINT');
    await start.exited;
    return start.output().match(/building the \S+/g);
  };
  expect((await startAndStop())?.sort()).toEqual(['building the server', 'building the web']);
  expect(await startAndStop()).toBe(null);
  await writeFile(source, `${await readFile(source, 'utf8')}console.log('of the next version');\n`);
  expect(await startAndStop()).toEqual(['building the server']);
  const last = await built();
  expect(last).toContain('of the next version');
  await writeFile(source, 'this is no program');
  const failed = product.start();
  failed.ready.catch(() => undefined);
  expect(await failed.exited).toBe(1);
  expect(failed.output()).toContain('The server could not be built');
  expect(await built()).toBe(last);
});

test('the start says where the operator’s side is, and the command that makes its first key', async () => {
  await using product = await makeProduct();
  const start = product.start();
  await start.ready;
  await until(async () => (start.output().includes('npm run operator -- operators add') ? true : null));
  expect(start.output()).toContain('The operator’s side is there at /operator.');
});

test('npm run prints no warnings, whatever settings of other npm versions a person has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nameward-npm-'));
  const userconfig = join(folder, 'npmrc');
  await writeFile(userconfig, 'setting-of-another-npm=1\n');
  const ran = spawnSync('npm', ['run'], {
    cwd: join(import.meta.dirname, '../..'),
    // That there is a newer npm is no warning of ours, and npm asks for it when it is slow.
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, npm_config_userconfig: userconfig },
      npm_config_update_notifier: 'false',
    },
    encoding: 'utf8',
  });
  await rm(folder, { recursive: true });
  expect(ran.stdout).toContain('start');
  expect(ran.stderr).toBe('');
});

test('a second start on the same data names the process that holds it, and fails', async () => {
  await using product = await makeProduct();
  const first = product.start();
  const url = await first.ready;
  const second = product.start();
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain(`process ${first.child.pid} at ${url}`);
  await portalAt(url);
});

test('after a kill -9 the next start takes over the orphaned database with all its rows, at the same address', async () => {
  await using product = await makeProduct();
  const first = product.start();
  const url = await first.ready;
  const before = await product.instance();
  await query(before.settings.DATABASE_MIGRATION_URL, 'CREATE TABLE kept AS SELECT 42 AS answer');
  first.child.kill('SIGKILL');
  await first.exited;
  const second = product.start();
  expect(await second.ready).toBe(url);
  await gone(before.children);
  const after = await product.instance();
  expect(await query(after.settings.DATABASE_MIGRATION_URL, 'SELECT answer FROM kept')).toEqual([
    { answer: 42 },
  ]);
  const postgres = (await postgresOf(join(product.dataDir, 'postgres'))) as ProcessMark;
  second.child.kill('SIGINT');
  expect(await second.exited).toBe(0);
  await gone([postgres]);
});

test('a data folder of a version with one login gets the other two at its next start', async () => {
  await using product = await makeProduct();
  const first = product.start();
  await first.ready;
  const { settings } = await product.instance();
  for (const role of ['nameward_app', 'nameward_system']) {
    await query(settings.DATABASE_MIGRATION_URL, `ALTER ROLE ${role} NOLOGIN PASSWORD NULL`);
    await query(settings.DATABASE_MIGRATION_URL, `ALTER ROLE ${role} RESET ALL`);
  }
  first.child.kill('SIGINT');
  await first.exited;
  for (const name of ['tenants', 'system']) await rm(join(product.dataDir, `postgres/password.${name}`));
  await product.start().ready;
  const after = (await product.instance()).settings;
  const who = 'SELECT current_user::text AS who, session_user::text AS came';
  for (const [url, name] of [
    [after.DATABASE_URL, 'nameward_app'],
    [after.DATABASE_SYSTEM_URL, 'nameward_system'],
  ]) {
    expect(await query(url, who)).toEqual([{ who: name, came: name }]);
  }
});

test('a pid file left by a crash of the whole machine does not stop the database from starting', async () => {
  await using product = await makeProduct();
  const first = product.start();
  await first.ready;
  const postgres = (await postgresOf(join(product.dataDir, 'postgres'))) as ProcessMark;
  first.child.kill('SIGKILL');
  process.kill(postgres.pid, 'SIGKILL');
  await Promise.all([first.exited, gone([postgres])]);
  // After a reboot the number may belong to anybody: here to this test.
  const pidFile = join(product.dataDir, 'postgres/cluster/postmaster.pid');
  const lines = (await readFile(pidFile, 'utf8')).split('\n');
  await writeFile(pidFile, [String(process.pid), ...lines.slice(1)].join('\n'));
  await product.start().ready;
});

test('a crashed portal is started again, without the fail point that killed it', async () => {
  await using product = await makeProduct();
  const start = product.start({ FAILPOINT: 'some.step' });
  const url = await start.ready;
  const first = await portalAt(url);
  expect(first.failpoint).toBe('some.step');
  await fetch(`${url}/crash`).catch(() => undefined);
  const second = await until(() => portalAt(url));
  expect(second.pid).not.toBe(first.pid);
  expect(second.failpoint).toBeNull();
});

test('a killed database server is started again at the same address', async () => {
  await using product = await makeProduct();
  await product.start().ready;
  const { settings } = await product.instance();
  const postgres = (await postgresOf(join(product.dataDir, 'postgres'))) as ProcessMark;
  process.kill(postgres.pid, 'SIGKILL');
  await gone([postgres]);
  expect(await until(() => query(settings.DATABASE_MIGRATION_URL, 'SELECT 1 AS one'))).toEqual([{ one: 1 }]);
});

test('a taken usual port is replaced by a free one; a taken PORT that was asked for is refused', async () => {
  await using product = await makeProduct();
  const first = product.start();
  const port = Number(new URL(await first.ready).port);
  first.child.kill('SIGINT');
  await first.exited;
  await using _other = await holdPort(port);
  const refused = product.start({ PORT: String(port) });
  expect(await refused.exited).toBe(1);
  expect(refused.output()).toContain(`Port ${port} (PORT) is taken`);
  const second = product.start();
  expect(new URL(await second.ready).port).not.toBe(String(port));
});

test('a portal that cannot start: its last words are shown, and nothing is left running', async () => {
  await using product = await makeProduct();
  const start = product.start({ STAND_IN_FAILS: '1' });
  expect(await start.exited).toBe(1);
  expect(start.output()).toContain('the stand-in was told to fail');
  expect(await postgresOf(join(product.dataDir, 'postgres'))).toBeNull();
});

const there = 'hush@127.0.0.1:1/there';
const unreachable = {
  DATABASE_URL: `postgres://nameward_app:${there}`,
  DATABASE_SYSTEM_URL: `postgres://nameward_system:${there}`,
  DATABASE_MIGRATION_URL: `postgres://someone:${there}`,
};

test('an unreachable DATABASE_MIGRATION_URL is named without its password', async () => {
  await using product = await makeProduct();
  const start = product.start({ ...unreachable });
  expect(await start.exited).toBe(1);
  expect(start.output()).toContain('127.0.0.1:1/there');
  expect(start.output()).not.toContain('hush');
});

test.runIf(process.getuid?.() === 0)(
  'as root in a folder that only root may enter: the database runs as another user, elsewhere, and keeps its rows',
  async () => {
    await using product = await makeProduct(0o700);
    const first = product.start();
    await first.ready;
    const place = placeIn(first.output()) ?? '';
    expect((await stat(join(place, 'cluster'))).uid).not.toBe(0);
    await query(
      (await product.instance()).settings.DATABASE_MIGRATION_URL,
      'CREATE TABLE kept AS SELECT 42 AS answer',
    );
    first.child.kill('SIGINT');
    await first.exited;
    const second = product.start();
    await second.ready;
    expect(placeIn(second.output())).toBe(place);
    const { settings } = await product.instance();
    expect(await query(settings.DATABASE_MIGRATION_URL, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  },
);
