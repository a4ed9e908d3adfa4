import { AppError } from '#contracts/errors.ts';
import type { RecoveryStep } from '#contracts/values/recovery-steps.ts';
import { pause } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { createFairQueue } from '#kernel/fairness.ts';
import type { Logger } from '#kernel/logger.ts';
import { UpstreamRefused } from '../../ports/outcome.ts';
import { noteProgress } from './recovery.repo.ts';
import { progressText } from './recovery.rules.ts';

/** Another process compares now, or a person has begun it again. */
export class NotMine extends Error {}

/** Questions at the same time; the limits of the registrar's account hold besides. */
const parallel = 8;
const writeEveryMs = 1_000;
const sayEvery = 100;
/** Among many thousand questions some go wrong: each is asked again before the whole step is. */
const pausesMs = [1_000, 5_000, 15_000, 60_000];
/** In a list. More are not matters of their own. */
const mostGivenUp = 20;

/** What the registrar answered, also where a feature has put it into words of its own. */
function refusalIn(error: unknown): UpstreamRefused | null {
  const said = error instanceof AppError ? error.cause : error;
  return said instanceof UpstreamRefused ? said : null;
}

export type Progress = ReturnType<typeof createProgress>;

/** Where a step is: written down once a second, which says that this process lives, too. */
export function createProgress(
  deps: { systemDb: Db; logger: Logger; heldSeconds: number },
  of: { id: string; holder: string; step: RecoveryStep },
) {
  const { systemDb, logger, heldSeconds: seconds } = deps;
  let now: [done: number, total: number | null] = [0, null];
  let lost: unknown = null;
  /** What the last answer lacked. Undefined before any answer: what an earlier try of the step has said stands. */
  let hindrance: string | null | undefined;
  const write = async () => {
    const [done, total] = now;
    const isMine = await systemTransaction(systemDb, (tx) =>
      noteProgress(tx, { ...of, done, total, hindrance, seconds }),
    );
    if (!isMine) throw new NotMine('another process compares');
  };
  const timer = setInterval(() => {
    write().catch((error: unknown) => {
      if (error instanceof NotMine) lost = error;
    });
  }, writeEveryMs);

  function at(done: number, total: number | null): void {
    if (lost) throw lost;
    now = [done, total];
    if (done > 0) hindrance = null;
    if (done > 0 && done % sayEvery === 0) {
      logger.info({ step: of.step, done: progressText(done, total) }, 'recovery goes on');
    }
  }

  return {
    begin: write,
    at,
    /**
     * Works through a list, some at a time. One that fails is tried again; when it fails for good, the step ends, and what has not begun
     * is left: its next try would ask the same beside it. What the registrar refuses to answer each time, while it answers about the rest,
     * is given up, and a person told (`givenUp`; docs/decisions/0351).
     */
    async each<T>(
      list: readonly T[],
      one: (thing: T) => Promise<void>,
      givenUp: (thing: T, error: UpstreamRefused) => Promise<void>,
      waits = pausesMs,
    ): Promise<void> {
      const turns = createFairQueue(parallel);
      let done = 0;
      let hasFailed = false;
      const refused: [T, UpstreamRefused][] = [];
      const tryIt = async (thing: T, left: readonly number[]): Promise<void> => {
        if (lost) throw lost;
        try {
          await one(thing);
        } catch (error) {
          const [waitMs, ...more] = left;
          if (waitMs === undefined) throw error;
          hindrance = error instanceof Error ? error.message : String(error);
          logger.warn({ err: error, step: of.step }, 'recovery asks once more');
          await pause(waitMs);
          return hasFailed ? undefined : tryIt(thing, more);
        }
        done += 1;
        at(done, list.length);
      };
      at(0, list.length);
      await Promise.all(
        list.map((thing) =>
          turns(async () => {
            if (hasFailed) return;
            await tryIt(thing, waits).catch((error: unknown) => {
              const refusal = refusalIn(error);
              if (refusal && refused.length < mostGivenUp) return void refused.push([thing, refusal]);
              hasFailed = true;
              throw error;
            });
          }),
        ),
      );
      const [first] = refused;
      // One that refuses everything, as with a wrong key, has answered nothing.
      if (first && done === 0) throw first[1];
      for (const [thing, error] of refused) await givenUp(thing, error);
    },
    async end(): Promise<void> {
      if (lost) throw lost;
      hindrance = null;
      await write();
      logger.info({ step: of.step, done: progressText(...now) }, 'recovery: a step is done');
    },
    stop: () => clearInterval(timer),
  };
}
