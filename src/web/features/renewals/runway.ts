import type { DueRenewals } from '#contracts/operations/renewals.ts';
import { dayMs } from '#contracts/values/time.ts';

export interface RunwayPoint {
  at: Date;
  /** Cents that are left after the automatic renewals until then. */
  cents: number;
}

/** What renews automatically within so many days from now: how many names, and for how much. */
export function dueWithin(
  rows: DueRenewals['rows'],
  now: Date,
  days: number,
): { count: number; cents: number } {
  const end = now.getTime() + days * dayMs;
  const soon = rows.filter(
    (row) => row.state === 'planned' && new Date(row.renewAt ?? row.expireDate).getTime() < end,
  );
  const cents = soon.reduce((sum, row) => sum + Math.round((row.price ?? 0) * 100), 0);
  return { count: soon.length, cents };
}

/** What the balance is after each automatic renewal that is planned from now on; the last point is the end of the span. */
export function runwayOf(
  due: Pick<DueRenewals, 'rows' | 'spendable'>,
  now: Date,
  days: number,
): RunwayPoint[] {
  const end = new Date(now.getTime() + days * dayMs);
  const planned = due.rows
    .filter((row) => row.state === 'planned' && row.price !== null)
    .map((row) => ({
      at: new Date(Math.max(now.getTime(), new Date(row.renewAt ?? row.expireDate).getTime())),
      cents: Math.round((row.price ?? 0) * 100),
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
