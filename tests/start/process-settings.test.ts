import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serverProgram } from '../../src/start/programs.ts';
import { preparePrograms } from '../support/compile-cache.ts';
import { documented } from '../support/documented.ts';
import { eventually } from '../support/eventually.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** What makes a process of the portal small and quick holds in each way of running it that is documented (docs/operations.md). */

const root = join(import.meta.dirname, '../..');
const names = [
  ...['NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_MMAP_THRESHOLD_'],
  'NODE_COMPILE_CACHE',
];
/** Each life of the process says its number and what it was started with. */
const told = 'data:text/javascript,console.log(JSON.stringify([process.pid,process.env]))';

let dir: string;
let stack: Stack;
beforeAll(async () => {
  await preparePrograms();
  dir = await mkdtemp(join(tmpdir(), 'nameward-settings-'));
  stack = await startStack();
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

function clean(env: Record<string, string>): NodeJS.ProcessEnv {
  const bare = Object.entries(process.env).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(bare), ...env };
}

function livesIn(output: string) {
  const lines = output.split('\n').filter((line) => line.startsWith('['));
  return lines.map((line) => JSON.parse(line) as [pid: number, env: NodeJS.ProcessEnv]);
}

/** A server that refuses its settings: all that comes before has happened. */
function lives(env: Record<string, string>, ...flags: string[]) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--import', told, ...flags, serverProgram],
    {
      ...{ cwd: root, encoding: 'utf8' },
      env: clean({ PORT: 'none', ...env }),
    },
  );
  return { seen: livesIn(stdout), stderr, status };
}

test('a process takes its program once more with them, by the same number, and keeps its flags', () => {
  const { seen, status, stderr } = lives({ DATA_DIR: dir }, '--no-warnings');
  const [first, second, ...more] = seen;
  expect(more).toEqual([]);
  expect(second?.[0]).toBe(first?.[0]);
  expect(names.map((name) => second?.[1][name])).toEqual([
    ...['--max-semi-space-size=32', '2', '131072', '32768'],
    join(dir, 'compile-cache'),
  ]);
  // In words, and nothing of the program.
  expect([status, stderr]).toEqual([1, 'These settings cannot be used:\n  PORT: must be a whole number\n']);
});

test('the compiled program is there for the next start', async () => {
  lives({ DATA_DIR: join(dir, 'kept') });
  const [versions = ''] = await readdir(join(dir, 'kept/compile-cache'));
  expect(await readdir(join(dir, 'kept/compile-cache', versions))).not.toEqual([]);
});

test('a folder that cannot be written fails no start', async () => {
  await writeFile(join(dir, 'no-folder'), '');
  const { seen, stderr } = lives({ DATA_DIR: join(dir, 'no-folder') });
  expect(seen).toHaveLength(2);
  expect(stderr).toContain('PORT');
});

test('where the process may not take its program again, it goes on as it is', () => {
  const { seen, stderr } = lives({ DATA_DIR: dir }, '--permission', '--allow-fs-read=*');
  expect(seen).toHaveLength(1);
  expect(stderr).toContain('PORT');
});

test('as "npm run serve" and as a unit it runs with them, and SIGTERM ends it with code 0 and nothing left', async () => {
  const scripts = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).scripts as { serve: string };
  const unit = /^ExecStart=\/opt\/nameward\/(.+)$/m.exec(documented('nameward@.service'))?.[1] ?? '';
  for (const command of [scripts.serve, unit]) {
    const [program = '', ...args] = command.split(' ');
    const child = spawn(program === 'node' ? process.execPath : join(root, program), args, {
      ...{ cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
      env: clean({ ...stack.settings, LOG_LEVEL: 'info', DATA_DIR: dir, NODE_OPTIONS: `--import ${told}` }),
    });
    let log = '';
    child.stdout?.on('data', (chunk: Buffer) => (log += String(chunk)));
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
    try {
      await eventually(() => expect(log).toContain('portal is listening'));
      const [pid, env] = livesIn(log).at(-1) ?? [0, {}];
      expect([env.MALLOC_ARENA_MAX, env.NODE_OPTIONS]).toEqual([
        '2',
        `--max-semi-space-size=32 --import ${told}`,
      ]);
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    } finally {
      child.kill('SIGTERM');
    }
  }
});

test('the image brings the compiled program: its last step makes it', async () => {
  const image = await readFile(join(root, 'Containerfile'), 'utf8');
  const [, cache = '', step = ''] =
    /^ENV NODE_COMPILE_CACHE=\/app\/(\S+)\n(?:#.*\n)*RUN (.+)$/m.exec(image) ?? [];
  for (const folder of ['dist', 'node_modules', 'package.json'])
    await symlink(join(root, folder), join(dir, folder));
  const made = spawnSync('sh', ['-c', step], {
    ...{ cwd: dir, encoding: 'utf8' },
    env: clean({ NODE_COMPILE_CACHE: join(dir, cache) }),
  });
  expect([made.status, made.stderr]).toEqual([0, '']);
  expect(made.stdout).toContain(`${cache}/v24`);
  // A step that compiles nothing must not pass for one that does.
  await rm(join(dir, 'dist'));
  await rm(join(dir, cache), { recursive: true });
  expect(spawnSync('sh', ['-c', step], { cwd: dir }).status).not.toBe(0);
});
