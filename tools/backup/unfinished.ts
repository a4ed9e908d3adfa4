import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
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

/** A folder that is gone afterwards: it holds data in the clear. What a killed process has left there goes first. */
export async function inFolder<T>(
  place: string,
  kind: 'backup' | 'restore',
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await clearAfterKilled(place);
  const { pid, began } = markOf(process.pid);
  const folder = await mkdtemp(join(place, `.${kind}-${pid}-${began ?? 0}-`));
  try {
    return await work(folder);
  } finally {
    await clear(folder);
  }
}

async function clearAfterKilled(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const [, pid, began] = /^\.(?:backup|restore)-(\d+)-(\d+)-/.exec(name) ?? [];
    if (!pid || isRunning({ pid: Number(pid), began: began === '0' ? null : (began ?? null) })) continue;
    await clear(join(place, name));
  }
}

async function clear(folder: string): Promise<void> {
  await stopServerOf(join(folder, 'database', 'cluster'));
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
