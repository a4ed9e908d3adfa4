import { pemBodies, requestLabels } from '#contracts/values/pem.ts';
import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type { CertificateInput, Registrar } from '../../../ports/registrar.ts';
import { writeTag } from '../../../ports/tag.ts';
import { issuedCertificate } from '../certificate.ts';
import { tagNote } from '../certificate-order.ts';
import { type Command, commands } from '../command-table.ts';
import { toWire } from '../contacts.ts';
import { type Gateway, pendingOf, plain } from '../gateway.ts';
import { flag, map, maps, text, type XcpAttributes } from '../xcp.ts';
import { type CertificateSeeking, certificateSeeking } from './certificate-seeking.ts';
import { orNotHere } from './domains.ts';

export type CertificateCommands = CertificateSeeking &
  Pick<
    Registrar,
    | 'parseCsr'
    | 'approverEmails'
    | 'orderCertificate'
    | 'certificate'
    | 'setCertificateValidation'
    | 'resendApproval'
    | 'cancelCertificateOrder'
  >;

/** Safe for every authority behind the registrar (§16.1). */
const serverType = 'other';

/** Certificates (§16): object TRUST_SERVICE. */
export function certificateCommands(gateway: Gateway): CertificateCommands {
  const seeking = certificateSeeking(gateway);

  const onOrder = (command: Command, orderId: string, fence: Fence, more: XcpAttributes = {}) =>
    gateway.act({ command, fence, attributes: () => ({ order_id: orderId, ...more }) }, plain);

  return {
    ...seeking,

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

    async certificate(orderId) {
      const order = await seeking.certificateOrder(orderId);
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
