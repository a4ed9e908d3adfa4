import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Instance, isRunning, type ProcessMark } from '../../src/start/instance-lock.ts';

/**
 * The start command with PostgreSQL and all its own code, in a folder of its own, with a portal and a sandbox that do
 * nothing but answer: what is tested is bringing up and taking down.
 */
export interface Product extends AsyncDisposable {
  /** The project's folder. */
  root: string;
  dataDir: string;
  start(env?: Record<string, string>): Start;
  instance(): Promise<Instance>;
}

export interface Start {
  child: ChildProcess;
  output(): string;
  /** Resolves with the printed address. */
  ready: Promise<string>;
  exited: Promise<number | NodeJS.Signals>;
}

const original = join(import.meta.dirname, '../..');

const portal = `import { createServer } from 'node:http';
createServer((request, response) => {
  if (request.url === '/crash') process.exit(3);
  response.end(JSON.stringify({ pid: process.pid, failpoint: process.env.FAILPOINT ?? null }));
}).listen(Number(process.env.PORT), '127.0.0.1');
if (process.env.STAND_IN_FAILS) throw new Error('the stand-in was told to fail');
process.on('SIGTERM', () => process.exit(0));
`;
const sandbox = `import { createServer } from 'node:http';
createServer((_request, response) => response.end('here')).listen(Number(process.env.SANDBOX_PORTS_PANEL), '127.0.0.1',
  () => console.log(JSON.stringify({ ready: true, registrar: 'http://127.0.0.1:1' })));
`;
const serverConfig = `export default { input: 'src/server/main.ts', platform: 'node' };\n`;
const viteConfig = `export default { root: 'src/web', build: { outDir: '../../dist/web' } };\n`;

/** `mode`: of the project's folder; 0o700 is one that only its owner may enter. */
export async function makeProduct(mode = 0o755): Promise<Product> {
  const root = await mkdtemp(join(tmpdir(), 'nameward-start-'));
  await chmod(root, mode);
  const dataDir = join(root, 'data');
  for (const path of [
    'src/start',
    'src/start.ts',
    'src/server/kernel/db',
    'src/server/kernel/clock.ts',
    'src/server/process-settings.ts',
    'package.json',
  ]) {
    await cp(join(original, path), join(root, path), { recursive: true });
  }
  for (const path of ['node_modules', 'migrations']) await symlink(join(original, path), join(root, path));
  for (const path of ['src/web', 'src/contracts', 'src/sandbox']) await mkdir(join(root, path));
  await writeFile(join(root, 'src/server/main.ts'), portal);
  await writeFile(join(root, 'src/sandbox/main.ts'), sandbox);
  await writeFile(join(root, 'src/web/index.html'), '<!doctype html><title>stand-in</title>');
  await writeFile(join(root, 'vite.config.ts'), viteConfig);
  await writeFile(join(root, 'rolldown.config.ts'), serverConfig);
  // So that the usual ports stay free for people who work on this machine.
  await mkdir(dataDir);
  const names = ['portal', 'registrar', 'payments', 'identity', 'panel', 'smtp', 'dns', 'postgres', 'web'];
  await writeFile(
    join(dataDir, 'ports.json'),
    JSON.stringify(Object.fromEntries(names.map((name) => [name, 0]))),
  );
  const starts: Start[] = [];
  const instance = async () => JSON.parse(await readFile(join(dataDir, 'instance.json'), 'utf8')) as Instance;
  return {
    root,
    dataDir,
    instance,
    start(env = {}) {
      const started = startIn(root, env);
      starts.push(started);
      return started;
    },
    async [Symbol.asyncDispose]() {
      for (const { child } of starts) child.kill('SIGKILL');
      await Promise.all(starts.map(({ exited }) => exited));
      const left = await instance().catch(() => null);
      for (const { pid } of left?.children.filter(isRunning) ?? []) process.kill(pid, 'SIGKILL');
      const elsewhere = starts.map(({ output }) => placeIn(output())).find((place) => place !== null);
      const folder = elsewhere ?? join(dataDir, 'postgres');
      const postgres = await postgresOf(folder);
      if (postgres) process.kill(postgres.pid, 'SIGKILL');
      await gone(postgres ? [postgres] : []);
      for (const path of [root, folder]) await rm(path, { recursive: true, force: true });
    },
  };
}

function startIn(root: string, env: Record<string, string>): Start {
  const clean = { ...process.env };
  for (const name of [
    'DATABASE_URL',
    'DATABASE_SYSTEM_URL',
    'DATABASE_MIGRATION_URL',
    'DATA_DIR',
    'PORT',
    'HOST',
    'NODE_ENV',
    'LOGS',
  ])
    delete clean[name];
  const child = spawn(process.execPath, [join(root, 'src/start.ts')], {
    cwd: root,
    env: { ...clean, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 0)),
  );
  const ready = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const address = /ready after .*: (\S+)/.exec(output)?.[1];
      if (address) resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exited.then(() => reject(new Error(`start ended before it was ready:\n${output}`)));
  });
  ready.catch(() => undefined);
  return { child, ready, exited, output: () => output };
}

/** Where the database lies when it is not in the data folder. */
export function placeIn(output: string): string | null {
  return /keeping the database in (\S+),/.exec(output)?.[1] ?? null;
}

/** The database server of a folder, by its pid file; null when there is none. */
export async function postgresOf(folder: string): Promise<ProcessMark | null> {
  const text = await readFile(join(folder, 'cluster/postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  // Not this process, whose number a test writes there.
  const runs = pid > 0 && pid !== process.pid && isRunning({ pid, began: null });
  return runs ? { pid, began: null } : null;
}

/** Resolves when none of the processes runs any more. */
export async function gone(marks: readonly ProcessMark[]): Promise<void> {
  while (marks.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 30));
}

/** Holds a port as another program would. */
export async function holdPort(port: number): Promise<AsyncDisposable> {
  const server = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) };
}
