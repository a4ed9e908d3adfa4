import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const tied = pathToFileURL(join(import.meta.dirname, 'tied.ts')).href;
/** What `node` is given for a child that ends when the start command is gone. */
export const nodeArguments = (...args: string[]) => ['--import', tied, ...args];

const rotateBytes = 10 * 1024 * 1024;
/** How often the log of a child that runs for months is looked at. */
const lookAtLogEveryMs = 600_000;
const steadyMs = 60_000;
const longestPauseMs = 15_000;

export interface ChildOptions {
  /** For people: `portal`, `sandbox`. */
  name: string;
  /** After `node`: flags, script, arguments. */
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Where it writes; null: to our own output. */
  logFile: string | null;
  /** Resolves when the child serves. It is asked again after each restart. */
  whenReady: (life: Life) => Promise<void>;
  /** How long it may take to end by itself when asked to. */
  graceMs: number;
  onProgress: (text: string) => void;
  onSpawn: (pid: number) => void;
}

export interface Life {
  /** Aborts when the child has ended. */
  ended: AbortSignal;
  /** What the child has written to its log file so far. */
  said(): string;
}

export interface SupervisedChild {
  stop(): Promise<void>;
}

/**
 * Starts a child and waits until it serves. If it ends later without having been asked to, it is started again, after
 * a pause that grows with each failure. A child that does not even serve once is an error.
 */
export async function superviseChild(options: ChildOptions): Promise<SupervisedChild> {
  let stopping = false;
  let failures = 0;
  let child: ChildProcess | null = null;
  let pause: NodeJS.Timeout | null = null;

  const live = async (first: boolean): Promise<void> => {
    const life = spawnOnce(options, first);
    child = life.child;
    const beganAt = Date.now();
    const ended = new AbortController();
    void life.exited.then(() => ended.abort());
    const ready = options.whenReady({ ended: ended.signal, said: life.said });
    if (first) {
      const dead = life.exited.then(() => Promise.reject(couldNotStart(options, life.said())));
      await Promise.race([ready, dead]);
    } else {
      ready.then(
        () => options.onProgress(`the ${options.name} is up again`),
        () => undefined,
      );
    }
    void life.exited.then((how) => {
      if (stopping) return;
      failures = Date.now() - beganAt > steadyMs ? 1 : failures + 1;
      const waitMs = Math.min(longestPauseMs, 250 * 2 ** (failures - 1));
      options.onProgress(
        `the ${options.name} ended unexpectedly (${how}); starting it again in ${waitMs} ms`,
      );
      pause = setTimeout(() => void live(false), waitMs);
    });
  };

  const { logFile } = options;
  const rotating = logFile ? setInterval(() => shortenLog(logFile), lookAtLogEveryMs).unref() : undefined;
  const stop = async () => {
    stopping = true;
    clearInterval(rotating);
    if (pause) clearTimeout(pause);
    if (child) await endChild(child, options.graceMs);
  };
  try {
    await live(true);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

interface Spawned {
  child: ChildProcess;
  /** Says how it ended. */
  exited: Promise<string>;
  said(): string;
}

function spawnOnce(options: ChildOptions, first: boolean): Spawned {
  const env = { ...options.env };
  // A fail point kills one life only: the next one has to recover from it.
  if (!first) delete env.FAILPOINT;
  const { logFile } = options;
  const output = logFile ? openLog(logFile) : 'inherit';
  const offset = logFile ? statSync(logFile).size : 0;
  const child = spawn(process.execPath, nodeArguments(...options.args), {
    // Of its own process group: Ctrl-C reaches only the start command, which stops everything in order.
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
    cwd: options.cwd,
    env,
  });
  child.channel?.unref();
  if (typeof output === 'number') closeSync(output);
  if (child.pid !== undefined) options.onSpawn(child.pid);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  const said = () => (logFile ? readFileSync(logFile).subarray(offset).toString() : '');
  return { child, exited, said };
}

function openLog(file: string): number {
  if (existsSync(file) && statSync(file).size > rotateBytes) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

/**
 * The child keeps the file open and writes at its end, so its contents are copied away and the file begins at zero again. What is
 * written between the two steps is lost. The log lies beside the database, and must not fill its disk.
 */
export function shortenLog(file: string, longest = rotateBytes): void {
  if (!existsSync(file) || statSync(file).size <= longest) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}

function couldNotStart(options: ChildOptions, said: string): Error {
  if (!options.logFile) return new Error(`The ${options.name} could not start.`);
  const lines = said.trimEnd().split('\n').slice(-20).join('\n');
  return new Error(
    `The ${options.name} could not start. Its last words (all in ${options.logFile}):\n${lines}`,
  );
}

async function endChild(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await exited;
  clearTimeout(timer);
}

/** Asks an address until it answers well. */
export function answers(url: string): (life: Life) => Promise<void> {
  return async ({ ended }) => {
    while (!ended.aborted) {
      if (await answersWell(url)) return;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    throw new Error(`${url} did not answer`);
  };
}

/** One question by hand: Node's clients for HTTP take 10 MB, which this process would keep (decision 319). */
function answersWell(url: string): Promise<boolean> {
  const { host, hostname, port, pathname } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const end = (isWell: boolean) => {
      socket.destroy();
      resolve(isWell);
    };
    socket.setTimeout(2_000, () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('data', (chunk) => end(/^HTTP\/1\.1 2\d\d /.test(chunk.toString('latin1'))));
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}
