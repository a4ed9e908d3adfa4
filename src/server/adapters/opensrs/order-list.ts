import { type Sought, soughtAmong, type WantedOrder } from '../../ports/sought.ts';
import { date } from './fields.ts';
import type { Reply } from './parse.ts';
import { maps, text, type XcpMap } from './xcp.ts';

/** One line of a list of orders. */
export interface OrderRow {
  /** null: the line names no order, so one that cannot be asked about is there. */
  id: string | null;
  orderedAt: Date | null;
}

/** Newest orders of a name that are read; a name of ours has about one a year. */
const mostOrders = 25;

/** The lines of a reply; null when it holds no list at all, which is not an empty one. */
export function orderRows({ attributes }: Reply): OrderRow[] | null {
  if (!('orders' in attributes)) return null;
  return maps(attributes, 'orders').map((row) => ({ id: idOf(row), orderedAt: date(row, 'order_date') }));
}

function idOf(row: XcpMap): string | null {
  return text(row, 'id') ?? text(row, 'order_id');
}

/** Order numbers grow, and not all have as many digits. */
function newestFirst(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort((a, b) => b.length - a.length || (a < b ? 1 : -1));
}

/** The newest orders; null in place of one that cannot be read. */
export async function readNewest<T>(
  rows: readonly OrderRow[],
  read: (id: string) => Promise<T | null>,
): Promise<(T | null)[]> {
  const ids = newestFirst(rows.flatMap(({ id }) => id ?? [])).slice(0, mostOrders);
  return Promise.all(ids.map(read));
}

/**
 * Looks for a tag in all orders that can have been placed since. `read` answers with null for an order that cannot be
 * read, and with `other` for one that is readably something else.
 */
export async function seekIn<T extends { orderId: string; tag: string | null; orderedAt: Date | null }>(
  rows: readonly OrderRow[],
  read: (id: string) => Promise<T | 'other' | null>,
  wanted: WantedOrder,
  couldBeOurs: (order: T) => boolean,
): Promise<Sought<T>> {
  const recent = rows.filter(({ orderedAt }) => orderedAt === null || orderedAt >= wanted.since);
  const datesById = new Map(recent.flatMap(({ id, orderedAt }) => (id ? [[id, orderedAt] as const] : [])));
  const ids = newestFirst([...datesById.keys()]);
  const orders = await Promise.all(
    ids.slice(0, mostOrders).map(async (id) => {
      const order = await read(id);
      if (order === null || order === 'other') return order;
      return { ...order, orderedAt: order.orderedAt ?? datesById.get(id) ?? null };
    }),
  );
  const readable = orders.filter((order) => order !== null && order !== 'other');
  const sought = soughtAmong(readable, wanted, couldBeOurs);
  if (sought.kind === 'found') return sought;
  const unread =
    orders.filter((order) => order === null).length + recent.filter(({ id }) => id === null).length;
  if (unread > 0 || ids.length > mostOrders) {
    const count = unread + Math.max(0, ids.length - mostOrders);
    return { kind: 'unreadable', text: `registrar: ${count} orders for ${wanted.domain} cannot be read` };
  }
  return sought;
}
