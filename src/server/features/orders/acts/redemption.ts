import type { RegistrarNames, RegistrarOrder, RegistrarOrders } from '../../../ports/registrar.ts';
import { recordRestoration } from '../../domains/index.ts';
import { type Act, tagOf } from '../act.ts';
import type { Item } from '../item.ts';

/** Clocks of the two sides differ by so much at most. */
const clockSlackMs = 10 * 60_000;

/**
 * Having a deleted name back: the registry gives it back once, and refuses a second request. The registrar's reply names no
 * order and may forget the tag, so ours is the redemption of this name since it was ordered.
 */
export function redemptionAct(
  registrar: Pick<RegistrarOrders, 'redeem' | 'ordersFor'> & Pick<RegistrarNames, 'domain'>,
): Act {
  return {
    async send(item, _secrets, fence) {
      const outcome = await registrar.redeem({ domain: item.address, ...tagOf(item) }, fence);
      if (outcome.kind !== 'done') return outcome;
      const registrarOrderId = outcome.value.orderId ?? withoutOrder(item);
      return { kind: 'done', value: { registrarOrderId, expiresAt: null } };
    },
    async find(item) {
      const ours = (await registrar.ordersFor(item.address)).filter((order) => isOf(item, order));
      const completed = ours.filter(({ state }) => state === 'completed');
      if (completed.length > 1) {
        return { kind: 'contradictory', text: `${item.address} was redeemed ${completed.length} times` };
      }
      const domain = await registrar.domain(item.address);
      const [done] = completed;
      if (done) {
        return {
          kind: 'done',
          result: { registrarOrderId: done.orderId, expiresAt: domain?.expiresAt ?? null },
        };
      }
      const waiting = ours.find(({ state }) => state === 'pending' || state === 'unknown');
      if (waiting) {
        return {
          kind: 'pending',
          registrarOrderId: waiting.orderId,
          text: 'The registry has not finished yet.',
        };
      }
      if (domain) {
        return {
          kind: 'contradictory',
          text: `${item.address} is back, without an order of ours at the registrar`,
        };
      }
      if (ours.length > 0) return { kind: 'declined', text: 'The registrar did not restore the domain.' };
      return { kind: 'absent' };
    },
    async succeeded(tx, item, result, now) {
      await recordRestoration(tx, {
        organisationId: item.organisationId,
        address: item.address,
        expiresAt: result.expiresAt ?? null,
        now,
      });
    },
  };
}

function isOf(item: Item, order: RegistrarOrder): boolean {
  if (order.tag === item.id) return true;
  if (order.kind !== 'redemption' || order.tag !== null || !order.orderedAt) return false;
  return order.orderedAt.getTime() >= item.createdAt.getTime() - clockSlackMs;
}

/** Shown where an order's number is shown; reconciliation finds the order by its tag. */
const withoutOrder = (item: Item) => `redeem ${item.address}`;
