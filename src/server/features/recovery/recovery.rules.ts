import { moneyText } from '#contracts/values/format.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { OrderItemKind } from '#kernel/db/schema.ts';
import type { Contact } from '../../ports/registrar.ts';
import type { OrderOrigin } from '../../ports/tag.ts';

/** What recovery makes of what registrar and payment provider say: pure. */

/**
 * The others are asked about everything since the database knew it all, and so much before: the registrar's dates are whole
 * days in places, and clocks differ.
 */
export const marginMs = dayMs;
/** Two expiry dates that differ by less are the same one, read in two ways. */
const sameExpiryMs = dayMs;

export function askedSince(since: Date): Date {
  return new Date(since.getTime() - marginMs);
}

export interface OwnName {
  organisationId: string;
  expiresAt: Date | null;
  /** A transfer to us is under way. */
  isComing: boolean;
}

export interface NamesCompared {
  /** At the registrar, and on nobody's list. */
  unknown: string[];
  /** On somebody's list, with another expiry at the registrar. */
  moved: string[];
  /** On somebody's list, unexpired, and not at the registrar. */
  missing: string[];
}

export function compareNames(
  held: ReadonlyMap<string, Date>,
  ours: ReadonlyMap<string, OwnName>,
  now: Date,
): NamesCompared {
  const found: NamesCompared = { unknown: [], moved: [], missing: [] };
  for (const [name, expiresAt] of held) {
    const own = ours.get(name);
    if (!own) found.unknown.push(name);
    else if (!own.expiresAt) {
      if (!own.isComing) found.moved.push(name);
    } else if (Math.abs(expiresAt.getTime() - own.expiresAt.getTime()) >= sameExpiryMs) {
      found.moved.push(name);
    }
  }
  for (const [name, { expiresAt }] of ours) {
    if (expiresAt && expiresAt > now && !held.has(name)) found.missing.push(name);
  }
  return found;
}

/** An order at the registrar, of a name or of a certificate. */
export interface OutsideOrder {
  orderId: string;
  address: string;
  kind: OrderItemKind | 'other';
  /** `open`: accepted and not carried out yet. */
  state: 'done' | 'open' | 'ended';
  tag: string | null;
  origin: OrderOrigin | null;
  costCents: number | null;
  years: number | null;
  orderedAt: Date | null;
}

export interface KnownOrders {
  items: ReadonlySet<string>;
  registrarOrders: ReadonlySet<string>;
  organisations: ReadonlySet<string>;
}

export type OrderVerdict =
  /** An item of ours, an order of before, or one that came to nothing. */
  | { what: 'nothing' }
  /** It is written down again and charged at its price. */
  | { what: 'adopt'; itemId: string; kind: OrderItemKind; origin: OrderOrigin }
  | { what: 'person'; kind: 'order-without-price' | 'order-of-unknown-organization'; text: string };

const idOfOurs = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What becomes of one order. `since`: the others are asked from then on (`askedSince`). */
export function verdictOnOrder(order: OutsideOrder, known: KnownOrders, since: Date): OrderVerdict {
  if (order.state === 'ended') return { what: 'nothing' };
  if (known.registrarOrders.has(order.orderId)) return { what: 'nothing' };
  // No item of ours has an empty id.
  const tag = order.tag ?? '';
  if (known.items.has(tag)) return { what: 'nothing' };
  // An order that does not say when it was placed may be of any time.
  if (order.orderedAt && order.orderedAt < since) return { what: 'nothing' };
  const { kind, origin } = order;
  const cost = order.costCents === null ? '' : `, which cost ${moneyText(order.costCents)},`;
  const named = `Order ${order.orderId} for ${order.address}${cost}`;
  if (!origin || !idOfOurs.test(tag) || kind === 'other') {
    const text = `${named} does not say for whom it is and at what price. Nothing was charged for it.`;
    return { what: 'person', kind: 'order-without-price', text };
  }
  if (!known.organisations.has(origin.organisationId)) {
    const price = moneyText(origin.priceCents);
    const text = `${named} is for ${price} and for organization ${origin.organisationId}, which is not in the database. Nothing was charged for it.`;
    return { what: 'person', kind: 'order-of-unknown-organization', text };
  }
  return { what: 'adopt', itemId: tag, kind, origin };
}

/** Whether two contacts are the same person at the same place, however they are written. */
export function isSameContact(one: Contact, other: Contact): boolean {
  const keys = ['email', 'lastName', 'organization', 'postalCode', 'country'] as const;
  return keys.every((key) => plain(one[key]) === plain(other[key]));
}

const plain = (text: string) => text.toLowerCase().replace(/\s+/g, '');

/** The end is held by what a person must decide, and by nothing else. */
export function stateAfter(undecided: number): 'waiting' | 'ended' {
  return undecided > 0 ? 'waiting' : 'ended';
}

/** `12 of 340`, or what is known of it. */
export function progressText(done: number, total: number | null): string {
  return total === null ? String(done) : `${done} of ${total}`;
}
