import { UpstreamRefused, UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { Registrar, RegistrarOrder } from '../../../ports/registrar.ts';
import { readTag } from '../../../ports/tag.ts';
import { commands } from '../command-table.ts';
import { cents, date, integer } from '../fields.ts';
import type { Gateway } from '../gateway.ts';
import { type OrderRow, orderRows, readNewest, seekIn } from '../order-list.ts';
import { flag, map, text, type XcpMap } from '../xcp.ts';
import { orNotHere } from './domains.ts';

export type OrderQueries = Pick<Registrar, 'order' | 'ordersFor' | 'seekOrder'>;

/** Finding orders by name and reading the tag they were placed under (§15). */
export function orderQueries(gateway: Gateway): OrderQueries {
  async function order(orderId: string): Promise<RegistrarOrder | null> {
    const reply = await orNotHere(gateway.read(commands.order, { order_id: orderId }));
    const fields = map(reply?.attributes, 'field_hash') ?? reply?.attributes;
    return fields ? orderOf(orderId, fields) : null;
  }

  async function rows(domain: string): Promise<OrderRow[]> {
    let listed: OrderRow[] | null;
    try {
      listed = orderRows(await gateway.read(commands.ordersByDomain, { domain }));
    } catch (error) {
      if (!(error instanceof UpstreamRefused)) throw error;
      if (error.reason === 'not-found') return [];
      if (error.reason !== 'not-ours') throw error;
      listed = null;
    }
    if (listed) return listed;
    // Refused as not ours, or good and without a list. That there is no order decides about money: asked twice.
    if (await isOurs(domain)) {
      throw new UpstreamUnavailable(`registrar: no list of the orders for ${domain}, which is ours`);
    }
    return [];
  }

  async function isOurs(domain: string): Promise<boolean> {
    const reply = await orNotHere(gateway.read(commands.belongs, { domain }));
    if (reply && text(reply.attributes, 'belongs_to_rsp') === null) {
      throw new UpstreamUnavailable(`registrar: does not say whether ${domain} is ours`);
    }
    return flag(reply?.attributes, 'belongs_to_rsp');
  }

  const isOf = (domain: string, found: RegistrarOrder) => ['', domain].includes(found.domain);

  return {
    order,

    async ordersFor(domain) {
      const orders = await readNewest(await rows(domain), order);
      const read = orders.filter((one) => one !== null);
      if (read.length < orders.length) {
        throw new UpstreamUnavailable(`registrar: not every order for ${domain} can be read`);
      }
      return read.filter((one) => isOf(domain, one));
    },

    async seekOrder({ kind, ...wanted }) {
      const read = async (id: string) => {
        const found = await order(id);
        return found && !isOf(wanted.domain, found) ? 'other' : found;
      };
      // An order whose kind is not said may be of any.
      return seekIn(
        await rows(wanted.domain),
        read,
        wanted,
        (one) => [kind, 'other'].includes(one.kind) && !['cancelled', 'declined'].includes(one.state),
      );
    },
  };
}

/** null: a reply that says neither what was ordered nor how it stands is none about an order. */
function orderOf(orderId: string, fields: XcpMap): RegistrarOrder | null {
  const [type, status] = [text(fields, 'reg_type'), text(fields, 'status')];
  if (type === null && status === null) return null;
  return {
    orderId: text(fields, 'id') ?? orderId,
    domain: (text(fields, 'domain') ?? '').toLowerCase(),
    kind: kindOf(type),
    state: orderStates[status?.toLowerCase() ?? ''] ?? 'unknown',
    ...readTag(text(fields, 'affiliate_id')),
    costCents: cents(fields, 'cost'),
    years: integer(fields, 'period'),
    orderedAt: date(fields, 'order_date'),
  };
}

function kindOf(regType: string | null): RegistrarOrder['kind'] {
  const type = regType?.toLowerCase() ?? '';
  if (type === 'new' || type === 'transfer') return type;
  if (type.startsWith('redeem') || type === 'redemption') return 'redemption';
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
