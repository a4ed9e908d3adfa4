import type { DueRenewal } from '#contracts/operations/renewals.ts';
import { lapses } from '#contracts/values/domain-life.ts';
import { dayMs } from '#contracts/values/time.ts';

const weekMs = 7 * dayMs;

export interface Week {
  /** The first moment of the week. */
  from: Date;
  automatic: number;
  lapsing: number;
}

/** What falls due in each of the weeks from now, by its expiry; what is past counts into the first. */
export function weeksOf(rows: readonly DueRenewal[], now: Date, count: number): Week[] {
  const weeks = Array.from({ length: count }, (_, index) => ({
    from: new Date(now.getTime() + index * weekMs),
    automatic: 0,
    lapsing: 0,
  }));
  for (const row of rows) {
    const index = Math.floor((new Date(row.expireDate).getTime() - now.getTime()) / weekMs);
    const week = weeks[Math.max(0, index)];
    if (!week) continue;
    if (lapses(row)) week.lapsing += 1;
    else week.automatic += 1;
  }
  return weeks;
}
