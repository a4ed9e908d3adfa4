import type { PriceRow } from '#contracts/operations/operator.ts';
import { usdText } from '#contracts/values/format.ts';
import { decimalTextToCents, nearestCents } from '#contracts/values/money.ts';
import type { CallBody } from '../../lib/operations.ts';

/** What was typed, by row; rows that were not touched are absent. */
export type Drafts = Readonly<Record<string, string>>;
type Entry = CallBody<'POST /operator/prices'>['entries'][number];

export const keyOf = (row: Pick<PriceRow, 'product' | 'name' | 'kind'>) =>
  `${row.product} ${row.name} ${row.kind}`;

/** An empty field is no entry; anything else must be an amount. */
export function problemOf(text: string | undefined): string | null {
  if (text === undefined || text.trim() === '') return null;
  const cents = decimalTextToCents(text);
  return cents === null || cents < 0 ? 'An amount such as 12.50' : null;
}

export interface PriceChange {
  row: PriceRow;
  entry: Entry;
  /** In US dollars, as it would be charged at that moment without the change; null: cost plus margin, or not known. */
  before: number | null;
}

/**
 * The rows whose entry differs from the one that is in force at that moment: now, or what was entered to apply by then. So a later price can
 * be taken back by the price of today.
 */
export function changesOf(rows: readonly PriceRow[], drafts: Drafts, from: Date | null): PriceChange[] {
  return rows.flatMap((row) => {
    const text = drafts[keyOf(row)];
    if (text === undefined || problemOf(text) !== null) return [];
    const cents = text.trim() === '' ? null : decimalTextToCents(text);
    const planned = from && row.next && new Date(row.next.validFrom) <= from ? row.next : null;
    const listed = planned ? planned.price : row.listed;
    if (cents === (listed === null ? null : nearestCents(listed))) return [];
    const { product, name, kind } = row;
    const entry = { product, name, kind, price: cents === null ? null : cents / 100 };
    return [{ row, entry, before: planned ? planned.price : row.price }];
  });
}

/** `$12.31 → $1,250.00`: a slip of a digit shows before it is charged. */
export function changeText({ row, entry, before }: PriceChange): string {
  const text = (price: number | null) => (price === null ? 'cost + margin' : usdText(price));
  const isBelow = entry.price !== null && row.cost !== null && entry.price < row.cost;
  return `${text(before)} → ${text(entry.price)}${isBelow ? `, sold at its cost of ${usdText(row.cost ?? 0)}` : ''}`;
}
