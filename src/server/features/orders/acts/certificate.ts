import type { Registrar } from '../../../ports/registrar.ts';
import { recordCertificateOrder } from '../../certificates/index.ts';
import type { Act } from '../act.ts';

/** Ordering a certificate: nothing guards against a repeat, so nothing is ever sent twice; it is found by tag. */
export function certificateAct(registrar: Pick<Registrar, 'orderCertificate' | 'certificateOrdersFor'>): Act {
  return {
    async send(item) {
      const { certificate, contacts } = item.details;
      if (!certificate || !contacts) {
        return { kind: 'refused', reason: 'invalid', code: 'incomplete', text: 'The order is incomplete.' };
      }
      const outcome = await registrar.orderCertificate({
        domain: item.address,
        productType: certificate.productType,
        csr: certificate.csr,
        years: item.years,
        validation: certificate.validation,
        approverEmail: certificate.approverEmail,
        contacts: { admin: contacts.admin, billing: contacts.billing, tech: contacts.admin },
        tag: item.id,
        ...(certificate.renewsOrderId ? { renews: certificate.renewsOrderId } : {}),
      });
      if (outcome.kind !== 'done') return outcome;
      return {
        kind: 'done',
        value: { registrarOrderId: outcome.value.orderId, state: outcome.value.state },
      };
    },
    async find(item) {
      const orders = await registrar.certificateOrdersFor(item.address);
      const ours = orders.filter((order) => order.tag === item.id);
      if (ours.length > 1) {
        return { kind: 'contradictory', text: `${ours.length} certificate orders carry the tag ${item.id}` };
      }
      const [order] = ours;
      if (!order) return { kind: 'absent' };
      if (order.state === 'declined' || order.state === 'cancelled') {
        return { kind: 'declined', text: `The certificate order was ${order.state}.` };
      }
      return { kind: 'done', result: { registrarOrderId: order.orderId, state: order.state } };
    },
    async succeeded(tx, item, result, now) {
      const { certificate, contacts } = item.details;
      if (!certificate) throw new Error(`certificate item ${item.id} has no details`);
      await recordCertificateOrder(tx, {
        organisationId: item.organisationId,
        customerId: item.customerId,
        address: item.address,
        provider: certificate.provider,
        productType: certificate.productType,
        csr: certificate.csr,
        validation: certificate.validation,
        approverEmail: certificate.approverEmail,
        contacts: contacts ? { admin: contacts.admin, billing: contacts.billing, tech: contacts.admin } : {},
        registrarOrderId: result.registrarOrderId,
        state: result.state ?? 'awaiting-approval',
        years: item.years,
        orderItemId: item.id,
        now,
      });
    },
  };
}
