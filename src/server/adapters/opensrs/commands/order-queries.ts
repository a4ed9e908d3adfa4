import { UpstreamRefused, UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { Registrar, RegistrarOrder } from '../../../ports/registrar.ts';
import { commands } from '../command-table.ts';
import { cents, date, integer } from '../fields.ts';
import type { Gateway } from '../gateway.ts';
import { flag, map, maps, text, type XcpMap } from '../xcp.ts';
import { orNotHere } from './domains.ts';

/** Newest orders of a name that are looked at; a name of ours has about one a year. */
const mostOrders = 25;

/** Finding orders by name and reading the tag they were placed under (§15). */
export function orderQueries(gateway: Gateway): Pick<Registrar, 'order' | 'ordersFor'> {
  async function order(orderId: string): Promise<RegistrarOrder | null> {
    const reply = await orNotHere(gateway.read(commands.order, { order_id: orderId }));
    const fields = map(reply?.attributes, 'field_hash') ?? reply?.attributes;
    return fields ? orderOf(orderId, fields) : null;
  }

  async function rows(domain: string): Promise<XcpMap[]> {
    try {
      return maps((await gateway.read(commands.ordersByDomain, { domain })).attributes, 'orders');
    } catch (error) {
      if (!(error instanceof UpstreamRefused)) throw error;
      if (error.reason === 'not-found') return [];
      // 415 is said of names that are not ours. That there is no order decides about money: asked twice.
      if (error.reason === 'not-ours' && !(await isOurs(domain))) return [];
      throw error;
    }
  }

  async function isOurs(domain: string): Promise<boolean> {
    const reply = await orNotHere(gateway.read(commands.belongs, { domain }));
    if (reply && text(reply.attributes, 'belongs_to_rsp') === null) {
      throw new UpstreamUnavailable(`registrar: does not say whether ${domain} is ours`);
    }
    return flag(reply?.attributes, 'belongs_to_rsp');
  }

  return {
    order,
    async ordersFor(domain) {
      const ids = newestFirst((await rows(domain)).flatMap((row) => idOf(row) ?? [])).slice(0, mostOrders);
      const orders = await Promise.all(ids.map(order));
      return orders.filter(
        (entry): entry is RegistrarOrder => entry !== null && ['', domain].includes(entry.domain),
      );
    },
  };
}

export function idOf(row: XcpMap): string | null {
  return text(row, 'id') ?? text(row, 'order_id');
}

/** Order numbers grow, and not all have as many digits. */
export function newestFirst(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort((a, b) => b.length - a.length || (a < b ? 1 : -1));
}

function orderOf(orderId: string, fields: XcpMap): RegistrarOrder {
  return {
    orderId: text(fields, 'id') ?? orderId,
    domain: (text(fields, 'domain') ?? '').toLowerCase(),
    kind: kindOf(text(fields, 'reg_type')),
    state: orderStates[text(fields, 'status')?.toLowerCase() ?? ''] ?? 'unknown',
    tag: text(fields, 'affiliate_id'),
    costCents: cents(fields, 'cost'),
    years: integer(fields, 'period'),
    orderedAt: date(fields, 'order_date'),
  };
}

function kindOf(regType: string | null): RegistrarOrder['kind'] {
  const type = regType?.toLowerCase() ?? '';
  if (type === 'new' || type === 'transfer') return type;
  return type.startsWith('renew') ? 'renewal' : 'other';
}

const orderStates: Record<string, RegistrarOrder['state']> = {
  completed: 'completed',
  pending: 'pending',
  waiting: 'pending',
  processing: 'pending',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  declined: 'declined',
};
