import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type { RegistrarNames, RegistrarOrders } from '../../../ports/registrar.ts';
import {
  closeTransfer,
  openTransfer,
  recordTransferEnd,
  recordTransferFailure,
  recordTransferStart,
} from '../../domains/index.ts';
import {
  type Act,
  type ActResult,
  type Finding,
  findingFrom,
  sendWhenAbsent,
  tagOf,
  wantedOf,
} from '../act.ts';
import type { Item, ItemSecrets } from '../item.ts';

/** Transferring in: accepted at once, completed days later; the money stays held until then (decisions no. 27). */
export function transferAct(
  registrar: Pick<RegistrarOrders, 'transferIn' | 'seekOrder' | 'order' | 'checkTransfer'> &
    Pick<RegistrarNames, 'domain'>,
): Act {
  async function find(item: Item): Promise<Finding> {
    const known = item.registrarOrderId ? await registrar.order(item.registrarOrderId) : null;
    if (known?.tag && known.tag !== item.id) {
      return { kind: 'contradictory', text: `Order ${known.orderId} carries the tag ${known.tag}.` };
    }
    const sought = known
      ? { kind: 'found' as const, orders: [known] }
      : await registrar.seekOrder({ ...wantedOf(item), kind: 'transfer' });
    const finding = findingFrom(item, sought);
    if (finding.kind === 'declined')
      return { kind: 'declined', text: 'The transfer was refused or cancelled.' };
    if (finding.kind !== 'done') return finding;
    const domain = await registrar.domain(item.address);
    // The order can be completed a moment before the name is in the account.
    if (!domain) {
      return { kind: 'pending', registrarOrderId: finding.result.registrarOrderId, text: 'Almost there.' };
    }
    return {
      kind: 'done',
      result: { ...finding.result, expiresAt: domain.expiresAt, registeredAt: domain.registeredAt },
    };
  }

  async function request(item: Item, secrets: ItemSecrets, fence: Fence): Promise<Outcome<ActResult>> {
    const { contacts } = item.details;
    if (!contacts || !secrets.username || !secrets.password || !secrets.authCode) {
      return { kind: 'refused', reason: 'invalid', code: 'incomplete', text: 'The order is incomplete.' };
    }
    const outcome = await registrar.transferIn(
      {
        domain: item.address,
        authCode: secrets.authCode,
        contacts,
        credentials: { username: secrets.username, password: secrets.password },
        ...tagOf(item),
      },
      fence,
    );
    if (outcome.kind !== 'done') return outcome;
    return {
      kind: 'pending',
      orderId: outcome.value.orderId,
      text: 'The transfer was requested from the current registrar.',
    };
  }

  return {
    find,
    async refuses(item) {
      const can = await registrar.checkTransfer(item.address);
      return !can.transferable && !can.unavailable;
    },
    // A transfer that runs refuses a second one with the same words as a name that cannot be transferred.
    send: (item, secrets, fence) => sendWhenAbsent(item, find, () => request(item, secrets, fence)),
    async started(tx, item, now) {
      await recordTransferStart(tx, {
        organisationId: item.organisationId,
        customerId: item.customerId,
        address: item.address,
        autoRenew: item.details.autoRenew ?? false,
        privacy: false,
        credentialsSealed: item.secretsSealed,
        now,
      });
      await openTransfer(tx, { ...placeOf(item), customerId: item.customerId, now });
    },
    async succeeded(tx, item, result, now) {
      await this.started?.(tx, item, now);
      await recordTransferEnd(tx, {
        organisationId: item.organisationId,
        address: item.address,
        expiresAt: result.expiresAt ?? null,
        registeredAt: result.registeredAt ?? null,
        now,
      });
      await closeTransfer(tx, { ...placeOf(item), reason: null, now });
    },
    async declined(tx, item, reason, now) {
      await recordTransferFailure(tx, {
        organisationId: item.organisationId,
        address: item.address,
        reason,
        now,
      });
      await closeTransfer(tx, { ...placeOf(item), reason, now });
    },
  };
}

function placeOf(item: Item) {
  return { itemId: item.id, organisationId: item.organisationId, address: item.address };
}
