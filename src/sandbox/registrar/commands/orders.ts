import { epoch, noteStamp, priceText } from '../format.ts';
import { canPay, notesOf } from '../state/account.ts';
import { findDomain } from '../state/domains.ts';
import {
  cancelPendingOrders,
  findOrder,
  findOrders,
  finishOrder,
  type Order,
  placeOrder,
} from '../state/orders.ts';
import { findTransfers } from '../state/transfers.ts';
import type { World } from '../world.ts';
import {
  flag,
  isMap,
  listOf,
  mapOf,
  ok,
  Refusal,
  textOf,
  textsOf,
  type XcpMap,
  type XcpReply,
  type XcpRequest,
} from '../xcp.ts';
import { availabilityOf } from './lookup.ts';
import { fulfilRegistration, registered } from './register.ts';
import { fulfilRenewal, renewed } from './renew.ts';
import { notEnough } from './shortage.ts';
import type { CommandTable } from './table.ts';
import { transferability, transferSent } from './transfer-in.ts';

function orderOf(world: World, request: XcpRequest): Order {
  const id = textOf(request.attributes, 'order_id');
  if (!id) throw new Refusal(460, 'Missing required field: order_id');
  const order = findOrder(world, id);
  if (!order) throw new Refusal(480, 'Order not found.');
  return order;
}

function orderInfo(world: World, request: XcpRequest): XcpReply {
  const order = orderOf(world, request);
  const { attributes } = order;
  const fields: XcpMap = {
    id: String(order.id),
    domain: order.domain,
    status: order.status,
    reg_type: order.regType,
    period: String(order.period),
    cost: priceText(order.costCents),
    order_date: epoch(order.orderedAt),
    processed_date: epoch(order.processedAt),
    completed_date: epoch(order.completedAt),
    affiliate_id: order.affiliateId,
    master_order_id: textOf(attributes, 'master_order_id') || '0',
    comments: textOf(attributes, 'comments'),
    reg_username: textOf(attributes, 'reg_username'),
    f_auto_renew: textOf(attributes, 'auto_renew') === '1' ? 'Y' : 'N',
    f_lock_domain: flag(textOf(attributes, 'f_lock_domain') === '1'),
    notes: noteMaps(world, { orderId: order.id, type: 'order' }),
    transfer_notes: noteMaps(world, { orderId: order.id, type: 'transfer' }),
  };
  const hosts = listOf(attributes, 'nameserver_list').filter(isMap);
  for (let index = 0; index < 6; index += 1) {
    const host = hosts[index];
    fields[`fqdn${index + 1}`] = host ? textOf(host, 'name') : '';
  }
  for (const [type, contact] of Object.entries(mapOf(attributes, 'contact_set'))) {
    if (!isMap(contact)) continue;
    for (const [key, value] of Object.entries(contact)) fields[`${type}_${key}`] = value;
  }
  return ok('Command Successful', { field_hash: fields });
}

function noteMaps(world: World, where: Parameters<typeof notesOf>[1]): XcpMap[] {
  return notesOf(world, where).map(({ at, note }) => ({ timestamp: noteStamp(at), note }));
}

function ordersByDomain(world: World, request: XcpRequest): XcpReply {
  if (!request.domain) throw new Refusal(460, 'No Domain Supplied');
  const orders = findOrders(world, 'domain = ?', request.domain).map((order) => ({
    id: String(order.id),
    domain: order.domain,
    order_date: epoch(order.orderedAt),
    status: order.status,
    reg_type: order.regType,
    affiliate_id: order.affiliateId,
  }));
  return ok('Command Successful', { orders });
}

/** Carries a pending order out as a new one, or cancels it. */
function processPending(world: World, request: XcpRequest): XcpReply {
  const order = orderOf(world, request);
  if (order.status !== 'pending') throw new Refusal(465, `Order ${order.id} is not pending`);
  if (textOf(request.attributes, 'command').toLowerCase() === 'cancel') {
    finishOrder(world, order, 'cancelled');
    return ok('Command completed successfully', { order_id: String(order.id) });
  }
  const { domain, regType, period, costCents, attributes } = order;
  if (!canPay(world, costCents)) return notEnough(world, () => order);
  const again = (status: Order['status']) => {
    finishOrder(world, order, 'cancelled');
    return placeOrder(world, { domain, regType, status, period, costCents, attributes });
  };
  const withOrder = (reply: XcpReply, id: number): XcpReply => ({
    ...reply,
    attributes: { ...reply.attributes, order_id: String(id) },
  });
  if (regType === 'renewal') {
    const held = findDomain(world, domain);
    if (!held || held.state === 'redemption') throw new Refusal(480, 'Domain not found.');
    const next = again('completed');
    return withOrder(renewed(fulfilRenewal(world, next)), next.id);
  }
  if (regType === 'transfer') {
    const can = transferability(world, domain);
    if (!can.ok) throw new Refusal(can.code, `Domain not transferable\n${can.reason}`);
    const next = again('waiting');
    return withOrder(transferSent(world, next), next.id);
  }
  if (availabilityOf(world, domain) !== 'available') throw new Refusal(485, 'Domain taken');
  const next = again('completed');
  const cancelled = cancelPendingOrders(world, domain);
  return withOrder(registered(world, next, fulfilRegistration(world, next), cancelled), next.id);
}

function cancelPending(world: World, request: XcpRequest): XcpReply {
  const { attributes } = request;
  const until = textOf(attributes, 'to_date');
  if (!until) throw new Refusal(460, 'Missing required field: to_date');
  const untilMs = /^\d+$/.test(until) ? Number(until) * 1000 : Date.parse(`${until}T23:59:59Z`);
  if (Number.isNaN(untilMs)) throw new Refusal(465, 'Invalid date: to_date');
  const statuses = textsOf(attributes, 'status');
  if (statuses.length > 0 && !statuses.includes('pending')) return ok('Command Successful', { total: '0' });
  const cancelled = findOrders(world, `status = 'pending' AND ordered_at <= ?`, untilMs);
  for (const order of cancelled) finishOrder(world, order, 'cancelled');
  return ok('Command Successful', {
    total: String(cancelled.length),
    cancelled: cancelled.map((order) => ({ id: String(order.id), domain: order.domain })),
  });
}

function notes(world: World, request: XcpRequest): XcpReply {
  const type = textOf(request.attributes, 'type').toLowerCase();
  if (!request.domain) throw new Refusal(460, 'No Domain Supplied');
  if (!type) throw new Refusal(460, 'Missing required field: type');
  const known = findOrders(world, 'domain = ?', request.domain).length > 0;
  if (!known && findTransfers(world, 'domain = ?', request.domain).length === 0) {
    throw new Refusal(415, 'Authentication Error.');
  }
  const found = noteMaps(
    world,
    type === 'domain' ? { domain: request.domain } : { domain: request.domain, type },
  );
  return ok('Command Successful', { total: String(found.length), notes: found });
}

export const orderCommands: CommandTable = {
  'GET_ORDER_INFO DOMAIN': orderInfo,
  'GET_ORDERS_BY_DOMAIN DOMAIN': ordersByDomain,
  'PROCESS_PENDING DOMAIN': processPending,
  'CANCEL_PENDING_ORDERS ORDER': cancelPending,
  'GET_NOTES DOMAIN': notes,
};
