import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { firstScreenScripts } from '../tests/support/first-screen.ts';
import { ensureChromium } from '../tools/browser.ts';
import { type Memory, memoryOf } from './memory.ts';
import { median, type Result } from './result.ts';
import { pause, type RunningProgram, runNode, type Stand, startPortal, temporaryFolder } from './stand.ts';

const starts = 3;
const targetMs = 3_000;
const firstStartWithinMs = 300_000;
const targetBytes = 150_000;
const targetWebMs = 1_000;
const targetMb = 50;

/** What `npm start` does on an installed clone, and what its first screen loads. */
export async function measureStartUp(): Promise<Result[]> {
  await using stack = new AsyncDisposableStack();
  const dir = stack.adopt(await temporaryFolder(), (folder) => rm(folder, { recursive: true, force: true }));
  const first = await startOnce(dir);
  const scripts = await stopAfter(first, () => measureFirstScreen(first.url));
  const tookMs: number[] = [];
  const memory: Memory[] = [];
  for (let start = 0; start < starts; start += 1) {
    const running = await startOnce(dir);
    tookMs.push(running.tookMs);
    await stopAfter(running, async () => memory.push(memoryOf(await startCommandOf(dir))));
  }
  const middleMs = median(tookMs);
  const result: Result = {
    name: 'start of an installed clone to the first answer',
    measured: `${(middleMs / 1_000).toFixed(1)} s`,
    target: `≤ ${targetMs / 1_000} s`,
    passed: middleMs <= targetMs,
    figures: { middleMs, worstMs: Math.max(...tookMs), firstStartMs: first.tookMs },
  };
  return [result, memoryBeside(memory), scripts];
}

/** A portal's process alone, where a database is up: what an update of one of several costs. */
export async function measureWebStart(stand: Stand): Promise<Result> {
  const settings = { ...stand.settings, ROLES: 'web' };
  const tookMs: number[] = [];
  for (let start = 0; start <= starts; start += 1) {
    const beganAt = performance.now();
    await using _portal = await startPortal(settings);
    // The first one compiles.
    if (start > 0) tookMs.push(performance.now() - beganAt);
  }
  const middleMs = median(tookMs);
  return {
    name: 'start of a web process to its first answer',
    measured: `${(middleMs / 1_000).toFixed(2)} s`,
    target: `≤ ${targetWebMs / 1_000} s`,
    passed: middleMs <= targetWebMs,
    figures: { middleMs, worstMs: Math.max(...tookMs) },
  };
}

function memoryBeside(samples: readonly Memory[]): Result {
  const ownMb = median(samples.map((sample) => sample.ownMb));
  const residentMb = median(samples.map((sample) => sample.residentMb));
  return {
    name: 'memory that the start command keeps beside the portal',
    measured: `${ownMb.toFixed(0)} MB (${residentMb.toFixed(0)} MB with what it shares with other processes)`,
    target: `≤ ${targetMb} MB`,
    passed: ownMb <= targetMb,
    figures: { ownMb, residentMb },
  };
}

async function startCommandOf(dataDir: string): Promise<number> {
  const { pid } = JSON.parse(await readFile(join(dataDir, 'instance.json'), 'utf8')) as { pid: number };
  return pid;
}

interface Started {
  program: RunningProgram;
  url: string;
  tookMs: number;
}

async function startOnce(dataDir: string): Promise<Started> {
  const beganAt = performance.now();
  const program = runNode(['tools/bootstrap.mjs', '--lasting', 'node', 'src/start.ts'], {
    DATA_DIR: dataDir,
  });
  try {
    const url = await addressOf(program, beganAt);
    const reply = await fetch(url);
    if (!reply.ok) throw new Error(`${url} answered ${reply.status}`);
    await reply.arrayBuffer();
    return { program, url, tookMs: performance.now() - beganAt };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}

async function stopAfter<T>(started: Started, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await started.program[Symbol.asyncDispose]();
  }
}

/** The one address that the start command prints when all is up. */
async function addressOf(program: RunningProgram, beganAt: number): Promise<string> {
  while (!program.hasExited() && performance.now() - beganAt < firstStartWithinMs) {
    const url = /is ready after .*: (http\S+)/.exec(program.output())?.[1];
    if (url) return url;
    await pause();
  }
  throw new Error(`the start command did not become ready:\n${program.output()}`);
}

async function measureFirstScreen(url: string): Promise<Result> {
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: ['--no-sandbox'] });
  try {
    const { gzipBytes, files } = await firstScreenScripts(await browser.newPage(), url);
    return {
      name: `JavaScript of the first screen, ${files.length} files`,
      measured: `${(gzipBytes / 1_000).toFixed(0)} kB gzip`,
      target: `≤ ${targetBytes / 1_000} kB`,
      passed: files.length > 0 && gzipBytes <= targetBytes,
      figures: { gzipBytes, files: files.length },
    };
  } finally {
    await browser.close();
  }
}
