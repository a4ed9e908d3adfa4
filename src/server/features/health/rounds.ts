import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import { organisationsAt } from '#kernel/slices.repo.ts';
import type { Probe } from '../../ports/probe.ts';
import type { Rdap } from '../../ports/rdap.ts';
import type { Resolver } from '../../ports/resolver.ts';
import { sparingly } from './asking.ts';
import { evidenceText } from './evidence.rules.ts';
import { gatherFacts } from './facts.ts';
import * as repo from './health.repo.ts';
import { verdictsOn } from './health.rules.ts';
import { gently, slowly } from './probing.ts';

export interface RoundsDeps {
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  resolver: Resolver;
  probe: Probe;
  rdap: Rdap;
  /** Hosts whose zones the portal writes. */
  managed: readonly string[];
  /** The operator's switch. */
  enabled: boolean;
}

/** Domains that one round takes, and that are looked at beside each other. */
const mostInRound = 64;
const beside = 16;
/** A server that is told to end waits for its jobs, but not for long: after this the next job goes on, here or in another process. */
const mostMs = 5_000;

/** Rounds over all domains that are due: what DNS says of each, and what that changes. */
export function createRounds(deps: RoundsDeps) {
  const { systemDb, clock, logger } = deps;
  const asking = sparingly(deps.resolver);
  const probe = gently(deps.probe);
  const rdap = slowly(deps.rdap);

  /** One domain: what DNS says, then the difference, in one transaction. */
  async function check(place: repo.Claimed): Promise<void> {
    const { managed } = deps;
    const now = clock.now();
    const own = await systemTransaction(systemDb, (tx) =>
      place.watched ? repo.watchedFacts(tx, place, now) : repo.ownFacts(tx, place, { managed, now }),
    );
    if (!own) return;
    const facts = await gatherFacts({ resolver: asking.of(own.address), probe, rdap }, own, clock.now());
    const verdicts = [...verdictsOn(facts)];
    await systemTransaction(systemDb, async (tx) => {
      if (place.watched && !(await repo.noteRegistration(tx, place, facts.registration))) return;
      await repo.recordVerdicts(tx, place, {
        found: verdicts.flatMap(([kind, verdict]) =>
          typeof verdict === 'string' ? { kind, detail: evidenceText(verdict) } : [],
        ),
        cleared: verdicts.flatMap(([kind, detail]) => (detail === null ? kind : [])),
        now: clock.now(),
      });
    });
  }

  /** All that is due, a few seconds of it in one job. What fails is taken again after a few minutes. */
  async function sweep(): Promise<void> {
    if (!deps.enabled) return;
    const endsAt = clock.now().getTime() + mostMs;
    await systemTransaction(systemDb, async (tx) => {
      const { ids } = await organisationsAt(tx, clock.now());
      await repo.planNew(tx, ids, clock.now());
    });
    for (;;) {
      const due = await systemTransaction(systemDb, (tx) => repo.takeDue(tx, clock.now(), mostInRound));
      const isLast = due.length < mostInRound;
      const runners = Array.from({ length: beside }, async () => {
        for (let place = due.shift(); place; place = due.shift()) {
          const where = place;
          await check(where).catch((error: unknown) => logger.error({ err: error, ...where }, 'health'));
        }
      });
      await Promise.all(runners);
      if (isLast) return;
      if (clock.now().getTime() >= endsAt) return goOn();
    }
  }

  function goOn(): Promise<void> {
    return systemTransaction(systemDb, (tx) => enqueueJob(tx, 'health.sweep', {}, { key: 'health.sweep' }));
  }

  return { sweep };
}
