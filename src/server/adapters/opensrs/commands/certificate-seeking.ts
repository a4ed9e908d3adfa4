import { UpstreamRefused, UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { CertificateOrder, Registrar } from '../../../ports/registrar.ts';
import { certificateOrderOf } from '../certificate-order.ts';
import { type Command, commands } from '../command-table.ts';
import type { Gateway } from '../gateway.ts';
import { type OrderRow, orderRows, readNewest, seekIn } from '../order-list.ts';
import { orNotHere } from './domains.ts';
import { orderQueries } from './order-queries.ts';

export type CertificateSeeking = Pick<
  Registrar,
  'certificateOrder' | 'certificateOrdersFor' | 'seekCertificateOrder'
>;

/** The tag is known when one order is looked for. */
type WantedName = { domain: string; tag?: string };

/** Orders of certificates, by their number and by their host name. */
export function certificateSeeking(gateway: Gateway): CertificateSeeking {
  const queries = orderQueries(gateway);

  async function certificateOrder(orderId: string): Promise<CertificateOrder | null> {
    const reply = await orNotHere(gateway.read(commands.certificateOrder, { order_id: orderId }));
    return reply ? certificateOrderOf(orderId, reply.attributes) : null;
  }

  /** Which of the two objects lists the orders of a host name is not documented: both are asked. */
  async function orderRowsOf(domain: string): Promise<OrderRow[]> {
    const lists = await Promise.all([
      listed(commands.certificateOrdersByDomain, domain),
      listed(commands.ordersByDomain, domain),
    ]);
    // An absent order decides about money: neither list must not look like an empty one.
    if (lists.every((rows) => rows === null)) {
      throw new UpstreamUnavailable(`registrar: cannot list the orders for ${domain}`);
    }
    return lists.flatMap((rows) => rows ?? []);
  }

  /** null: the registrar does not list by this object. */
  async function listed(command: Command, domain: string): Promise<OrderRow[] | null> {
    try {
      return orderRows(await gateway.read(command, { domain }));
    } catch (error) {
      if (!(error instanceof UpstreamRefused)) throw error;
      return error.reason === 'not-found' || error.reason === 'not-ours' ? [] : null;
    }
  }

  /** Orders of the name itself may be listed beside those of certificates; what can be read as neither is unread. */
  async function readListed(orderId: string, wanted: WantedName): Promise<CertificateOrder | 'other' | null> {
    const found = await certificateOrder(orderId);
    if (found?.productType) {
      if (found.domain === wanted.domain) return found;
      return found.domain === '' ? null : 'other';
    }
    const order = await queries.order(orderId);
    return order && order.tag !== wanted.tag ? 'other' : null;
  }

  return {
    certificateOrder,

    async certificateOrdersFor(domain) {
      const orders = await readNewest(await orderRowsOf(domain), (id) => readListed(id, { domain }));
      if (orders.includes(null)) {
        throw new UpstreamUnavailable(`registrar: not every order for ${domain} can be read`);
      }
      return orders.filter((order) => order !== null && order !== 'other');
    },

    seekCertificateOrder: async (wanted) =>
      seekIn(
        await orderRowsOf(wanted.domain),
        (id) => readListed(id, wanted),
        wanted,
        ({ state }) => !['cancelled', 'declined'].includes(state),
      ),
  };
}
