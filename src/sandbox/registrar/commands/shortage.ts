import type { Order } from '../state/orders.ts';
import type { World } from '../world.ts';
import { ok, Refusal, type XcpReply } from '../xcp.ts';

/** Lack of funds: vendor clients know a plain 440 and a success that hides a pending order (checked 2026-11-21). */
export function notEnough(world: World, placePending: () => Order): XcpReply {
  if (world.knobs().shortage === '440') throw new Refusal(440, 'Registration Failed: over quota');
  const id = String(placePending().id);
  return ok('Registration successful', { id, forced_pending: id });
}
