import { withoutEnd } from '../../ends.ts';
import { priceText } from '../format.ts';
import { hasWord, registrable, splitName } from '../names.ts';
import { findDomain } from '../state/domains.ts';
import { findOrders } from '../state/orders.ts';
import { findOutside } from '../state/outside.ts';
import { isPremium, type PriceKind, priceCents } from '../state/prices.ts';
import type { World } from '../world.ts';
import {
  flag,
  listOf,
  ok,
  Refusal,
  textOf,
  textsOf,
  type XcpMap,
  type XcpReply,
  type XcpRequest,
} from '../xcp.ts';
import type { CommandTable } from './table.ts';

export type Availability = 'available' | 'taken' | 'waiting' | 'reserved';

export function availabilityOf(world: World, domain: string): Availability {
  if (hasWord(domain, 'reserved')) return 'reserved';
  if (findDomain(world, domain) || findOutside(world, domain)) return 'taken';
  const open = findOrders(world, `domain = ? AND reg_type = 'new' AND status = 'processing'`, domain);
  return open.length > 0 ? 'waiting' : 'available';
}

function lookup(world: World, request: XcpRequest): XcpReply {
  if (!request.domain) throw new Refusal(701, "Can't extract TLD from ''");
  const { domain } = registrable(world, request);
  switch (availabilityOf(world, domain)) {
    case 'available':
      return { code: 210, success: true, text: 'Domain available', attributes: { status: 'available' } };
    case 'waiting':
      return {
        code: 221,
        success: true,
        text: 'Domain taken, waiting registration',
        attributes: { status: 'taken', reason: '' },
      };
    case 'reserved':
      return taken('Reserved Name');
    case 'taken':
      return taken('');
  }
}

function taken(reason: string): XcpReply {
  return { code: 211, success: true, text: 'Domain taken', attributes: { status: 'taken', reason } };
}

const kinds: Record<string, PriceKind> = {
  new: 'new',
  renewal: 'renewal',
  transfer: 'transfer',
  trade: 'transfer',
};

function price(world: World, request: XcpRequest): XcpReply {
  const { domain } = registrable(world, request);
  const kind = kinds[textOf(request.attributes, 'reg_type').toLowerCase() || 'new'];
  const years = Number(textOf(request.attributes, 'period') || '1');
  if (!kind) throw new Refusal(465, 'Invalid registration type');
  if (!Number.isInteger(years) || years < 1 || years > 10) throw new Refusal(465, 'Invalid period');
  if (hasWord(domain, 'noprice')) throw new Refusal(400, 'Unable to determine the price of this domain');
  const cents = priceCents(world, domain, kind, years) ?? 0;
  const attributes: XcpMap = { price: priceText(cents) };
  if (isPremium(domain)) {
    attributes.is_registry_premium = '1';
    attributes.registry_premium_group = 'Premium Tier 1';
  }
  if (textOf(request.attributes, 'all_periods') === '1') {
    const prices: XcpMap = {};
    for (let period = 1; period <= 10; period += 1) {
      prices[String(period)] = priceText(priceCents(world, domain, kind, period) ?? 0);
    }
    attributes.prices = prices;
  }
  return ok('Command Successful', attributes);
}

const before = ['my', 'the', 'get', 'go', 'try', 'our', 'best'];
const after = ['online', 'group', 'hq', 'now', 'pro', 'works', 'team', 'hub'];

/** The word that the service makes of what was typed: `abc&d !` becomes `abcandd`. */
function searchWord(world: World, text: string): string {
  const typed = text.toLowerCase().trim().replace(/^.*@/, '');
  const label = splitName(world, typed)?.label ?? typed;
  const word = label
    .replaceAll('&', 'and')
    .replace(/[^a-z0-9-]/g, '')
    .replace(/^-+/, '');
  return withoutEnd(word, '-').slice(0, 63);
}

function suggest(world: World, request: XcpRequest): XcpReply {
  const { attributes } = request;
  const word = searchWord(world, textOf(attributes, 'searchstring'));
  if (!word) throw new Refusal(460, 'Search string not provided');
  const asked = textsOf(attributes, 'tlds').map((suffix) => suffix.toLowerCase().replace(/^\./, ''));
  const suffixes = (asked.length > 0 ? asked : ['com', 'net', 'org', 'info']).filter((suffix) =>
    splitName(world, `x.${suffix}`),
  );
  const maximum = Math.min(Number(textOf(attributes, 'maximum')) || 40, 200);
  const wanted = listOf(attributes, 'services');
  const services = wanted.length > 0 ? textsOf(attributes, 'services') : ['lookup', 'suggestion'];
  const items: Record<string, () => XcpMap[]> = {
    lookup: () => suffixes.map((suffix) => suggested(world, `${word}.${suffix}`)),
    suggestion: () => variations(word, suffixes).map((domain) => suggested(world, domain)),
    premium: () =>
      suffixes.map((suffix) => ({
        domain: `premium-${word}.${suffix}`.slice(-200),
        status: 'available',
        price: priceText(priceCents(world, `premium-${word}.${suffix}`, 'new', 1) ?? 0),
      })),
  };
  const sections: XcpMap = {};
  for (const service of services) {
    const make = items[service];
    // A service without a section found nothing.
    if (make) sections[service] = section(make().slice(0, maximum));
  }
  return {
    ...ok('Command completed successfully', sections),
    withoutObject: true,
    top: { is_search_completed: '1', request_response_time: '0.041' },
  };
}

function section(items: XcpMap[]): XcpMap {
  return {
    count: String(items.length),
    is_success: flag(true),
    response_code: '200',
    response_text: 'Command completed successfully.',
    items,
  };
}

function suggested(world: World, domain: string): XcpMap {
  const state = availabilityOf(world, domain);
  const item: XcpMap = { domain, status: state === 'available' ? 'available' : 'taken' };
  if (state === 'reserved') item.reason = 'Reserved Name';
  if (isPremium(domain)) item.price = priceText(priceCents(world, domain, 'new', 1) ?? 0);
  return item;
}

function variations(word: string, suffixes: string[]): string[] {
  const labels = [
    ...before.map((part) => `${part}${word}`),
    ...after.map((part) => `${word}${part}`),
    ...after.map((part) => `${word}-${part}`),
  ].filter((label) => label.length <= 63);
  return labels.flatMap((label) => suffixes.map((suffix) => `${label}.${suffix}`));
}

export const lookupCommands: CommandTable = {
  'LOOKUP DOMAIN': lookup,
  'GET_PRICE DOMAIN': price,
  'NAME_SUGGEST DOMAIN': suggest,
};
