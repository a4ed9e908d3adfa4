import type { DueRenewals } from '#contracts/operations/renewals.ts';
import { nearestCents } from '#contracts/values/money.ts';
import { dayMs } from '#contracts/values/time.ts';

export interface RunwayPoint {
  at: Date;
  /** Cents that are left after the automatic renewals until then. */
  cents: number;
}

/** What renews automatically within so many days from now. */
export function plannedWithin(rows: DueRenewals['rows'], now: Date, days: number): DueRenewals['rows'] {
  const end = now.getTime() + days * dayMs;
  return rows.filter(
    (row) => row.state === 'planned' && new Date(row.renewAt ?? row.expireDate).getTime() < end,
  );
}

/**
 * What the balance is after each automatic renewal that still takes from it, also one that failed and is tried again; the last point
 * is the end of the span.
 */
export function runwayOf(
  due: Pick<DueRenewals, 'rows' | 'spendable'>,
  now: Date,
  days: number,
): RunwayPoint[] {
  const end = new Date(now.getTime() + days * dayMs);
  const planned = due.rows
    .filter((row) => row.autoRenew && row.state !== 'ordered' && row.price !== null)
    .map((row) => ({
      at: new Date(Math.max(now.getTime(), new Date(row.renewAt ?? row.expireDate).getTime())),
      cents: nearestCents(row.price ?? 0),
    }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
  const points: RunwayPoint[] = [{ at: now, cents: due.spendable }];
  let left = due.spendable;
  for (const { at, cents } of planned) {
    left -= cents;
    points.push({ at, cents: left });
  }
  points.push({ at: end, cents: left });
  return points;
}
