import type { RegistrarNames, RegistrarOrders } from '../../../ports/registrar.ts';
import { recordRenewal } from '../../domains/index.ts';
import { type Act, findingFrom, tagOf, wantedOf } from '../act.ts';

/** Renewing: the expiry year from when the price was quoted travels along, so that the registry refuses a repeat. */
export function renewalAct(
  registrar: Pick<RegistrarOrders, 'renew' | 'seekOrder'> & Pick<RegistrarNames, 'domain'>,
): Act {
  return {
    async send(item, _secrets, fence) {
      if (item.expiryYear === null) {
        return {
          kind: 'refused',
          reason: 'invalid',
          code: 'incomplete',
          text: 'The expiry date is not known yet.',
        };
      }
      const outcome = await registrar.renew(
        {
          domain: item.address,
          years: item.years,
          currentExpiryYear: item.expiryYear,
          autoRenew: false,
          ...tagOf(item),
        },
        fence,
      );
      if (outcome.kind !== 'done') return outcome;
      return {
        kind: 'done',
        value: { registrarOrderId: outcome.value.orderId, expiresAt: outcome.value.expiresAt },
      };
    },
    async find(item) {
      const finding = findingFrom(item, await registrar.seekOrder({ ...wantedOf(item), kind: 'renewal' }));
      if (finding.kind !== 'done') return finding;
      const domain = await registrar.domain(item.address);
      if (!domain?.expiresAt) {
        return {
          kind: 'contradictory',
          text: 'The renewal is completed, but the domain has no expiry date.',
        };
      }
      return { kind: 'done', result: { ...finding.result, expiresAt: domain.expiresAt } };
    },
    async succeeded(tx, item, result, now) {
      if (!result.expiresAt) throw new Error(`renewal ${item.id} has no expiry date`);
      await recordRenewal(tx, {
        organisationId: item.organisationId,
        address: item.address,
        expiresAt: result.expiresAt,
        now,
      });
    },
  };
}
