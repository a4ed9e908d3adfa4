import type { Fence } from '#kernel/fence.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { RegistrarOrder } from '../../../ports/registrar.ts';
import { commands } from '../command-table.ts';
import { type Gateway, plain } from '../gateway.ts';
import type { Reply } from '../parse.ts';
import { text } from '../xcp.ts';

/**
 * `forced_pending`: an order that the registrar keeps for approval instead of carrying it out or dropping it (§8).
 */
export function createLeftOvers(
  gateway: Gateway,
  order: (orderId: string) => Promise<RegistrarOrder | null>,
) {
  return {
    /** Not done, even with success: it waits until the operator acts, mostly for want of funds (§18.5). */
    isHeldBack(reply: Reply, tag: string): boolean {
      const orderId = keptOrder(reply);
      if (!orderId) return false;
      gateway.alert('the registrar keeps an order pending, probably for want of funds', { orderId, tag });
      return true;
    },

    /** Cancels what a refusal has left, so that a released order is not carried out later; only what is ours. */
    dropLeftOver: (tag: string, fence: Fence) => async (reply: Reply) => {
      const orderId = keptOrder(reply);
      if (!orderId) return;
      try {
        const left = await order(orderId);
        if (left?.tag !== tag || left.state !== 'pending') return;
        const attributes = () => ({ order_id: orderId, command: 'cancel' });
        const outcome = await gateway.act({ command: commands.cancelPending, fence, attributes }, plain);
        if (outcome.kind === 'done') return;
      } catch (error) {
        if (!(error instanceof UpstreamUnavailable || error instanceof UpstreamRefused)) throw error;
      }
      gateway.alert('a refused order still waits for approval at the registrar', { orderId, tag });
    },
  };
}

function keptOrder(reply: Reply): string | null {
  const orderId = text(reply.attributes, 'forced_pending');
  return orderId === '0' ? null : orderId;
}
