import { AppError } from '#contracts/errors.ts';
import { dayMs, minuteMs } from '#contracts/values/time.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Logger } from '#kernel/logger.ts';
import { holds, rightsOfRole, type Scope, standingOf } from '#kernel/scope.ts';
import type { DnsApi } from '../dns/index.ts';
import { isManaged } from '../domains/index.ts';
import { type CheckingDeps, createChecking } from './checking.ts';
import { differencesOf } from './comparison.ts';
import type { Line } from './line.ts';
import * as repo from './moves.repo.ts';
import { nextStep, noAuthorText } from './moves.rules.ts';

export interface SweepDeps extends CheckingDeps {
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  dns: Pick<DnsApi, 'requireServed'> & {
    zones: Pick<DnsApi['zones'], 'change' | 'publishStaged'>;
    nameservers: Pick<DnsApi['nameservers'], 'force'>;
  };
}

/** Lines that one job looks at beside each other. */
const beside = 4;
/** Of one job: the next goes on, so that other jobs and a process that stops have their turn. */
export const linesOfJob = 40;
/** The registrar's word comes by itself; this is for the case that it does not. */
const waitMs = 10 * minuteMs;
const soonMs = 15_000;
const heldMs = 10 * minuteMs;
/** After a move, answers that differ are looked at again for so long. */
const compareForMs = dayMs;
const reason = 'Moved here with its domain';

/** Looks at every line that is due: checks it, or takes it one step further. Each step may be taken twice. */
export function createSweep(deps: SweepDeps) {
  const { systemDb, clock, logger } = deps;
  const check = createChecking(deps);
  const system = <T>(act: Parameters<typeof systemTransaction<T>>[1]) => systemTransaction(systemDb, act);
  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  /** Takes an ordered line one step further; says when it is looked at next. */
  async function follow(scope: Scope | null, line: Line): Promise<Parameters<typeof repo.recordProgress>[2]> {
    const domain = await system((tx) => repo.domainOf(tx, line.organisationId, line.address));
    switch (nextStep(line, domain ?? null)) {
      case 'give-up':
        return { nextAt: null };
      case 'wait':
        return { nextAt: later(domain?.status === 'transferring' ? waitMs : minuteMs) };
      case 'stage':
        if (!scope) return heldByNobody();
        return stage(scope, line);
      case 'switch':
        if (!scope) return heldByNobody();
        return takeOver(scope, line, domain?.nameservers ?? []);
      case 'compare':
        return compare(line, line.switchedAt ? deps.managed : (domain?.nameservers ?? []));
    }
  }

  const heldByNobody = () => ({ held: noAuthorText, nextAt: later(heldMs) });

  /** Into the zone editor: before the domain has come as what waits for it, afterwards as a change like any other. */
  async function stage(scope: Scope, { address, zone, item }: Line) {
    const records = (zone?.records ?? []).map((record): ZoneChange => ({ action: 'add', record }));
    try {
      if (records.length > 0) await deps.dns.zones.change(scope, address, { records, reason });
    } catch (error) {
      return heldBy(error);
    }
    failpoint('moves.staged');
    return { staged: clock.now(), nextAt: later(item?.state === 'succeeded' ? 0 : waitMs) };
  }

  /** What a person can read; other errors are ours. */
  function heldBy(error: unknown) {
    if (!(error instanceof AppError)) throw error;
    const [first] = error.details ?? [];
    const why = first?.message ?? error.message;
    return { held: `Its DNS could not be put in order: ${why}`, nextAt: later(heldMs) };
  }

  /** Its records are served here first; then the delegation leads here. */
  async function takeOver(scope: Scope, { organisationId, address }: Line, nameservers: readonly string[]) {
    try {
      await deps.dns.zones.publishStaged({ organisationId, address });
      // Somebody else may have published it, in vain.
      await deps.dns.requireServed({ organisationId, address });
      failpoint('moves.published');
      if (!isManaged(nameservers, deps.managed)) await deps.dns.nameservers.force(scope, address);
    } catch (error) {
      return heldBy(error);
    }
    failpoint('moves.switched');
    return { switched: clock.now(), nextAt: clock.now() };
  }

  async function compare({ address, zone, item, comparedAt, transfer }: Line, servers: readonly string[]) {
    // The portal has not read its delegation yet.
    if (servers.length === 0 && item) return { nextAt: later(soonMs) };
    const differences = zone ? await differencesOf(deps.zoneSource, address, zone.records, servers) : [];
    failpoint('moves.compared');
    const now = clock.now();
    const since = transfer?.completedAt ?? comparedAt ?? now;
    const isOver = differences.length === 0 || now.getTime() - since.getTime() > compareForMs;
    return { compared: { at: now, differences }, nextAt: isOver ? null : later(heldMs) };
  }

  async function look({ id, until }: { id: string; until: Date }): Promise<void> {
    const taken = await system((tx) => repo.takenLine(tx, id));
    if (!taken) return;
    const { line, author } = taken;
    const scope = scopeOf(line.organisationId, author);
    if (line.state === 'unchecked') {
      const found = scope ? await check(scope, line) : uncheckedOfNobody;
      failpoint('moves.checked');
      await system((tx) => repo.recordCheck(tx, { id, until }, found));
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

const uncheckedOfNobody: Parameters<typeof repo.recordCheck>[2] = {
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
