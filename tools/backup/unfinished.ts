import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { stopServerOf } from '../../src/server/kernel/db/embedded.ts';
import { isRunning, markOf } from '../../src/start/instance-lock.ts';

const ending = new AbortController();

/** Set by a signal: each step asks it before it begins, so that the work ends and clears away as it does after a failure. */
export const interrupted = ending.signal;

/** For the programs: a signal ends the work at its next step. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => ending.abort(new Error('Interrupted.')));
  }
}

/**
 * Where a process's number means this process. Another machine, or another container, may write to the same folder: whether its process
 * still runs cannot be seen here.
 */
const place = createHash('sha256').update(`${hostname()} ${processSpace()}`).digest('hex').slice(0, 8);

function processSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Stands in the name of what this process has not finished. */
const ownMark = () => {
  const { pid, began } = markOf(process.pid);
  return `${place}-${pid}-${began ?? 0}`;
};

/** Whether this name, after its beginning, has the mark of a process that was killed here. */
function isLeft(name: string, beginning: string): boolean {
  if (!name.startsWith(beginning)) return false;
  const [, where, pid, began] = /^(\w+)-(\d+)-(\d+)\./.exec(name.slice(beginning.length)) ?? [];
  return where === place && !isRunning({ pid: Number(pid), began: began === '0' ? null : (began ?? null) });
}

/** A folder that is gone afterwards: it holds data in the clear. What a killed process has left there goes first. */
export async function inFolder<T>(
  within: string,
  kind: 'backup' | 'restore',
  work: (folder: string) => Promise<T>,
): Promise<T> {
  for (const name of await readdir(within)) {
    if (isLeft(name, '.backup.') || isLeft(name, '.restore.')) await clear(join(within, name));
  }
  const folder = await mkdtemp(join(within, `.${kind}.${ownMark()}.`));
  try {
    return await work(folder);
  } finally {
    await clear(folder);
  }
}

async function clear(folder: string): Promise<void> {
  await stopServerOf(join(folder, 'database', 'cluster'));
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** The beginning of a file, which nobody else writes and which is gone afterwards. What a killed process has left of this file goes first. */
export async function inPartial<T>(target: string, work: (partial: string) => Promise<T>): Promise<T> {
  const [folder, beginning] = [dirname(target), `${basename(target)}.`];
  for (const name of await readdir(folder)) {
    if (name.endsWith('.partial') && isLeft(name, beginning)) await rm(join(folder, name), { force: true });
  }
  const partial = `${target}.${ownMark()}.partial`;
  try {
    return await work(partial);
  } finally {
    await rm(partial, { force: true });
  }
}
