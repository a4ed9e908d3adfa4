import { UpstreamRefused, UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { RegistrarNames, RegistrarOrders } from '../../../ports/registrar.ts';
import { recordRegistration } from '../../domains/index.ts';
import { type Act, findingFrom, tagOf, wantedOf } from '../act.ts';
import type { Item } from '../item.ts';

/** Registering a name: the registry refuses a second registration, and our tag finds the first. */
export function registrationAct(
  registrar: Pick<RegistrarOrders, 'register' | 'seekOrder'> & Pick<RegistrarNames, 'domain' | 'lookup'>,
): Act {
  return {
    async send(item, secrets, fence) {
      const { contacts } = item.details;
      if (!contacts || !secrets.username || !secrets.password) {
        return { kind: 'refused', reason: 'invalid', code: 'incomplete', text: 'The order has no contacts.' };
      }
      const outcome = await registrar.register(
        {
          domain: item.address,
          years: item.years,
          privacy: item.details.privacy ?? false,
          // The registrar's own switch stays off: the portal renews (decisions no. 25).
          autoRenew: false,
          contacts,
          credentials: { username: secrets.username, password: secrets.password },
          ...tagOf(item),
          ...(item.details.premium ? { premiumCostCents: item.costCents } : {}),
        },
        fence,
      );
      if (outcome.kind === 'refused' && outcome.reason === 'taken') {
        return { ...outcome, text: takenText(item.address) };
      }
      if (outcome.kind !== 'done') return outcome;
      return { kind: 'done', value: { registrarOrderId: outcome.value.orderId, notes: outcome.value.notes } };
    },
    refuses: async (item) => (await registrar.lookup(item.address, { fresh: true })).status === 'taken',
    async find(item) {
      const finding = findingFrom(item, await registrar.seekOrder({ ...wantedOf(item), kind: 'new' }));
      // An order for a name that is taken is cancelled by the registrar, which is not what happened to the person.
      if (finding.kind === 'declined' && (await isTaken(registrar, item.address))) {
        return { ...finding, text: takenText(item.address) };
      }
      if (finding.kind !== 'done') return finding;
      const domain = await registrar.domain(item.address);
      return {
        kind: 'done',
        result: {
          ...finding.result,
          expiresAt: domain?.expiresAt ?? null,
          registeredAt: domain?.registeredAt ?? null,
        },
      };
    },
    async succeeded(tx, item, result, now) {
      const registeredAt = result.registeredAt ?? now;
      await recordRegistration(tx, {
        organisationId: item.organisationId,
        customerId: item.customerId,
        address: item.address,
        autoRenew: item.details.autoRenew ?? false,
        privacy: item.details.privacy ?? false,
        registeredAt,
        expiresAt: result.expiresAt ?? yearsAfter(registeredAt, item),
        credentialsSealed: item.secretsSealed,
        now,
      });
    },
  };
}

/** It only chooses the words of a refusal: the money goes back whether or not the registrar answers this. */
async function isTaken(registrar: Pick<RegistrarNames, 'lookup'>, name: string): Promise<boolean> {
  try {
    return (await registrar.lookup(name)).status === 'taken';
  } catch (error) {
    if (error instanceof UpstreamUnavailable || error instanceof UpstreamRefused) return false;
    throw error;
  }
}

const takenText = (name: string) => `${name} is taken. Someone else has registered it.`;

/** The registry's rule: same day and time, so many years on. The next synchronisation brings its exact date. */
function yearsAfter(from: Date, item: Item): Date {
  const date = new Date(from);
  date.setUTCFullYear(date.getUTCFullYear() + item.years);
  return date;
}
