import { delegationOf } from '../state/nameservers.ts';
import type { Order } from '../state/orders.ts';
import { addTimer } from '../state/timers.ts';
import type { World } from '../world.ts';
import { isMap, listOf, ok, Refusal, textOf, type XcpMap, type XcpReply } from '../xcp.ts';

/** "Success" that is none: the order waits for a person. */
export function forcedPending(order: Order): XcpReply {
  return ok('Registration successful', { id: String(order.id), forced_pending: String(order.id) });
}

/** 250: an asynchronous registry has it and will answer some day. */
export function submitted(world: World, order: Order): XcpReply {
  addTimer(world, world.knobs().asyncMs, 'finish-order', { orderId: String(order.id) });
  return {
    code: 250,
    success: true,
    text: 'Registration request has been submitted to the registry',
    attributes: {
      id: String(order.id),
      queue_request_id: String(order.id + 500_000),
      async_reason: 'The registry answers asynchronously',
    },
  };
}

/** OpenSRS: 3–20 letters and digits; 10–20 characters of a fixed set (checked 2026-11-21). */
export function checkCredentials(attributes: XcpMap): void {
  const username = textOf(attributes, 'reg_username');
  const password = textOf(attributes, 'reg_password');
  if (!username) throw new Refusal(460, 'reg_username not provided');
  if (!password) throw new Refusal(460, 'reg_password not provided');
  if (!/^[A-Za-z0-9]{3,20}$/.test(username)) throw new Refusal(465, 'Invalid username');
  if (password.length > 20) throw new Refusal(465, 'Password exceeded maximum length: 20 characters');
  if (!/^[A-Za-z0-9!@$^,.~|=\-+_{}#]{10,20}$/.test(password)) {
    throw new Refusal(465, 'Invalid password: it must have 10 to 20 permitted characters');
  }
}

/** The delegation that an order asks for; the reseller's default if it names none. */
export function nameserversOf(world: World, attributes: XcpMap, switchName = 'custom_nameservers'): string[] {
  if (textOf(attributes, switchName) !== '1') return [...world.knobs().nameservers];
  const entries = listOf(attributes, 'nameserver_list').filter(isMap);
  const order = entries.map((entry) => Number(textOf(entry, 'sortorder')));
  if (new Set(order).size !== order.length) throw new Refusal(465, 'Duplicate sortorder detected');
  const sorted = entries
    .map((entry) => ({ name: textOf(entry, 'name'), place: Number(textOf(entry, 'sortorder')) }))
    .sort((left, right) => left.place - right.place);
  if (sorted.some((entry, index) => entry.place !== index + 1)) {
    throw new Refusal(465, 'Invalid sortorder: it must start at 1 and have no gaps');
  }
  return delegationOf(sorted.map((entry) => entry.name));
}
