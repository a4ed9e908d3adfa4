import type { PurchaseBody, PurchaseResult } from '#contracts/operations/orders.ts';
import { keepText, readKept, readText, watchKept } from '../../lib/storage.ts';
import {
  type CartItem,
  type CartState,
  type DomainItem,
  emptyCart,
  type ItemName,
  mendedCart,
  type RemovedItem,
  type RunningItem,
  removedBy,
  type SeenPrice,
  sameItem,
  withAdded,
  withCsr,
  withItems,
  withKnown,
  withRestored,
  withSeen,
  withSharing,
  withUpdated,
} from './cart-state.ts';
import type { SentOrder } from './sent-order.ts';

export type {
  CartItem,
  CertificateItem,
  DomainItem,
  RenewalItem,
  RunningItem,
  SeenPrice,
  TransferItem,
} from './cart-state.ts';
export type { SentOrder } from './sent-order.ts';

/** The cart (P1 §3 and §4): kept per user in the browser, items unique by type and address, saved on each change. */

let owner: string | null = null;
let state: CartState = emptyCart;
/** Whether this browser keeps what is written. */
let kept = true;
/** Names that found no place in a full cart; told once, on whatever screen. */
let leftOut: readonly string[] = [];
const listeners = new Set<() => void>();

const nameOf = (userId: string) => `cart.${userId}`;
const tell = () => {
  for (const listener of [...listeners]) listener();
};
const load = (userId: string) => readKept('local', nameOf(userId), mendedCart);

/** Changes what is stored now: another window may have changed it since this one last looked. */
function change(next: (now: CartState) => CartState): void {
  const now = owner && kept ? load(owner) : state;
  state = withKnown(next(now), state);
  if (owner) {
    const text = JSON.stringify(state);
    keepText('local', nameOf(owner), text);
    kept = readText('local', nameOf(owner)) === text;
  }
  tell();
}

/** Tells of those that the cart does not hold, because it is full. */
function tellLeftOut(items: readonly CartItem[]): CartItem[] {
  const missing = without(items, state.items);
  if (missing.length > 0) {
    leftOut = [...leftOut, ...missing.map(({ address }) => address)];
    tell();
  }
  return missing;
}

function succeeded(result: PurchaseResult): ItemName[] {
  const of = (type: CartItem['type'], list: { domain: string }[]) =>
    list.map(({ domain }) => ({ type, address: domain }));
  return [
    ...of('domain', result.domains.success),
    ...of('renewal', result.renewals.success),
    ...of('transfer', result.transfers.success),
    ...of('certificate', result.certificates.success),
  ];
}

const without = (items: readonly CartItem[], done: readonly ItemName[]) =>
  items.filter((item) => !done.some((name) => sameItem(item, name)));

/**
 * The items of the next order: without those that are being bought already, and those that a result tells of as bought or still
 * running.
 */
export function stillToBuy(
  { items, running }: Pick<CartState, 'items' | 'running'>,
  result: PurchaseResult | null,
): CartItem[] {
  const left = without(items, running);
  return result ? without(left, takenBy(result)) : left;
}

function takenBy(result: PurchaseResult): ItemName[] {
  const running = result.pending.map(({ domain, kind }) => ({
    type: kind as CartItem['type'],
    address: domain,
  }));
  return [...succeeded(result), ...running];
}

export const cart = {
  /** Loads the stored cart once the user is known; another user has another cart. */
  init(userId: string): void {
    if (owner === userId) return;
    owner = userId;
    kept = true;
    leftOut = [];
    state = load(userId);
    tell();
  },
  /** Ignored when the same type and address is there already. Gives back what found no place. */
  add(...items: CartItem[]): CartItem[] {
    change((now) => items.reduce(withAdded, now));
    return tellLeftOut(items);
  },
  /** The person has read that the cart is full. */
  forgetLeftOut(): void {
    leftOut = [];
    tell();
  },
  /** Removes items by address, and what belongs to them. Gives back all that left, for `restore`. */
  remove(...names: ItemName[]): RemovedItem[] {
    const removed: RemovedItem[] = [];
    change((now) => {
      removed.push(...removedBy(now, names));
      const gone = removed.map(({ item }) => item);
      return withItems(now, without(now.items, gone));
    });
    return removed;
  },
  restore(removed: readonly RemovedItem[]): void {
    change((now) => withRestored(now, removed));
    tellLeftOut(removed.map(({ item }) => item));
  },
  /** Takes out what was bought, and only that: a failed certificate stays although its domain succeeded. */
  finish(bought: readonly ItemName[]): void {
    change((now) => withItems(now, without(now.items, bought)));
  },
  update(item: CartItem): void {
    change((now) => withUpdated(now, item));
  },
  /** The CSR alone: its check takes a while, and what was chosen meanwhile stays. */
  setCsr(address: string, csr: string, csrName: string): void {
    change((now) => withCsr(now, address, csr, csrName));
  },
  clear(): void {
    change((now) => withItems(now, []));
  },
  /** The key of the order that these items make; stored before the request that carries it. */
  key(): string {
    if (!state.idempotencyKey) {
      change((now) => (now.idempotencyKey ? now : { ...now, idempotencyKey: crypto.randomUUID() }));
    }
    return state.idempotencyKey ?? '';
  },
  /** Stores what is about to be sent. The same items once more, while there is no answer: the very same request. */
  send(body: PurchaseBody, nowMs: number): SentOrder {
    const key = cart.key();
    const sent: SentOrder =
      state.sent?.key === key ? { ...state.sent, atMs: nowMs, again: true } : { key, body, atMs: nowMs };
    change((now) => ({ ...now, sent }));
    return sent;
  },
  /** The order of these items that was sent and not answered. */
  unanswered(): SentOrder | null {
    return state.sent && state.sent.key === state.idempotencyKey ? state.sent : null;
  },
  /** An order that was sent before the items changed: the next one has another key, and would buy the same once more. */
  superseded(): SentOrder | null {
    return state.sent && state.sent.key !== state.idempotencyKey ? state.sent : null;
  },
  /**
   * The order that the page was left in the middle of, however long ago: asking orders nothing (decisions 30 and 131). How long a
   * key is known is for the server to say.
   */
  interrupted(): SentOrder | null {
    return state.sent && state.sent.atMs > 0 ? state.sent : null;
  },
  /** It has not arrived: it is not asked for again unless the person does. */
  giveUpWaiting(key: string): void {
    change((now) => (now.sent?.key === key ? { ...now, sent: { ...now.sent, atMs: 0 } } : now));
  },
  /** It did not go out, and never has: there is nothing to ask for. Its key stays with the items. */
  notSent(key: string): void {
    change((now) => (now.sent?.key === key ? { ...now, sent: null } : now));
  },
  /** A refusal ends the order; what stays in the cart will be another one. Another order that was sent meanwhile stays known. */
  forgetOrder(key: string): void {
    change((now) => ({
      ...now,
      idempotencyKey: now.idempotencyKey === key ? null : now.idempotencyKey,
      sent: now.sent?.key === key ? null : now.sent,
    }));
  },
  /** The person has seen the result: what was bought leaves, what still runs is marked, the rest stays (P1 §4). */
  settle(key: string, result: PurchaseResult): void {
    const running = result.pending.map(({ domain, kind, itemId }) => ({
      type: kind as CartItem['type'],
      address: domain,
      itemId,
      orderId: result.orderId,
    }));
    change((now) => {
      const others = now.running.filter((known) => !running.some((entry) => sameItem(entry, known)));
      const sent = now.sent?.key === key ? null : now.sent;
      const marked = { ...now, sent, running: [...others, ...running] };
      return withItems(marked, without(now.items, succeeded(result)));
    });
  },
  /** A running item has come to its end. */
  settleRunning(ended: RunningItem, bought: boolean): void {
    change((now) => {
      const freed = { ...now, running: now.running.filter((known) => !sameItem(known, ended)) };
      return withItems(freed, bought ? without(now.items, [ended]) : now.items);
    });
  },
  /** The person knows of these prices now. */
  see(prices: readonly SeenPrice[]): void {
    if (prices.length > 0) change((now) => withSeen(now, prices));
  },
  shareOwner(sharedOwner: boolean): void {
    change((now) => withSharing(now, sharedOwner));
  },
};

/** Calls back after each change, in this window or another one, until the returned function is called. */
export function onCartChange(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab of the same person changed the cart.
  const unwatch = watchKept(
    () => owner && nameOf(owner),
    () => {
      if (owner) state = withKnown(load(owner), state);
      listener();
    },
  );
  return () => {
    listeners.delete(listener);
    unwatch();
  };
}

/** The cart as it is now; the same object until it changes. */
export const cartNow = (): CartState => state;
export const leftOutNow = (): readonly string[] => leftOut;

/** A name as it comes from the search: one year, no privacy, no auto renew (P1 §3). */
export function newDomainItem(address: string): DomainItem {
  return { type: 'domain', address, customerId: null, registration: 1, whois: false, autoRenew: false };
}
