import type { RecoveryStep } from '#contracts/values/recovery-steps.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { inBackground, withFairnessKey } from '#kernel/fairness.ts';
import type { Logger } from '#kernel/logger.ts';
import { type AdoptingDeps, createAdopting, type Report } from './adopting.ts';
import { createProgress } from './progress.ts';
import { insertFinding } from './recovery.repo.ts';
import { type StepDeps, steps } from './steps.ts';

export interface ComparingDeps extends AdoptingDeps, Omit<StepDeps, 'registrar' | 'takeUp'> {
  db: Db;
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  newId: (nowMs?: number) => string;
  registrar: AdoptingDeps['registrar'] & StepDeps['registrar'];
  /** So long a process that compares is waited for. */
  heldSeconds: number;
}

interface Running {
  id: string;
  holder: string;
  since: Date;
  /** Where an earlier process was. */
  step: RecoveryStep;
}

/**
 * Asks registrar and payment provider about everything since the database knew it all, and writes down what they have.
 * Reads outside, writes inside; each part bears a repeat, so that a crash anywhere costs time alone.
 */
export function createComparing(deps: ComparingDeps) {
  const { systemDb, clock, logger } = deps;
  const takeUp = createAdopting(deps);

  return async ({ id, holder, since, step: last }: Running): Promise<void> => {
    const report: Report = async (finding) => {
      const now = clock.now();
      const row = { ...finding, id: deps.newId(now.getTime()), recoveryId: id, now };
      await systemTransaction(systemDb, (tx) => insertFinding(tx, row));
      logger.warn({ ...finding }, 'recovery found a difference');
    };
    const names = Object.keys(steps) as RecoveryStep[];
    for (const step of names.slice(Math.max(0, names.indexOf(last)))) {
      const run = steps[step];
      const progress = createProgress(deps, { id, holder, step });
      try {
        await progress.begin();
        failpoint('recovery.step', step);
        await inBackground(() =>
          withFairnessKey('recovery', () => run({ ...deps, takeUp }, { since, report, progress })),
        );
        await progress.end();
      } finally {
        progress.stop();
      }
    }
  };
}
