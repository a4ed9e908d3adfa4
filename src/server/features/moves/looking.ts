import { AppError } from '#contracts/errors.ts';
import type { Move, MoveHead, MoveLine, MoveStage, MoveZone } from '#contracts/operations/moves.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { isManaged, isStuck, stepsOf, type TransferTimes } from '../domains/index.ts';
import { findHead, type Head, listHeads, type MoveListQuery } from './heads.repo.ts';
import type { Line } from './line.ts';
import * as repo from './moves.repo.ts';
import { type MoveFacts, stageOf, standingOf } from './moves.rules.ts';

export interface LookingDeps {
  db: Db;
  clock: Clock;
  /** Hosts of the managed DNS. */
  managed: readonly string[];
  transferTimes: TransferTimes;
}

/** Moves as they are shown: each line with its words. */
export function createLooking({ db, clock, managed, transferTimes }: LookingDeps) {
  const isOurs = (names: readonly string[]) => isManaged(names, managed);

  function underWay(transfer: Line['transfer']): MoveFacts['underWay'] {
    if (!transfer) return null;
    const steps = stepsOf(transfer, transferTimes);
    const current = steps.find(({ state }) => state === 'current');
    const step = current?.kind === 'approval' ? 'approval' : 'release';
    return { step, expectedBy: current?.expectedBy ?? null, late: isStuck(steps, clock.now()) };
  }

  const standing = (line: Line) =>
    standingOf(line, { isOurs, now: clock.now(), underWay: underWay(line.transfer) });

  function shown(line: Line): MoveLine {
    const { id, number, facts, zone, item } = line;
    return {
      ...{ id, number, domain: line.address, readable: line.problem === null, ...standing(line) },
      price: facts?.priceCents == null ? null : centsToUsd(facts.priceCents),
      ...{ registrar: facts?.registrar ?? null, expiresAt: facts?.expiresAt ?? null },
      ...{ dns: line.dns, nameservers: facts?.nameservers ?? [], hasCode: line.hasCode },
      zone: zone && { how: zone.how, records: zone.records.length, leftOut: zone.leftOut.length },
      orderId: item?.orderId ?? null,
    };
  }

  async function list(scope: Scope, query: MoveListQuery): Promise<{ rows: MoveHead[]; total: number }> {
    return inReading(db, scope, async (tx) => {
      const { rows: heads, total } = await listHeads(tx, scope, query);
      const ids = heads.map(({ id }) => id);
      const byMove = Map.groupBy(await repo.countSigns(tx, scope, ids), ({ moveId }) => moveId);
      return { rows: heads.map((head) => headOf(head, (byMove.get(head.id) ?? []).map(counted))), total };
    });
  }

  const counted = ({ signs, transfer, count }: repo.CountedSigns) => ({
    ...{ stage: stageOf({ ...signs, step: underWay(transfer)?.step ?? null }), count },
  });

  async function found(scope: Scope, id: string): Promise<{ head: Head; lines: Line[] }> {
    const [head, lines] = await inReading(db, scope, (tx) =>
      Promise.all([findHead(tx, scope, id), repo.linesOf(tx, scope, [id])]),
    );
    if (!head) throw new AppError('not_found');
    return { head, lines };
  }

  async function get(scope: Scope, id: string): Promise<Move> {
    const { head, lines } = await found(scope, id);
    const shownLines = lines.map(shown);
    const ready = lines.filter((_, index) => shownLines[index]?.stage === 'ready');
    const cents = ready.reduce((sum, { facts }) => sum + (facts?.priceCents ?? 0), 0);
    const counts = shownLines.map(({ stage }) => ({ stage, count: 1 }));
    return { ...headOf(head, counts), lines: shownLines, total: centsToUsd(cents) };
  }

  async function zone(scope: Scope, id: string, lineId: string): Promise<MoveZone> {
    const [line] = chosen((await found(scope, id)).lines, [lineId]);
    return {
      records: line?.zone?.records ?? [],
      leftOut: line?.zone?.leftOut ?? [],
      differences: line?.differences ?? [],
      comparedAt: line?.comparedAt?.toISOString() ?? null,
    };
  }

  return { standing, list, found, get, zone };
}
export type Looking = ReturnType<typeof createLooking>;

/** The lines that were named; one that is not of this move is unknown. */
export function chosen(lines: readonly Line[], ids: readonly string[]): Line[] {
  const named = lines.filter(({ id }) => ids.includes(id));
  if (named.length < new Set(ids).size) throw new AppError('not_found');
  return named;
}

function headOf(
  { id, customerId, customer, createdAt, by }: Head,
  stages: readonly { stage: MoveStage; count: number }[],
): MoveHead {
  const counts: MoveHead['counts'] = {};
  for (const { stage, count } of stages) counts[stage] = (counts[stage] ?? 0) + count;
  return { id, customerId, customer, createdAt: createdAt.toISOString(), by, counts };
}
