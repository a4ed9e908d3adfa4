import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type { RegistrarCertificates } from '../../../ports/registrar.ts';
import { recordCertificateOrder } from '../../certificates/index.ts';
import {
  type Act,
  type ActResult,
  type Finding,
  ordersOrFinding,
  sendWhenAbsent,
  tagOf,
  wantedOf,
} from '../act.ts';
import type { Item } from '../item.ts';

/** Ordering a certificate: nothing guards against a repeat, so nothing is ever sent twice; it is found by tag. */
export function certificateAct(
  registrar: Pick<RegistrarCertificates, 'orderCertificate' | 'seekCertificateOrder'>,
): Act {
  async function find(item: Item): Promise<Finding> {
    const ours = ordersOrFinding(await registrar.seekCertificateOrder(wantedOf(item)));
    if ('kind' in ours) return ours;
    const [first, second] = ours;
    if (second) {
      return { kind: 'contradictory', text: `${ours.length} certificate orders carry the tag ${item.id}` };
    }
    if (!first) return { kind: 'contradictory', text: 'The registrar found an order but did not name it.' };
    if (first.state === 'declined' || first.state === 'cancelled') {
      return { kind: 'declined', text: `The certificate order was ${first.state}.` };
    }
    return { kind: 'done', result: { registrarOrderId: first.orderId, state: first.state } };
  }

  async function order(item: Item, fence: Fence): Promise<Outcome<ActResult>> {
    const { certificate, contacts } = item.details;
    if (!certificate || !contacts) {
      return { kind: 'refused', reason: 'invalid', code: 'incomplete', text: 'The order is incomplete.' };
    }
    const outcome = await registrar.orderCertificate(
      {
        domain: item.address,
        productType: certificate.productType,
        csr: certificate.csr,
        years: item.years,
        validation: certificate.validation,
        approverEmail: certificate.approverEmail,
        contacts: { admin: contacts.admin, billing: contacts.billing, tech: contacts.admin },
        ...tagOf(item),
        ...(certificate.renewsOrderId ? { renews: certificate.renewsOrderId } : {}),
      },
      fence,
    );
    if (outcome.kind !== 'done') return outcome;
    return {
      kind: 'done',
      value: { registrarOrderId: outcome.value.orderId, state: outcome.value.state },
    };
  }

  return {
    find,
    send: (item, _secrets, fence) => sendWhenAbsent(item, find, () => order(item, fence)),
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
        renewsOrderId: certificate.renewsOrderId,
        acmeAccessId: certificate.acmeAccessId ?? null,
        now,
      });
    },
  };
}
