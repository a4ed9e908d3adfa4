import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { buildWhenStale } from '../src/start/builds.ts';
import { turnOf } from '../tests/support/turn.ts';
import { ensureChromium, installFromDebian } from './browser.ts';
import { typeErrors } from './type-errors.ts';

/**
 * `npm test`: everything, in the order in which a fault is found soonest. `--only=check|tests|browser` runs a part. What takes longest
 * takes turns (tests/support/turn.ts); `--whole` runs all, and so do names of files; `TEST_TURN` asks for one share.
 */

const root = join(import.meta.dirname, '..');
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length);
const rest = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('--only=') && argument !== '--whole');

const isWhole = process.argv.includes('--whole') || rest.length > 0;
/** Null: all of it. */
const turn = isWhole ? null : Number(process.env.TEST_TURN ?? turnOf(headHash()));
const turnVariable = { TEST_TURN: turn === null ? '' : String(turn) };

interface Count {
  passed: number;
  failed: number;
}

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

interface PlaywrightSuite {
  specs?: {
    file: string;
    line: number;
    title: string;
    ok: boolean;
    tests: { results: { error?: { message?: string } }[] }[];
  }[];
  suites?: PlaywrightSuite[];
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: PlaywrightSuite[];
}

const formatsByItself = '`npx biome check --write FOLDER` formats, and sorts imports';
const total: Count = { passed: 0, failed: 0 };
const failures: string[] = [];
const results = await mkdtemp(join(tmpdir(), 'nameward-results-'));
try {
  // First, because it may have to be installed and takes longest to fail.
  const chromium = !only || only === 'browser' ? ensureChromium() : null;
  if (!only || only === 'tests') ensurePrograms();
  if (!only || only === 'check') await checks();
  // Before, because both run it.
  if (only !== 'check') await build();
  // Side by side: each of the two spends half of its time waiting for processes to start, to stop or to answer.
  await Promise.all([!only || only === 'tests' ? tests() : null, chromium ? browser(chromium) : null]);
} catch (error) {
  total.failed += 1;
  failures.push(error instanceof Error ? error.message : String(error));
} finally {
  await rm(results, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAILED  ${failure}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** Side by side: the types keep one core busy for as long as all others together keep the other one. */
async function checks(): Promise<void> {
  await Promise.all([checkTypes(), checkTheRest()]);
}

async function checkTheRest(): Promise<void> {
  await check('format and lint', 'biome', ['check', '--error-on-warnings'], formatsByItself);
  // Beside the other rules, because it needs the types of every file.
  const promises = [
    'lint',
    '--diagnostic-level=error',
    '--config-path=tools/promises.biome.json',
    'src',
    'tests',
    'tools',
    'bench',
  ];
  await check('no promise is forgotten', 'biome', promises);
  await check('no dead code, no unused packages', 'knip', ['--no-progress']);
}

async function check(title: string, command: string, args: string[], remedy?: string): Promise<void> {
  const lines: string[] = [];
  const keep = (line: string) => void lines.push(line);
  const code = await run(command, args, {}, keep, keep);
  heading(title);
  for (const line of lines) console.log(line);
  if (code === 0) total.passed += 1;
  else fail([`${title} (${command} ${args.join(' ')})`, ...(remedy ? [remedy] : [])].join(': '));
}

/** One faulty operation makes every call of the web app unknown: errors in the contract are shown first, and alone. */
async function checkTypes(): Promise<void> {
  const lines: string[] = [];
  // Each checker reads most of the types again: two take half as much again of processor and memory, and no less time.
  const args = ['--noEmit', '--pretty', 'false', '--checkers', '1'];
  const code = await run('tsc', args, {}, (line) => lines.push(line));
  heading('types');
  if (code === 0) {
    total.passed += 1;
    return;
  }
  const { shown, hidden } = typeErrors(lines);
  for (const line of shown) console.log(line);
  if (hidden > 0) console.log(`${hidden} more below other folders, which may follow from these`);
  fail('types (tsc --noEmit)');
}

async function build(): Promise<void> {
  heading('build');
  await buildWhenStale(root, (text) => console.log(`${text} …`));
}

function ensurePrograms(): void {
  // Exported zones are judged by BIND's own checker; without it that one test is left out.
  // The poolers and proxies of docs/operations.md are tried as they stand there.
  const programs = {
    'named-checkzone': 'bind9-utils',
    '/usr/sbin/pgbouncer': 'pgbouncer',
    '/usr/sbin/nginx': 'nginx',
    // Certificates by ACME are judged by the clients that people use.
    // Domains that moved are asked about with it, before and after.
    dig: 'bind9-dnsutils',
    certbot: 'certbot',
    lego: 'lego',
    uacme: 'uacme',
    dehydrated: 'dehydrated',
  };
  const missing = Object.entries(programs).filter(([program]) => spawnSync(program, ['--version']).error);
  if (missing.length > 0) installFromDebian(missing.map(([, name]) => name));
}

/** Of the commit that is tested; any other where there is no history. */
function headHash(): string {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return /^[0-9a-f]{40}/.exec(stdout ?? '')?.[0] ?? Date.now().toString(16).slice(-8);
}

function saidOfTurn(): string {
  return turn === null ? '' : `, turn ${turn} of what takes turns (TEST_TURN=${turn} repeats it)`;
}

async function tests(): Promise<void> {
  heading(`tests without and with a database${saidOfTurn()}`);
  const file = join(results, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await run('vitest', ['run', ...reporters, ...rest], turnVariable);
  const report = await read<VitestReport>(file);
  add('tests (vitest run)', code, {
    passed: report?.numPassedTests ?? 0,
    failed: report?.numFailedTests ?? 0,
  });
  for (const { name, status, message, assertionResults } of report?.testResults ?? []) {
    const failed = assertionResults.filter((one) => one.status === 'failed');
    for (const { fullName, failureMessages } of failed) {
      detail(`${relative(root, name)} › ${fullName}`, failureMessages[0]);
    }
    // It could not be loaded, or what it prepares for all of its tests failed.
    if (status === 'failed' && failed.length === 0) detail(relative(root, name), message);
  }
}

async function browser(chromium: string): Promise<void> {
  heading(`tests in a real browser${saidOfTurn()}`);
  const file = join(results, 'playwright.json');
  const code = await run('playwright', ['test', '--pass-with-no-tests', '--reporter=list,json', ...rest], {
    ...turnVariable,
    CHROMIUM_PATH: chromium,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  });
  const report = await read<PlaywrightReport>(file);
  // A test that passes only on its second run counts as failed.
  add('tests in a browser (playwright test)', code, {
    passed: report?.stats.expected ?? 0,
    failed: (report?.stats.unexpected ?? 0) + (report?.stats.flaky ?? 0),
  });
  for (const suite of report?.suites ?? []) browserDetails(suite);
}

function browserDetails(suite: PlaywrightSuite): void {
  for (const { file, line, title, ok, tests } of suite.specs ?? []) {
    if (!ok) detail(`${file}:${line} › ${title}`, tests[0]?.results[0]?.error?.message);
  }
  for (const inner of suite.suites ?? []) browserDetails(inner);
}

/** Which test failed and with what, once more at the end: what was printed on the way is thousands of lines above. */
function detail(test: string, message = ''): void {
  const plain = stripVTControlCharacters(message).split('\n').slice(0, 12).join('\n          ');
  failures.push(`  ${test}\n          ${plain}`);
}

/** A program that fails without a failed test (a crash, a file that cannot be loaded) counts as one failure. */
function add(title: string, code: number, count: Count): void {
  const failed = code !== 0 && count.failed === 0 ? 1 : count.failed;
  total.passed += count.passed;
  total.failed += failed;
  if (failed > 0) failures.push(title);
}

function fail(title: string): void {
  total.failed += 1;
  failures.push(title);
}

function heading(text: string): void {
  console.log(`\n--- ${text}`);
}

async function read<T>(file: string): Promise<T | null> {
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as T) : null;
}

function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
  out: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
  errors: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules', '.bin', command), args, {
      cwd: root,
      // Line by line, since two may write at once: none of them draws over what the other one has written.
      stdio: ['inherit', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
      env: { ...process.env, ...env },
    });
    eachLine(child.stdout, out);
    eachLine(child.stderr, errors);
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function eachLine(from: Readable, take: (line: string) => void): void {
  createInterface({ input: from }).on('line', take);
}
