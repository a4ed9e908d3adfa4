import { Refusal, textOf, type XcpMap } from '../xcp.ts';

export interface Page<T> {
  page: number;
  limit: number;
  items: T[];
  total: number;
  more: boolean;
}

/** Pages count from `first`; a page before that is read as the first. */
export function pageOf<T>(all: T[], attributes: XcpMap, first: 0 | 1, cap = 1_000_000): Page<T> {
  const number = (key: string, otherwise: number) => {
    const text = textOf(attributes, key);
    if (!text) return otherwise;
    if (!/^\d{1,9}$/.test(text)) throw new Refusal(465, `Invalid ${key}`);
    return Number(text);
  };
  const page = Math.max(number('page', first), first);
  // 40 is the documented normal page (checked 2026-11-21).
  const limit = Math.min(Math.max(number('limit', 40), 1), cap);
  const from = (page - first) * limit;
  return {
    page,
    limit,
    items: all.slice(from, from + limit),
    total: all.length,
    more: from + limit < all.length,
  };
}

/** The first millisecond of a `YYYY-MM-DD`, or null if not given. */
export function dayOf(attributes: XcpMap, key: string): number | null {
  const text = textOf(attributes, key);
  if (!text) return null;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at)) throw new Refusal(465, `Invalid date: ${key}`);
  return at;
}
