import { AppError } from '#contracts/errors.ts';
import type { QueryOf } from '#contracts/operation.ts';
import type {
  BoardRow,
  CustomerHealth,
  DomainHealth,
  HealthBoard,
  HealthFinding,
  healthBoard,
} from '#contracts/operations/health.ts';
import {
  healthKinds,
  healthWeights,
  isHealthKind,
  ruleOfFinding,
  ruleOfWatched,
} from '#contracts/values/health.ts';
import { fixOf } from '#contracts/values/health-fixes.ts';
import { putOffProblem } from '#contracts/values/put-off.ts';
import { dayMs, minuteMs } from '#contracts/values/time.ts';
import { audit } from '#kernel/audit.ts';
import { type Db, inReading, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import * as repo from './health.repo.ts';
import { createRounds, type RoundsDeps } from './rounds.ts';
import { createWatching } from './watched.service.ts';

export interface HealthDeps extends RoundsDeps {
  db: Db;
}

export type HealthApi = ReturnType<typeof createHealth>;

/** As `planNew` spreads what is new. */
const plannedWithinMs = 10 * minuteMs;
const clearedKeptMs = 30 * dayMs;

/** A report that is longer is read by nobody. */
const mostReported = 1_000;

/** The order of every list: the weightiest kinds first. */
const inOrder = healthKinds
  .map((kind) => ({ kind, ...ruleOfFinding(kind) }))
  .sort((one, other) => healthWeights.indexOf(one.weight) - healthWeights.indexOf(other.weight));
const placeOf = (kind: string) => inOrder.findIndex((one) => one.kind === kind);

/** Domains as the world sees them: looked at each day and after changes, and what is wrong with them. */
export function createHealth(deps: HealthDeps) {
  const { db, systemDb, clock } = deps;

  async function get(scope: Scope, domain: string): Promise<DomainHealth> {
    const { found, rows } = await inReading(db, scope, async (tx) => {
      const found = await repo.findDomain(tx, scope, domain);
      return { found, rows: found ? await repo.findingsOf(tx, scope, found.subjectId) : [] };
    });
    if (!found) throw new AppError('not_found');
    const now = clock.now();
    const weight = (row: repo.FindingRow) => (row.clearedAt ? 1_000 : 0) + placeOf(row.kind);
    const { watched, registrar, expiresAt, customerId, customer } = found;
    return {
      watched: watched
        ? { registrar, expiresAt: expiresAt?.toISOString() ?? null, customerId, customer: customer ?? '' }
        : null,
      checkedAt: found.missing ? null : (found.checkedAt?.toISOString() ?? null),
      // One that came a moment ago is planned by the next round.
      nextAt:
        deps.enabled && !found.missing
          ? (found.nextAt ?? new Date(now.getTime() + plannedWithinMs)).toISOString()
          : null,
      findings: rows
        .filter(({ kind }) => isHealthKind(kind))
        .sort((one, other) => weight(one) - weight(other))
        .map((row) => shown(row, now)),
    };
  }

  async function askFor(scope: Scope, domain: string): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      const found = await repo.findDomain(tx, scope, domain);
      if (!found) throw new AppError('not_found');
      const { subjectId, watched } = found;
      const place = { organisationId: scope.organisationId, subjectId, watched };
      await repo.askForCheck(tx, place, clock.now());
    });
  }

  async function board(scope: Scope, query: QueryOf<typeof healthBoard>): Promise<HealthBoard> {
    const { kind, area, customerId, after, limit } = query;
    const now = clock.now();
    const whole = { kinds: inOrder, customerId, muted: query.muted === 'true', now };
    const kinds = inOrder.filter((one) => (!kind || one.kind === kind) && (!area || one.area === area));
    const [rows, counts] = await inReading(db, scope, (tx) =>
      Promise.all([
        repo.listBoard(tx, scope, { ...whole, kinds }, { after, limit: limit + 1 }),
        repo.countBoard(tx, scope, whole),
      ]),
    );
    return {
      rows: rows.slice(0, limit).map((row): BoardRow => {
        const { domain, customerId, customer } = row;
        return { ...shown(row, now), domain, watched: elsewhere(row), customerId, customer: customer ?? '' };
      }),
      more: rows.length > limit,
      counts: counts.toSorted((one, other) => placeOf(one.kind) - placeOf(other.kind)),
    };
  }

  /** What a customer is told of the own domains: open findings that are not muted, the weightiest first. */
  async function report(scope: Scope, customerId: string): Promise<CustomerHealth> {
    const now = clock.now();
    const filter = { kinds: inOrder, customerId, muted: false, now };
    return inReading(db, scope, async (tx) => {
      const [customer, rows] = await Promise.all([
        repo.findCustomer(tx, scope, customerId),
        repo.listBoard(tx, scope, filter, { limit: mostReported + 1 }),
      ]);
      if (!customer) throw new AppError('not_found');
      const findings = rows
        .slice(0, mostReported)
        .map((row) => ({ ...shown(row, now), domain: row.domain, watched: elsewhere(row) }));
      return { ...customer, madeAt: now.toISOString(), findings, more: rows.length > mostReported };
    });
  }

  async function mute(
    scope: Scope,
    id: string,
    muted: { until: string; reason: string } | null,
  ): Promise<HealthFinding> {
    const now = clock.now();
    const until = muted && new Date(muted.until);
    const message = until && putOffProblem(until, now);
    if (message) throw new AppError('validation_failed', { details: [{ path: 'muted.until', message }] });
    return inTransaction(db, scope, async (tx) => {
      const before = await repo.findFinding(tx, scope, id);
      if (!before || !isHealthKind(before.kind)) throw new AppError('not_found');
      await repo.setMute(tx, scope, id, muted && until && { until, reason: muted.reason });
      const after = await repo.findFinding(tx, scope, id);
      if (!after) throw new AppError('not_found');
      const logged = ({ kind, mutedUntil, mutedReason }: repo.FindingRow) => ({
        ...{ finding: kind, mutedUntil: mutedUntil?.toISOString() ?? null, reason: mutedReason },
      });
      await audit(tx, scope, {
        ...{ at: now, action: 'health.mute', objectKind: 'domain', object: after.domain },
        ...{ customerId: after.customerId, before: logged(before), after: logged(after) },
      });
      return shown(after, now);
    });
  }

  return {
    ...{ get, askFor, board, report, mute },
    watched: createWatching(deps),
    tasks: {
      'health.sweep': createRounds(deps).sweep,
      'health.forget': () =>
        systemTransaction(systemDb, (tx) =>
          repo.dropCleared(tx, new Date(clock.now().getTime() - clearedKeptMs)),
        ),
    },
  };
}

const elsewhere = ({ watched, registrar }: repo.FindingRow) => (watched ? { registrar } : null);

function shown(row: repo.FindingRow, now: Date): HealthFinding {
  const { id, kind, detail, mutedUntil, mutedReason } = row;
  const { area, weight, title, meaning, remedy, certainty } = row.watched
    ? ruleOfWatched(kind)
    : ruleOfFinding(kind);
  // The zone and the lock of a domain that is held elsewhere are not ours to change.
  const fix = row.watched ? null : fixOf(kind, detail);
  return {
    ...{ id, kind, area, weight, title, meaning, remedy, certainty, detail, fix },
    ...{ firstSeen: row.firstSeen.toISOString(), lastSeen: row.lastSeen.toISOString() },
    clearedAt: row.clearedAt?.toISOString() ?? null,
    muted:
      mutedUntil && mutedUntil > now ? { until: mutedUntil.toISOString(), reason: mutedReason ?? '' } : null,
  };
}
