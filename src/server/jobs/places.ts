import type { WorkerEvents } from 'graphile-worker';
import { ownerFlagOf, refusedFlags } from '#kernel/job-turns.rules.ts';

/**
 * Which jobs may not be taken now, for the library to ask before it takes one. One job is taken after the other: ten that are
 * taken at the same moment would know nothing of each other, and be one organization's.
 */
export function createPlaces(events: WorkerEvents, places: number): () => Promise<string[]> {
  /** How many jobs run, by whose they are; each job of nobody in particular counts under its kind. */
  const running = new Map<string, number>();
  let taking = Promise.resolve();
  let taken: (() => void) | null = null;
  const count = (flags: Parameters<typeof ownerFlagOf>[0], by: 1 | -1) => {
    const flag = ownerFlagOf(flags) ?? 'of:';
    const now = (running.get(flag) ?? 0) + by;
    if (now > 0) running.set(flag, now);
    else running.delete(flag);
  };
  events.on('job:start', ({ job }) => {
    count(job.flags, 1);
    taken?.();
  });
  events.on('job:complete', ({ job }) => count(job.flags, -1));
  events.on('worker:getJob:empty', () => taken?.());
  events.on('worker:getJob:error', () => taken?.());
  return async () => {
    const before = taking;
    taking = new Promise((resolve) => {
      void before.then(() => {
        taken = resolve;
      });
    });
    await before;
    return refusedFlags(running, places);
  };
}
