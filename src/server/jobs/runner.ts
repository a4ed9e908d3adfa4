import { EventEmitter } from 'node:events';
import {
  parseCronItems,
  run,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker';
import type { Logger } from '#kernel/logger.ts';
import { createOrphans } from './orphans.ts';

/** A job: gets its payload, throws to be tried again with back-off. */
export type Task = (payload: Record<string, unknown>) => Promise<void>;

export interface RunnerOptions {
  /** Owner's login: the job tables are nobody else's. */
  databaseUrl: string;
  concurrency: number;
  tasks: Record<string, Task>;
  /** When which task starts by itself: `minute hour day month weekday` in UTC. */
  schedule: readonly { task: string; match: string }[];
  /** Nets that are cast at once, too: what a crash or an outage lost is not left to the clock. */
  atStart: readonly string[];
  logger: Logger;
}

/** Runs the jobs of this process until stopped. A job that is under way when it stops is waited for. */
export async function startRunner(options: RunnerOptions): Promise<{ stop(): Promise<void> }> {
  const { logger } = options;
  const taskList: TaskList = Object.fromEntries(
    Object.entries(options.tasks).map(([name, task]) => [
      name,
      async (payload: unknown) => {
        const startedAt = performance.now();
        await task((payload ?? {}) as Record<string, unknown>);
        logger.debug({ task: name, ms: Math.round(performance.now() - startedAt) }, 'job done');
      },
    ]),
  );
  const orphans = createOrphans({ databaseUrl: options.databaseUrl, logger });
  await orphans.release();
  const events: WorkerEvents = new EventEmitter();
  const started = new Promise<string>((resolve) =>
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id)),
  );
  const runner = await run({
    events,
    connectionString: options.databaseUrl,
    concurrency: options.concurrency,
    noHandleSignals: true,
    pollInterval: 2_000,
    maxPoolSize: Math.max(4, options.concurrency + 2),
    taskList,
    parsedCronItems: parseCronItems(
      options.schedule.map((item) => ({ ...item, options: { backfillPeriod: periodMsOf(item.match) } })),
    ),
    logger: new WorkerLogger((scope) => (level, message, meta) => {
      const text = { job: scope.taskIdentifier, meta };
      if (level === 'error') logger.error(text, message);
      else if (level === 'warning') logger.warn(text, message);
      else logger.debug(text, message);
    }),
  });
  await orphans.watch(await started);
  for (const task of options.atStart) await runner.addJob(task, {}, { jobKey: `start:${task}` });
  return {
    async stop() {
      await runner.stop();
      await orphans.stop();
    },
  };
}

/**
 * How often a schedule comes round. What an outage has missed is started once when the worker is back, and not only when
 * its next time comes: a reminder of 08:09 is not a day late because of a restart at 08:08.
 */
export function periodMsOf(match: string): number {
  const minuteMs = 60_000;
  const [minute = '', hour = '', ...days] = match.split(' ');
  if (days.some((part) => part !== '*') || !/^(\d+|\*)$/.test(hour))
    throw new Error(`"${match}" is neither every few minutes, nor hourly, nor daily`);
  if (hour !== '*') return 1_440 * minuteMs;
  const every = /^\*(?:\/(\d+))?$/.exec(minute);
  return (every ? Number(every[1] ?? 1) : 60) * minuteMs;
}
