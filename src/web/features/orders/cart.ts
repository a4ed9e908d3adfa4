import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { PurchaseBody, PurchaseResult } from '#contracts/operations/orders.ts';

/** The cart (P1 §3 and §4): kept per user in the browser, items unique by type and address, saved on each change. */

export interface DomainItem {
  type: 'domain';
  address: string;
  customerId: string | null;
  registration: 1 | 2;
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

/** An order that was sent and whose result nobody has seen yet: asked for again under its key, it is the same one. */
export interface SentOrder {
  key: string;
  body: PurchaseBody;
  atMs: number;
}

/** An item that is being bought already; what becomes of it is read from its order (decisions no. 8). */
export interface RunningItem {
  type: CartItem['type'];
  address: string;
  itemId: string;
  orderId: string;
}

interface CartState {
  items: CartItem[];
  /** Made before the first purchase request with these items, kept until they change: a repeat is the same order. */
  idempotencyKey: string | null;
  sent?: SentOrder | null;
  running?: RunningItem[];
  /** "Same customer for all new domains" (P1 §5). */
  sharedOwner?: boolean;
}

const empty: CartState = { items: [], idempotencyKey: null };
const maxItems = 200;
/** A page that was left in the middle of a purchase asks for the result when it comes back within this time. */
const resumeWithinMs = 10 * 60_000;

let owner: string | null = null;
let state: CartState = empty;
const listeners = new Set<() => void>();

const storageKey = (userId: string) => `nameward.cart.${userId}`;

function load(userId: string): CartState {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey(userId)) ?? 'null') as CartState | null;
    return stored && Array.isArray(stored.items) ? stored : empty;
  } catch {
    return empty;
  }
}

function write(next: CartState): void {
  state = next;
  if (owner) localStorage.setItem(storageKey(owner), JSON.stringify(next));
  for (const listener of listeners) listener();
}

/** Any change makes it another order: the key goes. An order that was sent with other items stays known. */
function setItems(items: CartItem[]): void {
  const running = state.running?.filter((known) => items.some((item) => same(item, known)));
  write({ ...state, items, idempotencyKey: null, ...(running ? { running } : {}) });
}

type ItemName = Pick<CartItem, 'type' | 'address'>;
const same = (a: ItemName, b: ItemName) => a.type === b.type && a.address === b.address;

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

export const cart = {
  /** Loads the stored cart once the user is known; another user has another cart. */
  init(userId: string): void {
    if (owner === userId) return;
    owner = userId;
    state = load(userId);
    for (const listener of listeners) listener();
  },
  /** Ignored when the same type and address is there already. */
  add(item: CartItem): void {
    if (state.items.some((known) => same(known, item)) || state.items.length >= maxItems) return;
    setItems([...state.items, item]);
  },
  /** Removes items by address; a domain takes its certificate along, a certificate goes alone. */
  remove(item: ItemName): void {
    setItems(
      state.items.filter((known) =>
        item.type === 'certificate' ? !same(known, item) : known.address !== item.address,
      ),
    );
  },
  /** Takes out what was bought, and only that: a failed certificate stays although its domain succeeded. */
  finish(bought: readonly ItemName[]): void {
    setItems(state.items.filter((item) => !bought.some((done) => same(item, done))));
  },
  /** A certificate belongs to whom its domain belongs to. */
  update(item: CartItem): void {
    const follows = (known: CartItem) =>
      item.type === 'domain' && known.type === 'certificate' && known.address === item.address;
    setItems(
      state.items.map((known) => {
        if (same(known, item)) return item;
        return follows(known) ? { ...known, customerId: item.customerId } : known;
      }),
    );
  },
  updateAll(change: (item: CartItem) => CartItem): void {
    setItems(state.items.map(change));
  },
  clear(): void {
    setItems([]);
  },
  /** The key of the order that these items make; stored before the request that carries it. */
  key(): string {
    if (state.idempotencyKey) return state.idempotencyKey;
    const idempotencyKey = crypto.randomUUID();
    write({ ...state, idempotencyKey });
    return idempotencyKey;
  },
  /** Stores what is about to be sent. The same items once more, while there is no answer: the very same request. */
  send(body: PurchaseBody, nowMs: number): SentOrder {
    const key = cart.key();
    const sent = { key, body: state.sent?.key === key ? state.sent.body : body, atMs: nowMs };
    write({ ...state, sent });
    return sent;
  },
  /** The order of these items that was sent and not answered. */
  unanswered(): SentOrder | null {
    return state.sent && state.sent.key === state.idempotencyKey ? state.sent : null;
  },
  /** The order that the page was left in the middle of. */
  interrupted(nowMs: number): SentOrder | null {
    return state.sent && nowMs - state.sent.atMs < resumeWithinMs ? state.sent : null;
  },
  /** No answer came, and the person was told: it is not asked for again unless the person does. */
  giveUpWaiting(): void {
    if (state.sent) write({ ...state, sent: { ...state.sent, atMs: 0 } });
  },
  /** A refusal ends the order; what stays in the cart will be another one. */
  forgetOrder(): void {
    write({ ...state, idempotencyKey: null, sent: null });
  },
  /** The person has seen the result: what was bought leaves, what still runs is marked, the rest stays (P1 §4). */
  settle(result: PurchaseResult): void {
    const running = result.pending.map(({ domain, kind, itemId }) => ({
      type: kind as CartItem['type'],
      address: domain,
      itemId,
      orderId: result.orderId,
    }));
    const others = (state.running ?? []).filter((known) => !running.some((entry) => same(entry, known)));
    state = { ...state, sent: null, running: [...others, ...running] };
    cart.finish(succeeded(result));
  },
  /** A running item has come to its end. */
  settleRunning(ended: RunningItem, bought: boolean): void {
    state = { ...state, running: (state.running ?? []).filter((known) => !same(known, ended)) };
    if (bought) cart.finish([ended]);
    else write({ ...state, idempotencyKey: null });
  },
  shareOwner(sharedOwner: boolean): void {
    write({ ...state, idempotencyKey: null, sharedOwner });
  },
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab of the same person changed the cart.
  const onStorage = (event: StorageEvent) => {
    if (!owner || event.key !== storageKey(owner)) return;
    state = load(owner);
    listener();
  };
  window.addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}

const snapshot = () => state;

const none: RunningItem[] = [];

/** The items; and whether a name is among them. */
export function useCart(userId?: string | null) {
  useEffect(() => {
    if (userId) cart.init(userId);
  }, [userId]);
  const { items, running = none, sharedOwner = false } = useSyncExternalStore(subscribe, snapshot, snapshot);
  const addresses = useMemo(
    () => new Set(items.filter((i) => i.type === 'domain').map((i) => i.address)),
    [items],
  );
  const has = useCallback((address: string) => addresses.has(address), [addresses]);
  return { items, has, running, sharedOwner };
}

/** A name as it comes from the search: one year, no privacy, no auto renew (P1 §3). */
export function newDomainItem(address: string): DomainItem {
  return { type: 'domain', address, customerId: null, registration: 1, whois: false, autoRenew: false };
}
