import { DAY_MS, epoch, stamp } from '../format.ts';
import { fitsGlob } from '../glob.ts';
import { addNote, canPay } from '../state/account.ts';
import { ownDomain } from '../state/domains.ts';
import { findOrder, findOrders, placeOrder } from '../state/orders.ts';
import { cancelTransfer, findTransfers, openTransfer, type Transfer } from '../state/transfers.ts';
import { MAIL_FROM } from '../state/verification.ts';
import type { World } from '../world.ts';
import { mapOf, ok, Refusal, textOf, type XcpMap, type XcpReply, type XcpRequest } from '../xcp.ts';
import { dayOf, pageOf } from './paging.ts';
import { notEnough } from './shortage.ts';
import type { CommandTable } from './table.ts';
import { checkTransfer, transferability, transferSent } from './transfer-in.ts';

/** Listings of transfers give at most 40 a page (checked 2026-11-21). */
const PAGE_CAP = 40;

function list(direction: 'in' | 'away') {
  return (world: World, request: XcpRequest): XcpReply => {
    const { attributes } = request;
    const wanted = findTransfers(world, 'direction = ?', direction).filter((transfer) =>
      fits(transfer, attributes, request.domain),
    );
    const page = pageOf(wanted, attributes, 1, PAGE_CAP);
    const reply: XcpMap = {
      page: String(page.page),
      page_size: String(page.limit),
      total: String(page.total),
    };
    // Absent if there are none (checked 2026-11-21).
    if (page.items.length > 0) reply.transfers = page.items.map((transfer) => shown(world, transfer));
    return ok('Command successful', reply);
  };
}

function fits(transfer: Transfer, attributes: XcpMap, domain: string): boolean {
  const other = transfer.direction === 'in' ? 'losing_registrar' : 'gaining_registrar';
  const equal: [string, string][] = [
    ['status', transfer.status],
    ['order_id', String(transfer.orderId ?? '')],
    ['transfer_id', String(transfer.id)],
    ['request_address', transfer.requestAddress],
  ];
  if (domain && domain !== transfer.domain) return false;
  if (equal.some(([key, value]) => textOf(attributes, key) && textOf(attributes, key) !== value))
    return false;
  const registrar = textOf(attributes, other);
  if (registrar && !fitsGlob(registrar.toLowerCase(), transfer.otherRegistrar.toLowerCase())) return false;
  return (
    within(attributes, 'req', transfer.requestedAt) &&
    within(attributes, 'order', transfer.requestedAt) &&
    within(attributes, 'completed', transfer.completedAt)
  );
}

function within(attributes: XcpMap, prefix: string, at: number | null): boolean {
  const from = dayOf(attributes, `${prefix}_from`);
  const to = dayOf(attributes, `${prefix}_to`);
  if (from === null && to === null) return true;
  return at !== null && at >= (from ?? 0) && at < (to ?? Number.MAX_SAFE_INTEGER - DAY_MS) + DAY_MS;
}

function shown(world: World, transfer: Transfer): XcpMap {
  const order = transfer.orderId === null ? null : findOrder(world, String(transfer.orderId));
  const inward = transfer.direction === 'in';
  const item: XcpMap = {
    domain: transfer.domain,
    gaining_registrar: inward ? 'Tucows Inc.' : transfer.otherRegistrar,
    losing_registrar: inward ? transfer.otherRegistrar : 'Tucows Inc.',
    order_date: stamp(transfer.requestedAt),
    order_id: transfer.orderId === null ? '' : String(transfer.orderId),
    status: transfer.status,
    transfer_id: String(transfer.id),
    request_address: transfer.requestAddress,
  };
  if (order?.affiliateId) item.affiliate_id = order.affiliateId;
  if (transfer.completedAt !== null) {
    item.completed_date = stamp(transfer.completedAt);
    item.completed_date_epoch = epoch(transfer.completedAt);
  }
  return item;
}

function requireReseller(request: XcpRequest): void {
  if (!textOf(request.attributes, 'reseller')) throw new Refusal(460, 'Missing required field: reseller');
}

/** Starts a cancelled transfer again, as a new order. */
function processTransfer(world: World, request: XcpRequest): XcpReply {
  requireReseller(request);
  const id = textOf(request.attributes, 'order_id');
  if (!id) throw new Refusal(460, 'Missing required field: order_id');
  const order = findOrder(world, id);
  if (order?.regType !== 'transfer') throw new Refusal(480, 'Order not found.');
  if (order.status !== 'cancelled') throw new Refusal(465, `Transfer order ${id} is not cancelled`);
  const can = transferability(world, order.domain);
  if (!can.ok) throw new Refusal(can.code, `Domain not transferable\n${can.reason}`);
  const { domain, regType, period, costCents, attributes } = order;
  const place = (status: 'waiting' | 'pending') =>
    placeOrder(world, { domain, regType, status, period, costCents, attributes });
  if (!canPay(world, costCents)) return notEnough(world, () => place('pending'));
  const again = place('waiting');
  transferSent(world, again);
  return ok('Transfer request has been successfully sent', { order_id: String(again.id) });
}

function cancel(world: World, request: XcpRequest): XcpReply {
  requireReseller(request);
  const id = textOf(request.attributes, 'order_id');
  if (!id && !request.domain) throw new Refusal(460, 'Missing required field: domain or order_id');
  const domain = request.domain || findOrders(world, 'id = ?', Number(id) || 0)[0]?.domain || '';
  const open = openTransfer(world, domain);
  if (open?.direction !== 'in' || (id && String(open.orderId) !== id)) {
    throw new Refusal(480, 'Transfer not found.');
  }
  if (open.status === 'pending_registry') {
    throw new Refusal(465, 'Transfer cannot be canceled: it is already at the registry');
  }
  cancelTransfer(world, open);
  return ok(`Transfer with order id: ${open.orderId} has been canceled.`);
}

/** The name of the attribute is `domain_name` here alone (checked 2026-11-21). */
function sendAuthCode(world: World, request: XcpRequest): XcpReply {
  const name = textOf(request.attributes, 'domain_name').toLowerCase();
  const domain = ownDomain(world, { ...request, domain: name });
  const to = textOf(mapOf(domain.contacts, 'admin'), 'email');
  addNote(world, domain.domain, null, 'domain', `Authorization code sent to ${to}`);
  world.mail({
    to,
    from: MAIL_FROM,
    subject: `Authorization code for ${domain.domain}`,
    text: `The authorization code (EPP code) of ${domain.domain} is:\n\n${domain.authCode}\n`,
  });
  return ok('Domain authorization code has been sent successfully');
}

export const transferCommands: CommandTable = {
  'CHECK_TRANSFER DOMAIN': checkTransfer,
  'GET_TRANSFERS_IN DOMAIN': list('in'),
  'GET_TRANSFERS_AWAY DOMAIN': list('away'),
  'PROCESS_TRANSFER TRANSFER': processTransfer,
  'CANCEL_TRANSFER TRANSFER': cancel,
  'SEND_AUTHCODE DOMAIN': sendAuthCode,
};
