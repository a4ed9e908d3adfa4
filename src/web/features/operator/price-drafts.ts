import type { PriceRow } from '#contracts/operations/operator.ts';
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

/** The rows whose entry differs from the one in force. */
export function changesOf(rows: readonly PriceRow[], drafts: Drafts): Entry[] {
  return rows.flatMap((row) => {
    const text = drafts[keyOf(row)];
    if (text === undefined || problemOf(text) !== null) return [];
    const cents = text.trim() === '' ? null : decimalTextToCents(text);
    const before = row.listed === null ? null : nearestCents(row.listed);
    if (cents === before) return [];
    const { product, name, kind } = row;
    return [{ product, name, kind, price: cents === null ? null : cents / 100 }];
  });
}
