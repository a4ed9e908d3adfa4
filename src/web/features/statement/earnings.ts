import type { EarningsRow } from '#contracts/operations/earnings.ts';

type Sums = Pick<EarningsRow, 'received' | 'cost' | 'earned' | 'otherCost'>;

/** The rows of the screen added up: whatever they are grouped by, the sums are the same. */
export function earningsSums(rows: readonly EarningsRow[]): Sums {
  return rows.reduce<Sums>(
    (sum, row) => ({
      received: sum.received + row.received,
      cost: sum.cost + row.cost,
      earned: sum.earned + row.earned,
      otherCost: sum.otherCost + row.otherCost,
    }),
    { received: 0, cost: 0, earned: 0, otherCost: 0 },
  );
}

const mostMonths = 12;

/** The months that are drawn, oldest first; one in which nothing was booked has a place of its own. */
export function drawnMonths(rows: readonly EarningsRow[]): EarningsRow[] {
  const byMonth = new Map(rows.map((row) => [row.key, row]));
  const keys = [...byMonth.keys()].sort();
  const [first, last] = [keys[0], keys.at(-1)];
  if (!first || !last) return [];
  const drawn: EarningsRow[] = [];
  for (let key = last; key >= first && drawn.length < mostMonths; key = monthBefore(key)) {
    drawn.unshift(byMonth.get(key) ?? { key, label: key, ...nothing });
  }
  return drawn;
}

const nothing = { items: 0, received: 0, cost: 0, earned: 0, otherCost: 0 };

/** `2026-01` -> `2025-12` */
function monthBefore(key: string): string {
  const [year = 0, month = 1] = key.split('-').map(Number);
  return month === 1 ? `${year - 1}-12` : `${year}-${String(month - 1).padStart(2, '0')}`;
}
