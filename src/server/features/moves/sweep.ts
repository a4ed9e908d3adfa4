import { minuteMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Logger } from '#kernel/logger.ts';
import { holds, rightsOfRole, type Scope, standingOf } from '#kernel/scope.ts';
import { type CheckingDeps, createChecking } from './checking.ts';
import { createDnsSteps, type DnsStepsDeps, heldMs, waitMs } from './dns-steps.ts';
import type { Line } from './line.ts';
import * as repo from './moves.repo.ts';
import { nextStep, noAuthorText } from './moves.rules.ts';

export interface SweepDeps extends CheckingDeps, DnsStepsDeps {
  systemDb: Db;
  clock: Clock;
  logger: Logger;
}

/** Lines that one job looks at beside each other. */
const beside = 4;
/** Of one job: the next goes on, so that other jobs and a process that stops have their turn. */
export const linesOfJob = 40;

/** Looks at every line that is due: checks it, or takes it one step further. Each step may be taken twice. */
export function createSweep(deps: SweepDeps) {
  const { systemDb, clock, logger } = deps;
  const checking = createChecking(deps);
  const steps = createDnsSteps(deps, checking);
  const system = <T>(act: Parameters<typeof systemTransaction<T>>[1]) => systemTransaction(systemDb, act);
  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  /** Takes an ordered line one step further; says when it is looked at next. */
  async function follow(scope: Scope | null, line: Line): Promise<repo.Progress> {
    const domain = await system((tx) => repo.domainOf(tx, line.organisationId, line.address));
    switch (nextStep(line, domain ?? null, clock.now())) {
      case 'give-up':
        return { nextAt: null };
      case 'wait':
        return { nextAt: later(domain?.status === 'transferring' ? waitMs : minuteMs) };
      case 'read-again':
        return steps.readAgain(scope, line);
      case 'stage':
        if (!scope) return heldByNobody();
        return steps.stage(scope, line);
      case 'switch':
        if (!scope) return heldByNobody();
        return steps.takeOver(scope, line, domain?.nameservers ?? []);
      case 'compare':
        return steps.compare(line, line.switchedAt ? deps.managed : (domain?.nameservers ?? []));
    }
  }

  const heldByNobody = () => ({ held: noAuthorText, nextAt: later(heldMs) });

  async function look({ id, until }: { id: string; until: Date }): Promise<void> {
    const taken = await system((tx) => repo.takenLine(tx, id));
    if (!taken) return;
    const { line, author } = taken;
    const scope = scopeOf(line.organisationId, author);
    if (line.state === 'unchecked') {
      const at = clock.now();
      const found = scope ? await checking.check(scope, line) : uncheckedOfNobody;
      failpoint('moves.checked');
      await system((tx) => repo.recordCheck(tx, { id, until }, { ...found, at }));
    } else if (line.state === 'ordered') {
      const done = await follow(scope, line);
      await system((tx) => repo.recordProgress(tx, { id, until }, done));
    } else {
      await system((tx) => repo.postpone(tx, { id, until }, null));
    }
  }

  /** Organizations take turns, a line each; where the last turn of this process ended. */
  let served: string | null = null;

  async function sweep(): Promise<void> {
    let left = linesOfJob;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        const taken = await system((tx) => repo.takeDue(tx, clock.now(), served));
        if (!taken) return;
        served = taken.organisationId;
        await look(taken).catch(async (error: unknown) => {
          logger.error({ err: error, lineId: taken.id }, 'a line of a move');
          await system((tx) => repo.postpone(tx, taken, later(minuteMs)));
        });
      }
    };
    await Promise.all(Array.from({ length: beside }, work));
    await system(async (tx) => {
      if (await repo.isAnyDue(tx, clock.now())) await repo.sweepSoon(tx);
    });
  }

  return sweep;
}

const uncheckedOfNobody: Omit<repo.Found, 'at'> = {
  facts: {
    ...{ hindrance: { kind: 'nobody', text: '' }, priceCents: null, nameservers: null, signed: false },
    ...{ registrar: null, expiresAt: null },
  },
  ...{ zone: null, dns: 'keep' },
};

/** What a person asked for is done in their name, with what they may do now; null: they may not order any more. */
function scopeOf(organisationId: string, { id, email, ...access }: repo.Author): Scope | null {
  const standing = access.hasLeft ? null : standingOf(access);
  const scope = standing && {
    ...{ ...standing, organisationId, userId: id, email, ip: null, requestId: 'moves', rights: rightsOfRole },
  };
  return scope && holds(scope, 'orders.purchase') ? scope : null;
}
