import { shallowEqual } from '@mantine/hooks';
import type { PurchaseBody } from '#contracts/operations/orders.ts';
import { mostItems, type RegistrationYears, registrationYears } from '#contracts/values/order-limits.ts';
import type { SentOrder } from './sent-order.ts';

/** What the cart holds (P1 §3), and its rules: pure, so that each can be shown by itself. */

export interface DomainItem {
  type: 'domain';
  address: string;
  customerId: string | null;
  registration: RegistrationYears;
  whois: boolean;
  autoRenew: boolean;
}
export interface RenewalItem {
  type: 'renewal';
  address: string;
  registration: 1;
  autoRenew: boolean;
  customerId: string | null;
  expireDate: string;
}
export interface TransferItem {
  type: 'transfer';
  address: string;
  registration: 1;
  autoRenew: boolean;
  customerId: string | null;
  EPPCode: string;
}
export interface CertificateItem {
  type: 'certificate';
  address: string;
  customerId: string | null;
  provider: string;
  productType: string;
  csr: string;
  /** Name of the chosen file, for the row. */
  csrName: string;
  /** Follows an earlier order whose term ends. */
  renews?: true;
}
export type CartItem = DomainItem | RenewalItem | TransferItem | CertificateItem;

/** An item that is being bought already; what becomes of it is read from its order (decisions no. 8). */
export interface RunningItem {
  type: CartItem['type'];
  address: string;
  itemId: string;
  orderId: string;
}

/** The price of an item that the person knows of, and what it was the price of: another period has another one. */
export interface SeenPrice {
  type: CartItem['type'];
  address: string;
  of: string;
  price: number;
}

export interface CartState {
  items: CartItem[];
  seen: SeenPrice[];
  /** Made before the first purchase request with these items, kept until they change: a repeat is the same order. */
  idempotencyKey: string | null;
  sent: SentOrder | null;
  running: RunningItem[];
  /** "Same customer for all new domains" (P1 §5). */
  sharedOwner: boolean;
}

export const emptyCart: CartState = {
  items: [],
  seen: [],
  idempotencyKey: null,
  sent: null,
  running: [],
  sharedOwner: false,
};

export type ItemName = Pick<CartItem, 'type' | 'address'>;
/** Whether a name is one of these. A cart may be long. */
function amongst(names: readonly ItemName[]): (name: ItemName) => boolean {
  const keys = new Set(names.map(({ type, address }) => `${type} ${address}`));
  return ({ type, address }) => keys.has(`${type} ${address}`);
}
export const sameItem = (a: ItemName, b: ItemName) => a.type === b.type && a.address === b.address;

/**
 * The same cart, in which what is as it was before is the same object, whatever it was read from: the line of an item is drawn again
 * only when another object stands for it.
 */
export function withKnown(state: CartState, before: CartState): CartState {
  const known = <T extends ItemName>(entry: T, entries: readonly T[]) => {
    const earlier = entries.find((other) => sameItem(other, entry));
    return earlier && shallowEqual(earlier, entry) ? earlier : entry;
  };
  return {
    ...state,
    items: state.items.map((item) => known(item, before.items)),
    running: state.running.map((item) => known(item, before.running)),
  };
}

/** Any change makes it another order: the key goes. An order that was sent with other items stays known. */
export function withItems(state: CartState, items: CartItem[]): CartState {
  const isAmong = amongst(items);
  return {
    ...{ ...state, items, idempotencyKey: null },
    ...{ running: state.running.filter(isAmong), seen: state.seen.filter(isAmong) },
  };
}

/** The person knows of these prices now. It is the same order. */
export function withSeen(state: CartState, prices: readonly SeenPrice[]): CartState {
  const isAmong = amongst(prices);
  return { ...state, seen: [...state.seen.filter((known) => !isAmong(known)), ...prices] };
}

/**
 * Ignored when the same type and address is there already, and when the cart is full. A new domain takes the shared owner;
 * one that brings another owner ends the sharing, or the next change would give one customer's name to another.
 */
export function withAdded(state: CartState, item: CartItem): CartState {
  if (state.items.some((known) => sameItem(known, item)) || state.items.length >= mostItems) return state;
  const added = { ...item, customerId: ownerOfAdded(state, item) };
  const apart =
    item.type === 'domain' &&
    state.items.some(({ type }) => type === 'domain') &&
    added.customerId !== sharedOwnerOf(state.items);
  return { ...withItems(state, [...state.items, added]), sharedOwner: state.sharedOwner && !apart };
}

function ownerOfAdded({ items, sharedOwner }: CartState, item: CartItem): string | null {
  if (item.type === 'domain' && sharedOwner && item.customerId === null) return sharedOwnerOf(items);
  if (item.type !== 'certificate') return item.customerId;
  // Its prices were read first: another owner may have been chosen meanwhile.
  const domain = items.find((known) => sameItem(known, { type: 'domain', address: item.address }));
  return domain ? domain.customerId : item.customerId;
}

/** An item that left the cart: where it was, and its order where it was being bought already. */
export interface RemovedItem {
  item: CartItem;
  at: number;
  running: RunningItem | null;
}

/** What leaves with these: a domain takes its certificate along, a certificate goes alone. */
export function removedBy(state: CartState, names: readonly ItemName[]): RemovedItem[] {
  const goes = (item: CartItem) =>
    names.some((name) =>
      name.type === 'certificate' ? sameItem(item, name) : item.address === name.address,
    );
  return state.items.flatMap((item, at) =>
    goes(item) ? [{ item, at, running: state.running.find((known) => sameItem(known, item)) ?? null }] : [],
  );
}

/**
 * Puts back what left, each where it was and with its owner. What the cart holds again by now is left as it is. Where the owner
 * that all share has become another one, the sharing ends: no name gets an owner that nobody chose for it.
 */
export function withRestored(state: CartState, removed: readonly RemovedItem[]): CartState {
  const back = removed.filter(({ item }) => !state.items.some((known) => sameItem(known, item)));
  if (back.length === 0) return state;
  const items = [...state.items];
  for (const { item, at } of back.slice(0, mostItems - items.length)) {
    items.splice(at, 0, { ...item, customerId: ownerOfAdded(state, item) });
  }
  const running = [...state.running, ...back.flatMap((known) => known.running ?? [])];
  const whole = withItems({ ...state, running }, withCertificatesOfDomains(items));
  return { ...whole, sharedOwner: state.sharedOwner && !hasSeveralOwners(items) };
}

/**
 * Replaces the matching item. A certificate belongs to whom its domain belongs to; with one customer for all, another
 * owner of one new domain is another owner of all.
 */
export function withUpdated(state: CartState, item: CartItem): CartState {
  const known = state.items.find((other) => sameItem(other, item));
  const items = state.items.map((other) => (other === known ? item : other));
  if (item.type !== 'domain') return withItems(state, items);
  const another = known !== undefined && known.customerId !== item.customerId;
  return withItems(state, owned(items, item.customerId, state.sharedOwner && another ? null : item.address));
}

/** A certificate with this CSR; whatever else it holds stays. */
export function withCsr(state: CartState, address: string, csr: string, csrName: string): CartState {
  const known = state.items.find((item) => sameItem(item, { type: 'certificate', address }));
  return known?.type === 'certificate' ? withUpdated(state, { ...known, csr, csrName }) : state;
}

/** Each item keeps its own owner; sharing sets them once, so that an item that leaves takes no owner along. */
export function withSharing(state: CartState, sharedOwner: boolean): CartState {
  const items = sharedOwner ? owned(state.items, sharedOwnerOf(state.items), null) : state.items;
  return { ...withItems(state, items), sharedOwner };
}

/** P1 §5: the first new domain's customer. */
function sharedOwnerOf(items: readonly CartItem[]): string | null {
  return items.find((item) => item.type === 'domain')?.customerId ?? null;
}

const hasSeveralOwners = (items: readonly CartItem[]) =>
  items.some(({ type, customerId }) => type === 'domain' && customerId !== sharedOwnerOf(items));

/** A certificate belongs to whom its new domain belongs to. */
function withCertificatesOfDomains(items: readonly CartItem[]): CartItem[] {
  const owners = new Map(
    items.flatMap(({ type, address, customerId }) =>
      type === 'domain' ? [[address, customerId] as const] : [],
    ),
  );
  return items.map((item) => {
    const customerId = owners.get(item.address);
    return item.type !== 'certificate' || customerId === undefined ? item : { ...item, customerId };
  });
}

/** The new domains, or the one of that name, with this owner, and the certificates of each. */
function owned(items: readonly CartItem[], customerId: string | null, only: string | null): CartItem[] {
  const meant = items.filter(({ type, address }) => type === 'domain' && (only === null || address === only));
  const domains = new Set(meant.map(({ address }) => address));
  return items.map((item) =>
    (item.type === 'domain' || item.type === 'certificate') && domains.has(item.address)
      ? { ...item, customerId }
      : item,
  );
}

/** A whole cart of whatever was stored: by another version, by another program, or half. What is no item is left out. */
export function mendedCart(stored: unknown): CartState {
  const given = recordOf(stored);
  const items: CartItem[] = [];
  for (const entry of recordsOf(given.items)) {
    const item = mendedItem(entry);
    if (item && items.length < mostItems && !items.some((known) => sameItem(known, item))) items.push(item);
  }
  const isAmong = amongst(items);
  const running = recordsOf(given.running).filter(isRunning).filter(isAmong);
  const seen = recordsOf(given.seen).filter(isSeen).filter(isAmong);
  const key = textOf(given.idempotencyKey);
  const state: CartState = {
    ...{ items, running, seen, idempotencyKey: key === '' ? null : key, sent: mendedSent(given.sent) },
    sharedOwner: given.sharedOwner === true,
  };
  if (!state.sharedOwner) return state;
  const withOwner = items.filter(({ type, customerId }) => type === 'domain' && customerId !== null);
  // Some have another owner: each keeps its own, and what was sent with the shared one was another order.
  if (withOwner.some(({ customerId }) => customerId !== sharedOwnerOf(items))) {
    return { ...state, items: withCertificatesOfDomains(items), sharedOwner: false, idempotencyKey: null };
  }
  // Earlier versions kept the mark alone, and shared when it was read: what has no owner yet takes the shared one.
  return { ...withSharing(state, true), idempotencyKey: state.idempotencyKey };
}

type Unknown = Record<string, unknown>;
const recordOf = (value: unknown): Unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Unknown) : {};
const recordsOf = (value: unknown): Unknown[] => (Array.isArray(value) ? value.map(recordOf) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function mendedItem(given: Unknown): CartItem | null {
  const address = textOf(given.address);
  if (!/^[^\s/?#]{1,253}$/.test(address)) return null;
  const customerId = textOf(given.customerId) || null;
  const autoRenew = given.autoRenew === true;
  const base = { address, customerId, autoRenew };
  switch (given.type) {
    case 'domain':
      return {
        type: 'domain',
        ...base,
        registration: registrationYears.find((years) => years === given.registration) ?? 1,
        whois: given.whois === true,
      };
    case 'renewal': {
      const expireDate = textOf(given.expireDate);
      return Number.isNaN(Date.parse(expireDate))
        ? null
        : { type: 'renewal', ...base, registration: 1, expireDate };
    }
    case 'transfer':
      return { type: 'transfer', ...base, registration: 1, EPPCode: textOf(given.EPPCode) };
    case 'certificate':
      return {
        type: 'certificate',
        ...{ address, customerId, provider: textOf(given.provider), productType: textOf(given.productType) },
        ...{ csr: textOf(given.csr), csrName: textOf(given.csrName) },
        ...(given.renews === true ? { renews: true as const } : {}),
      };
    default:
      return null;
  }
}

function isRunning(given: Unknown): given is Unknown & RunningItem {
  return [given.type, given.address, given.itemId, given.orderId].every((part) => textOf(part) !== '');
}

function isSeen(given: Unknown): given is Unknown & SeenPrice {
  return (
    [given.type, given.address, given.of].every((part) => textOf(part) !== '') &&
    typeof given.price === 'number'
  );
}

function mendedSent(stored: unknown): SentOrder | null {
  const { key, body, atMs, again } = recordOf(stored);
  if (textOf(key) === '' || typeof atMs !== 'number' || typeof body !== 'object' || body === null)
    return null;
  const sent = { key: textOf(key), body: body as PurchaseBody, atMs };
  return again === true ? { ...sent, again } : sent;
}
