import { addYears } from '../format.ts';
import { hasWord, registrable } from '../names.ts';
import { canPay } from '../state/account.ts';
import type { Domain } from '../state/domains.ts';
import { hostExists, notFoundText } from '../state/nameservers.ts';
import { cancelPendingOrders, findOrders, finishOrder, type Order, placeOrder } from '../state/orders.ts';
import { describeOutside, saveOutside } from '../state/outside.ts';
import { isPremium, priceCents } from '../state/prices.ts';
import { provision } from '../state/provision.ts';
import type { OrderTwist, World } from '../world.ts';
import {
  failed,
  flag,
  mapOf,
  ok,
  Refusal,
  textOf,
  type XcpMap,
  type XcpReply,
  type XcpRequest,
} from '../xcp.ts';
import { contactSetOf, refuseData } from './contact-rules.ts';
import { availabilityOf } from './lookup.ts';
import { checkCredentials, forcedPending, nameserversOf, submitted } from './order-parts.ts';
import { notEnough } from './shortage.ts';
import type { CommandTable } from './table.ts';
import { transferIn } from './transfer-in.ts';

function swRegister(world: World, request: XcpRequest, twist?: OrderTwist): XcpReply {
  const kind = textOf(request.attributes, 'reg_type').toLowerCase();
  if (kind === 'transfer') return transferIn(world, request, twist);
  if (kind === 'new' || kind === 'premium') return registerNew(world, request, twist);
  if (!kind) throw new Refusal(460, 'Missing required field: reg_type');
  throw new Refusal(465, 'Invalid registration type');
}

function registerNew(world: World, request: XcpRequest, twist?: OrderTwist): XcpReply {
  const { domain } = registrable(world, request);
  const { attributes } = request;
  const years = Number(textOf(attributes, 'period') || '2');
  if (!Number.isInteger(years) || years < 1 || years > 10) refuseData(['period: must be 1 to 10 years']);
  checkCredentials(attributes);
  contactSetOf(attributes, textOf(attributes, 'custom_tech_contact') === '1');
  const costCents = priceCents(world, domain, 'new', years) ?? 0;
  checkPremium(domain, attributes, costCents);
  const template = textOf(attributes, 'dns_template');
  if (template && template !== '*blank*') {
    throw new Refusal(478, `DNS template specified does not exist.  (${template})`);
  }
  const place = (status: Order['status']) =>
    placeOrder(world, { domain, regType: 'new', status, period: years, costCents, attributes });

  const nameservers = nameserversOf(world, attributes);
  const missing = nameservers.find((host) => !hostExists(world, host));
  if (missing !== undefined) {
    const id = String(place('pending').id);
    const text = notFoundText(missing);
    return failed(435, text, {
      registration_text: text,
      registration_code: '435',
      id,
      forced_pending: id,
    });
  }
  if (hasWord(domain, 'taken-late') && availabilityOf(world, domain) === 'available') {
    saveOutside(world, describeOutside(world, domain, { ageDays: 0 }));
  }
  const state = availabilityOf(world, domain);
  if (state === 'waiting') throw new Refusal(437, 'Another request is waiting on this domain');
  if (state !== 'available')
    return failed(485, 'Domain taken', { forced_pending: String(place('pending').id) });
  if (!canPay(world, costCents)) return notEnough(world, () => place('pending'));
  if (twist === 'forced-pending') return forcedPending(place('pending'));
  if (textOf(attributes, 'handle').toLowerCase() === 'save') {
    return ok('Order saved successfully', { id: String(place('pending').id) });
  }
  if (twist === 'async') return submitted(world, place('processing'));
  const cancelled = cancelPendingOrders(world, domain);
  const order = place('completed');
  return registered(world, order, fulfilRegistration(world, order), cancelled);
}

/** The effect of a registration that is ordered and paid. */
export function fulfilRegistration(world: World, order: Order): Domain {
  const { attributes } = order;
  const createdAt = Math.floor(world.now() / 1000) * 1000;
  return provision(world, {
    domain: order.domain,
    attributes,
    contacts: contactSetOf(attributes, textOf(attributes, 'custom_tech_contact') === '1'),
    nameservers: nameserversOf(world, attributes),
    createdAt,
    expiresAt: addYears(createdAt, order.period),
    transferredAt: null,
  });
}

/** Completes a registration that waited at an asynchronous registry; somebody else may have been faster. */
export function finishRegistration(world: World, order: Order): void {
  const held = findOrders(world, 'id = ?', order.id)[0];
  if (held?.status !== 'processing') return;
  const others = findOrders(world, `domain = ? AND status = 'completed' AND reg_type = 'new'`, order.domain);
  const free = others.length === 0 && availabilityOf(world, order.domain) !== 'taken';
  const ended = finishOrder(world, held, free ? 'completed' : 'declined');
  if (free) fulfilRegistration(world, ended);
}

export function registered(world: World, order: Order, domain: Domain, cancelled: string[]): XcpReply {
  const noPrivacy = domain.privacy && hasWord(domain.domain, 'noprivacy');
  if (noPrivacy) {
    world.sql.run('UPDATE registrar_domains SET privacy = 0 WHERE domain = ?', domain.domain);
  }
  const lines = ['Domain registration successfully completed'];
  if (domain.locked) lines.push('Domain successfully locked.');
  if (domain.privacy && !noPrivacy) lines.push('Whois Privacy successfully enabled.');
  const text = lines.join('\n');
  const attributes: XcpMap = {
    registration_text: text,
    registration_code: '200',
    id: String(order.id),
    admin_email: textOf(mapOf(domain.contacts, 'admin'), 'email'),
    domain_id: domain.domainId,
    whois_privacy_state: domain.privacy && !noPrivacy ? 'enabled' : 'disabled',
  };
  if (cancelled.length > 0) attributes.cancelled_orders = cancelled;
  if (noPrivacy) {
    attributes.whois_privacy = {
      response_text: 'Whois Privacy could not be enabled',
      response_code: '300',
      is_success: flag(false),
      order_id: String(order.id),
    };
  }
  return ok(text, attributes);
}

function checkPremium(domain: string, attributes: XcpMap, costCents: number): void {
  if (!isPremium(domain)) return;
  const agreed = Number(textOf(attributes, 'premium_price_to_verify'));
  if (Math.round(agreed * 100) !== costCents) {
    refuseData(['premium_price_to_verify: does not match the price of this premium domain']);
  }
}

export const registerCommands: CommandTable = { 'SW_REGISTER DOMAIN': swRegister };
