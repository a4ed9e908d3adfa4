import { EventEmitter } from 'node:events';
import {
  parseCronItems,
  run,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker';
import { minuteMs } from '#contracts/values/time.ts';
import { pause } from '#kernel/clock.ts';
import { throughOutages } from '#kernel/db/connection-loss.ts';
import { createSteadyPool, type SteadyPool } from '#kernel/db/steady-pool.ts';
import { isWaitedFor } from '#kernel/job-turns.rules.ts';
import type { Logger } from '#kernel/logger.ts';
import { createOrphans } from './orphans.ts';
import { createPlaces } from './places.ts';

/** A job: gets its payload, throws to be tried again with back-off. */
export type Task = (payload: Record<string, unknown>) => Promise<void>;

export interface RunnerOptions {
  /** Of the system's login, past any pooler that shares connections: the runner waits for notices and holds locks. */
  databaseUrl: string;
  concurrency: number;
  tasks: Record<string, Task>;
  /** When which task starts by itself: `minute hour day month weekday` in UTC. */
  schedule: readonly { task: string; match: string }[];
  /** Nets that are cast at once, too: what a crash or an outage lost is not left to the clock. */
  atStart: readonly string[];
  logger: Logger;
  /** No runner could be started any more, for another reason than an outage. A process that does no jobs must not look as if it did. */
  onEnd: () => void;
}

/** Before a runner that ended by itself is followed by another. */
const nextRunnerPauseMs = 1_000;

/**
 * Runs the jobs of this process until stopped, through every outage of the database. A job that is under way when it
 * stops is waited for.
 */
export async function startRunner(options: RunnerOptions): Promise<Stoppable> {
  const stopping = new AbortController();
  const start = () => startOne(options, stopping.signal);
  return keepRunning(await start(), start, { ...options, stopping });
}

/** The library ends its runner when it meets what it did not expect. The jobs still have to be done: another one is started. */
export function keepRunning(
  first: OneRunner,
  start: () => Promise<OneRunner>,
  options: Pick<RunnerOptions, 'logger' | 'onEnd'> & { stopping: AbortController; pauseMs?: number },
): Stoppable {
  const { logger, onEnd, stopping, pauseMs = nextRunnerPauseMs } = options;
  let present = first;
  const follow = async () => {
    for (;;) {
      await present.ended;
      if (stopping.signal.aborted) return;
      logger.error('the job runner ended by itself; starting another');
      await present.stop();
      await pause(pauseMs, stopping.signal);
      if (stopping.signal.aborted) return;
      present = await start();
    }
  };
  const following = follow().catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    logger.fatal({ err: error }, 'no job runner could be started');
    onEnd();
  });
  return {
    async stop() {
      stopping.abort();
      await present.stop();
      await following;
    },
  };
}

interface Stoppable {
  stop(): Promise<void>;
}

export interface OneRunner extends Stoppable {
  /** Resolves when it has ended, by itself or because it was stopped. */
  ended: Promise<void>;
}

async function startOne(options: RunnerOptions, signal: AbortSignal): Promise<OneRunner> {
  const { logger, databaseUrl } = options;
  const patience = { logger, what: 'job runner', signal };
  const underWay = new Set<string>();
  const orphans = createOrphans({ databaseUrl, logger, underWay });
  await throughOutages(() => orphans.release(), patience);
  const events: WorkerEvents = new EventEmitter();
  // Its type says text, but this program reads the database's large numbers as numbers (kernel/db/database.ts).
  events.on('job:start', ({ job }) => underWay.add(String(job.id)));
  events.on('job:complete', ({ job }) => underWay.delete(String(job.id)));
  const started = new Promise<string>((resolve) =>
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id)),
  );
  const maxConnections = Math.max(4, options.concurrency + 2);
  const steady = createSteadyPool({ databaseUrl, maxConnections, logger });
  const runner = await run({
    events,
    pgPool: steady.pool,
    concurrency: options.concurrency,
    forbiddenFlags: createPlaces(events, options.concurrency),
    noHandleSignals: true,
    pollInterval: 2_000,
    taskList: taskListOf(options),
    parsedCronItems: cronItemsOf(options.schedule),
    logger: libraryLogger(logger),
  });
  const poolId = await started;
  await throughOutages(() => orphans.watch(poolId), patience);
  for (const task of options.atStart) await throughOutages(() => startOnce(steady.pool, task), patience);
  const ended = runner.promise.catch((error: unknown) => {
    logger.error({ err: error }, 'the job runner failed');
  });
  return {
    ended,
    async stop() {
      steady.giveUp();
      // It may have stopped by itself, and says so by an error.
      await runner.stop().catch(() => undefined);
      await ended;
      await orphans.stop();
      await steady.close();
    },
  };
}

/** By the function of every other job: what another process runs under this key is marked as superseded (migration 0074). */
async function startOnce(pool: SteadyPool['pool'], task: string): Promise<void> {
  await pool.query(`SELECT enqueue_job($1, '{}'::json, $2, NULL, 25, NULL, $3)`, [
    ...[task, `start:${task}`, !isWaitedFor(task)],
  ]);
}

function taskListOf({ tasks, logger }: RunnerOptions): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (payload: unknown) => {
        const startedAt = performance.now();
        await task((payload ?? {}) as Record<string, unknown>);
        logger.debug({ task: name, ms: Math.round(performance.now() - startedAt) }, 'job done');
      },
    ]),
  );
}

function libraryLogger(logger: Logger): WorkerLogger {
  return new WorkerLogger((scope) => (level, message, meta) => {
    const text = { job: scope.taskIdentifier, meta };
    if (level === 'error') logger.error(text, message);
    else if (level === 'warning') logger.warn(text, message);
    else logger.debug(text, message);
  });
}

/** As the library reads them. */
export function cronItemsOf(schedule: RunnerOptions['schedule']) {
  return parseCronItems(
    schedule.map((item) => {
      const backfillPeriod = periodMsOf(item.match);
      const maxAttempts = attemptsWithin(backfillPeriod);
      const priority = isWaitedFor(item.task) ? 0 : 1;
      return { ...item, options: { backfillPeriod, maxAttempts, priority } };
    }),
  );
}

/**
 * What fails is tried again until its next time comes, which does all of it again. Tries that last for days would do so beside one
 * another, two dozen times a period, because of one thing that fails each time.
 */
function attemptsWithin(periodMs: number): number {
  let attempts = 0;
  // The library waits for e, e² and so on up to e¹⁰ seconds after a failure (graphile-worker 0.18.0, checked 2026-11-28).
  for (let waitedMs = 0; waitedMs < periodMs; waitedMs += 1_000 * Math.exp(Math.min(10, attempts))) {
    attempts += 1;
  }
  return attempts;
}

/**
 * How often a schedule comes round. What an outage has missed is started once when the worker is back, and not only when
 * its next time comes: a reminder of 08:09 is not a day late because of a restart at 08:08.
 */
export function periodMsOf(match: string): number {
  const [minute = '', hour = '', ...days] = match.split(' ');
  if (days.some((part) => part !== '*') || !/^(\d+|\*)$/.test(hour))
    throw new Error(`"${match}" is neither every few minutes, nor hourly, nor daily`);
  if (hour !== '*') return 1_440 * minuteMs;
  const every = /^\*(?:\/(\d+))?$/.exec(minute);
  return (every ? Number(every[1] ?? 1) : 60) * minuteMs;
}
