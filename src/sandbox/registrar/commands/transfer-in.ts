import { DAY_MS, epoch, unixStyle } from '../format.ts';
import { registrable } from '../names.ts';
import { canPay } from '../state/account.ts';
import { findDomain } from '../state/domains.ts';
import { hostExists, notFoundText } from '../state/nameservers.ts';
import { findOrders, finishOrder, type Order, placeOrder } from '../state/orders.ts';
import { findOutside } from '../state/outside.ts';
import { priceCents } from '../state/prices.ts';
import {
  findTransfers,
  openTransfer,
  saveTransfer,
  startTransferIn,
  type Transfer,
} from '../state/transfers.ts';
import type { OrderTwist, World } from '../world.ts';
import { ok, Refusal, textOf, type XcpMap, type XcpReply, type XcpRequest } from '../xcp.ts';
import { contactSetOf } from './contact-rules.ts';
import { checkCredentials, forcedPending, nameserversOf, submitted } from './order-parts.ts';
import { notEnough } from './shortage.ts';

/** ICANN: 60 days after registration or transfer (checked 2026-11-21). */
const LOCK_DAYS = 60;
/** A check hurries a transfer that waits for the registry: it completes within 5 minutes (checked 2026-11-21). */
const HURRY_MS = 300_000;

export interface Transferability {
  ok: boolean;
  /** The code that an order gets. */
  code: number;
  reason: string;
  reasonCode?: string;
}

export function transferability(world: World, domain: string): Transferability {
  const refuse = (code: number, reason: string, reasonCode?: string): Transferability => ({
    ok: false,
    code,
    reason,
    ...(reasonCode ? { reasonCode } : {}),
  });
  const outside = findOutside(world, domain);
  if (findDomain(world, domain) || outside?.reseller === 'this') {
    return refuse(
      485,
      `Domain already exists in ${world.username} account`,
      'domain_already_belongs_to_current_reseller',
    );
  }
  if (openTransfer(world, domain)) return refuse(487, 'Transfer in progress');
  if (!outside) return refuse(487, 'Domain not registered');
  if (outside.locked) {
    return refuse(487, 'Domain status clientTransferProhibited does not allow for transfer');
  }
  if (world.now() - outside.createdAt < LOCK_DAYS * DAY_MS) {
    return refuse(552, 'Domain is less than 60 days old');
  }
  return { ok: true, code: 200, reason: '' };
}

export function checkTransfer(world: World, request: XcpRequest): XcpReply {
  const { domain } = registrable(world, request);
  const can = transferability(world, domain);
  const last = findTransfers(world, `domain = ? AND direction = 'in'`, domain)[0];
  const type = findOutside(world, domain)?.reseller ? 'rsp2rsp' : 'reg2reg';
  const attributes: XcpMap = { transferrable: can.ok ? '1' : '0', noservice: '0' };
  if (can.ok) attributes.type = type;
  else attributes.reason = can.reason;
  if (can.reasonCode) {
    attributes.reason_code = can.reasonCode;
    attributes.status = 'completed';
  }
  const open = last?.status.startsWith('pending') ? last : undefined;
  if (open) hurry(world, open);
  if (open || (last && textOf(request.attributes, 'check_status') === '1')) {
    attributes.status = (open ?? last)?.status ?? 'undef';
    attributes.timestamp = unixStyle((open ?? last)?.requestedAt ?? 0);
    attributes.unixtime = epoch((open ?? last)?.requestedAt ?? 0);
    attributes.type = type;
  } else if (textOf(request.attributes, 'check_status') === '1' && !attributes.status) {
    attributes.status = 'undef';
  }
  if (open && textOf(request.attributes, 'get_request_address') === '1') {
    attributes.request_address = open.requestAddress;
  }
  return ok('Query successful', attributes);
}

function hurry(world: World, transfer: Transfer): void {
  if (transfer.status !== 'pending_registry' || transfer.stepAt === null) return;
  const stepAt = Math.min(transfer.stepAt, world.now() + HURRY_MS);
  if (stepAt < transfer.stepAt) saveTransfer(world, { ...transfer, stepAt });
}

export function transferIn(world: World, request: XcpRequest, twist?: OrderTwist): XcpReply {
  const { domain } = registrable(world, request);
  const { attributes } = request;
  checkCredentials(attributes);
  const contacts = contactSetOf(attributes, textOf(attributes, 'custom_tech_contact') === '1');
  const period = textOf(attributes, 'period');
  if (period !== '' && period !== '1') throw new Refusal(465, 'Invalid period: transfers add one year');
  const can = transferability(world, domain);
  if (!can.ok) {
    // The second line is the reason (checked 2026-11-21).
    const text = can.code === 487 ? `Domain not transferable\n${can.reason}` : can.reason;
    throw new Refusal(can.code, text);
  }
  const keep: XcpMap = { ...attributes, sandbox_contacts: contacts };
  if (textOf(attributes, 'custom_transfer_nameservers') === '1') {
    const hosts = nameserversOf(world, attributes, 'custom_transfer_nameservers');
    const missing = hosts.find((host) => !hostExists(world, host));
    if (missing !== undefined) throw new Refusal(435, notFoundText(missing));
    keep.sandbox_nameservers = hosts;
  }
  const costCents = priceCents(world, domain, 'transfer', 1) ?? 0;
  const place = (status: Order['status']) =>
    placeOrder(world, { domain, regType: 'transfer', status, period: 1, costCents, attributes: keep });
  if (!canPay(world, costCents)) return notEnough(world, () => place('pending'));
  if (twist === 'forced-pending') return forcedPending(place('pending'));
  if (textOf(attributes, 'handle').toLowerCase() === 'save') {
    return ok('Order saved successfully', { id: String(place('pending').id) });
  }
  if (twist === 'async') return submitted(world, place('processing'));
  return transferSent(world, place('waiting'));
}

export function transferSent(world: World, order: Order): XcpReply {
  const transfer = startTransferIn(world, order);
  const text = 'Transfer request has been successfully sent';
  return ok(text, {
    registration_text: text,
    registration_code: '200',
    id: String(order.id),
    transfer_id: String(transfer.id),
  });
}

/** An asynchronous registry has taken the request up. */
export function finishTransferOrder(world: World, order: Order): void {
  const held = findOrders(world, 'id = ?', order.id)[0];
  if (held?.status !== 'processing') return;
  if (!transferability(world, order.domain).ok) {
    finishOrder(world, held, 'declined');
    return;
  }
  world.sql.run(`UPDATE registrar_orders SET status = 'waiting' WHERE id = ?`, order.id);
  startTransferIn(world, { ...held, status: 'waiting' });
}
