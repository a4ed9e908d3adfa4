import { addYears, stamp } from '../format.ts';
import { canPay, emit } from '../state/account.ts';
import { type Domain, findDomain, updateDomain } from '../state/domains.ts';
import { findOrders, finishOrder, type Order, placeOrder } from '../state/orders.ts';
import { priceCents } from '../state/prices.ts';
import type { OrderTwist, World } from '../world.ts';
import { flag, mapOf, ok, Refusal, textOf, type XcpMap, type XcpReply, type XcpRequest } from '../xcp.ts';
import { forcedPending, submitted } from './order-parts.ts';
import { notEnough } from './shortage.ts';
import type { CommandTable } from './table.ts';

function renew(world: World, request: XcpRequest, twist?: OrderTwist): XcpReply {
  const { attributes } = request;
  const { domain, years } = checkRenewal(world, request);
  const costCents = priceCents(world, domain.domain, 'renewal', years) ?? 0;
  const place = (status: Order['status']) =>
    placeOrder(world, {
      domain: domain.domain,
      regType: 'renewal',
      status,
      period: years,
      costCents,
      attributes,
    });
  if (!canPay(world, costCents)) return notEnough(world, () => place('pending'));
  if (twist === 'forced-pending') return forcedPending(place('pending'));
  if (textOf(attributes, 'handle').toLowerCase() === 'save') {
    return ok('Order saved successfully', { id: String(place('pending').id) });
  }
  if (twist === 'async') return submitted(world, place('processing'));
  return renewed(fulfilRenewal(world, place('completed')));
}

function checkRenewal(world: World, request: XcpRequest): { domain: Domain; years: number } {
  const { attributes } = request;
  if (!request.domain) throw new Refusal(460, 'No Domain Supplied');
  const domain = findDomain(world, request.domain);
  if (!domain || domain.state === 'redemption') throw new Refusal(480, 'Domain not found.');
  const years = Number(textOf(attributes, 'period'));
  if (!Number.isInteger(years) || years < 1 || years > 10) throw new Refusal(465, 'Invalid period');
  for (const field of ['currentexpirationyear', 'handle']) {
    if (!textOf(attributes, field)) throw new Refusal(460, `Missing required field: ${field}`);
  }
  const open = findOrders(
    world,
    `domain = ? AND reg_type = 'renewal' AND status = 'processing'`,
    domain.domain,
  );
  if (open.length > 0) {
    throw new Refusal(
      400,
      'Domain already renewed; another renewal cannot be applied until the first request completes at the registry',
    );
  }
  const year = textOf(attributes, 'currentexpirationyear');
  if (year !== stamp(domain.expiresAt).slice(0, 4)) refuseYear(world, domain, year);
  // The registry's own limit; the code is not documented (checked 2026-11-21).
  if (addYears(domain.expiresAt, years) > addYears(world.now(), 10)) {
    throw new Refusal(465, 'Renewal Failed: Invalid data', {
      error: 'period: the domain would be registered for more than 10 years',
    });
  }
  return { domain, years };
}

/** "Already renewed" where we have renewed from that very year, else a mismatch. */
function refuseYear(world: World, domain: Domain, year: string): never {
  const done = findOrders(
    world,
    `domain = ? AND reg_type = 'renewal' AND status = 'completed'`,
    domain.domain,
  ).some((order) => textOf(order.attributes, 'currentexpirationyear') === year);
  if (done) throw new Refusal(world.knobs().profile === 'horizon' ? 465 : 555, 'Domain Already Renewed.');
  throw new Refusal(541, 'The expiration year given does not match the expiration year at the registry');
}

/** The effect of a renewal that is ordered and paid. A name in grace is whole again. */
export function fulfilRenewal(world: World, order: Order): { domain: Domain; order: Order } {
  const domain = findDomain(world, order.domain);
  if (!domain) throw new Error(`renewal ${order.id} of a name that is gone`);
  const autoRenew = textOf(order.attributes, 'auto_renew');
  const next = updateDomain(world, domain, {
    state: 'active',
    expiresAt: addYears(domain.expiresAt, order.period),
    ...(autoRenew ? { autoRenew: autoRenew === '1' } : {}),
  });
  emit(world, 'DOMAIN', 'RENEWED', {
    domain_name: next.domain,
    domain_id: next.domainId,
    expiration_date: new Date(next.expiresAt).toISOString(),
  });
  return { domain: next, order };
}

export function finishRenewal(world: World, order: Order): void {
  if (order.status !== 'processing') return;
  const domain = findDomain(world, order.domain);
  const alive = domain !== null && domain.state !== 'redemption';
  const ended = finishOrder(world, order, alive ? 'completed' : 'declined');
  if (alive) fulfilRenewal(world, ended);
}

export function renewed({ domain, order }: { domain: Domain; order: Order }): XcpReply {
  const attributes: XcpMap = {
    'registration expiration date': stamp(domain.expiresAt),
    auto_renew: flag(domain.autoRenew),
    admin_email: textOf(mapOf(domain.contacts, 'admin'), 'email'),
    // `id` is a number of its own; the order is `order_id` (checked 2026-11-21).
    id: String(order.id - 298_000),
    order_id: String(order.id),
  };
  return ok('Command completed successfully', attributes);
}

export const renewCommands: CommandTable = { 'RENEW DOMAIN': renew };
