import { performance } from 'node:perf_hooks';
import { memoryUsage } from 'node:process';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pause } from './clock.ts';

const startIsOverMs = 5_000;
/** Freed pages go back to the system on another thread. */
const pagesAreBackMs = 1_000;
const lookEveryMs = 15_000;
/** A collection takes a tenth of a second: less than one request in twenty periods could notice it. */
const nearlyIdle = 0.05;
const grownByMb = 24;
/**
 * How far the old generation may grow beyond what the last collection left before the next one begins. Left to itself the engine
 * lets 35 MB grow by 3, because it does not count what it marks on other threads: a fifth of what writes took of the processor.
 */
const growingPercent = 200;

/** What a process has done since the last look, and its resident memory in MB now and after the last collection. */
export interface Rest {
  /** Of the time, from 0 to 1, in which it had work. */
  busyShare: number;
  residentMb: number;
  restMb: number;
}

/**
 * The engine looks for garbage while a process allocates. One that has just been busy and then rests keeps all that the last
 * requests left behind, 200 MB of it, for as long as nobody asks for anything.
 */
export function isWorthCollecting({ busyShare, residentMb, restMb }: Rest): boolean {
  return busyShare < nearlyIdle && residentMb >= restMb + grownByMb;
}

/**
 * Collects seldom while the process is busy, and thoroughly when it rests: what starting has left behind (loading some thousand files
 * leaves 15 MB), and from then on what a busy time has left behind. Runs until the signal; docs/decisions/0097.
 */
export async function keepMemoryLow(signal: AbortSignal): Promise<void> {
  v8.setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
  const collect = thoroughCollection();
  // Not at once, because callers that waited for the start go first.
  await pause(startIsOverMs, signal);
  while (!signal.aborted) {
    collect();
    await pause(pagesAreBackMs, signal);
    await untilWorthCollecting(residentMb(), signal);
  }
}

async function untilWorthCollecting(restMb: number, signal: AbortSignal): Promise<void> {
  let rest: Rest;
  do {
    const since = performance.eventLoopUtilization();
    await pause(lookEveryMs, signal);
    const busyShare = performance.eventLoopUtilization(since).utilization;
    rest = { busyShare, residentMb: residentMb(), restMb };
  } while (!signal.aborted && !isWorthCollecting(rest));
}

function residentMb(): number {
  return memoryUsage.rss() / 1_000_000;
}

function thoroughCollection(): () => void {
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') return () => undefined;
  // The thorough kind: compiled functions that are not in use go too.
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
