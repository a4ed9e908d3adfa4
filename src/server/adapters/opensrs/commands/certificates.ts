import { pemBodies, requestLabels } from '#contracts/values/pem.ts';
import type { Fence } from '#kernel/fence.ts';
import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { CertificateInput, CertificateOrder, Registrar } from '../../../ports/registrar.ts';
import { writeTag } from '../../../ports/tag.ts';
import { issuedCertificate } from '../certificate.ts';
import { certificateOrderOf, tagNote } from '../certificate-order.ts';
import { type Command, commands } from '../command-table.ts';
import { toWire } from '../contacts.ts';
import { type Gateway, pendingOf, plain } from '../gateway.ts';
import { type OrderRow, orderRows, readNewest, seekIn } from '../order-list.ts';
import { flag, map, maps, text, type XcpAttributes } from '../xcp.ts';
import { orNotHere } from './domains.ts';
import { orderQueries } from './order-queries.ts';

export type CertificateCommands = Pick<
  Registrar,
  | 'parseCsr'
  | 'approverEmails'
  | 'orderCertificate'
  | 'certificateOrder'
  | 'certificateOrdersFor'
  | 'seekCertificateOrder'
  | 'certificate'
  | 'setCertificateValidation'
  | 'resendApproval'
  | 'cancelCertificateOrder'
>;

/** Safe for every authority behind the registrar (§16.1). */
const serverType = 'other';
/** The tag is known when one order is looked for. */
type WantedName = { domain: string; tag?: string };

/** Certificates (§16): object TRUST_SERVICE. */
export function certificateCommands(gateway: Gateway): CertificateCommands {
  const queries = orderQueries(gateway);

  async function certificateOrder(orderId: string): Promise<CertificateOrder | null> {
    const reply = await orNotHere(gateway.read(commands.certificateOrder, { order_id: orderId }));
    return reply ? certificateOrderOf(orderId, reply.attributes) : null;
  }

  const onOrder = (command: Command, orderId: string, fence: Fence, more: XcpAttributes = {}) =>
    gateway.act({ command, fence, attributes: () => ({ order_id: orderId, ...more }) }, plain);

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

    async parseCsr(csr, productType) {
      const reply = await gateway.read(commands.parseCsr, { csr: pem(csr), product_type: productType });
      const data = map(reply.attributes, 'csr_data');
      return {
        domain: text(data, 'domain'),
        organization: text(data, 'organization'),
        organizationUnit: text(data, 'organization_unit'),
        state: text(data, 'state'),
        locality: text(data, 'locality'),
        email: text(data, 'email'),
        country: text(data, 'country'),
        hasBadExtensions: flag(data, 'has_bad_extensions'),
      };
    },

    async approverEmails(domain, productType) {
      const reply = await gateway.read(commands.approvers, { domain, product_type: productType });
      return [
        ...new Set(maps(reply.attributes, 'approver_list').flatMap((entry) => text(entry, 'email') ?? [])),
      ];
    },

    orderCertificate: (input, fence) =>
      gateway.act(
        {
          command: commands.orderCertificate,
          fence,
          domain: input.domain,
          irreversible: true,
          attributes: () => orderAttributes(input),
        },
        (reply, meaning): Outcome<{ orderId: string; state: string }> => {
          const orderId = text(reply.attributes, 'order_id');
          if (text(reply.attributes, 'forced_pending')) {
            gateway.alert('the registrar keeps a certificate order pending', { orderId, tag: input.tag });
            return pendingOf(reply);
          }
          if (meaning === 'pending') return pendingOf(reply);
          if (!orderId) return { kind: 'unknown', text: 'a certificate order without a number' };
          return {
            kind: 'done',
            value: { orderId, state: text(reply.attributes, 'state') ?? 'in-progress' },
          };
        },
      ),

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

    async certificate(orderId) {
      const order = await certificateOrder(orderId);
      if (!order?.productId) return null;
      const reply = await orNotHere(
        gateway.read(commands.certificate, {
          order_id: orderId,
          product_id: order.productId,
          return_ca_certs: '1',
        }),
      );
      return reply ? issuedCertificate(reply.attributes) : null;
    },

    setCertificateValidation: (orderId, method, approverEmail, fence) =>
      onOrder(commands.updateValidation, orderId, fence, {
        dv_auth_method: method,
        ...(approverEmail ? { approver_email: approverEmail } : {}),
      }),

    resendApproval: (orderId, fence) => onOrder(commands.resendApproval, orderId, fence),
    cancelCertificateOrder: (orderId, fence) => onOrder(commands.cancelCertificate, orderId, fence),
  };
}

function orderAttributes(input: CertificateInput): XcpAttributes {
  const tag = writeTag(input.tag, input.origin);
  return {
    domain: input.domain,
    product_type: input.productType,
    reg_type: input.renews ? 'renew' : 'new',
    ...(input.renews ? { order_id: input.renews } : {}),
    // The one attribute that ties a new order to an earlier one; no command for a reissue is documented (§16).
    ...(input.reissues ? { base_order_id: input.reissues } : {}),
    period: String(input.years),
    handle: 'process',
    csr: pem(input.csr),
    server_type: serverType,
    dv_auth_method: input.validation,
    ...(input.approverEmail ? { approver_email: input.approverEmail } : {}),
    affiliate_id: tag,
    special_instructions: tagNote(tag),
    contact_set: contactsFor(input),
  };
}

/** Which contacts a product wants, by the start of its name (§16.1, from the vendor's own module of 2015). */
const wantedContacts: readonly [start: string, types: readonly string[]][] = [
  ['comodo_ev', ['admin', 'organization', 'signer']],
  ['comodo', ['organization']],
  ['essentialssl', ['organization']],
  ['positivessl', ['organization']],
  ['trustwave', ['admin']],
  ['', ['admin', 'billing', 'tech', 'organization']],
];

function contactsFor(input: CertificateInput): XcpAttributes {
  const { admin, billing, tech } = input.contacts;
  const source: Record<string, typeof admin> = { billing, tech };
  const [, types] = wantedContacts.find(([start]) => input.productType.startsWith(start)) ?? ['', []];
  return Object.fromEntries(types.map((type) => [type, toWire(source[type] ?? admin)]));
}

/** Lines of a signing request as the registrar wants them: pasted ones often have spaces for line ends. */
export function pem(csr: string): string {
  const [found] = requestLabels.flatMap((label) => pemBodies(csr, label).map((body) => ({ label, body })));
  if (!found) return csr.trim();
  const { label, body } = found;
  const lines = body.replace(/[^A-Za-z0-9+/=]/g, '').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n');
}
