import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';

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
}
export type CartItem = DomainItem | RenewalItem | TransferItem | CertificateItem;

interface CartState {
  items: CartItem[];
  /** Made before the first purchase request with these items, kept until they change: a repeat is the same order. */
  idempotencyKey: string | null;
}

const empty: CartState = { items: [], idempotencyKey: null };
const maxItems = 200;

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

/** Any change makes it another order: the key goes. */
function setItems(items: CartItem[]): void {
  write({ items, idempotencyKey: null });
}

const same = (a: CartItem, b: Pick<CartItem, 'type' | 'address'>) =>
  a.type === b.type && a.address === b.address;

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
  remove(item: Pick<CartItem, 'type' | 'address'>): void {
    setItems(
      state.items.filter((known) =>
        item.type === 'certificate' ? !same(known, item) : known.address !== item.address,
      ),
    );
  },
  /** Takes out what was bought, and only that: a failed certificate stays although its domain succeeded. */
  finish(bought: readonly Pick<CartItem, 'type' | 'address'>[]): void {
    setItems(state.items.filter((item) => !bought.some((done) => same(item, done))));
  },
  update(item: CartItem): void {
    setItems(state.items.map((known) => (same(known, item) ? item : known)));
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
  /** After an answer the order is over: what stays in the cart will be another one. */
  forgetKey(): void {
    write({ ...state, idempotencyKey: null });
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

const snapshot = () => state.items;

/** The items; and whether a name is among them. */
export function useCart(userId?: string | null) {
  useEffect(() => {
    if (userId) cart.init(userId);
  }, [userId]);
  const items = useSyncExternalStore(subscribe, snapshot, snapshot);
  const addresses = useMemo(
    () => new Set(items.filter((i) => i.type === 'domain').map((i) => i.address)),
    [items],
  );
  const has = useCallback((address: string) => addresses.has(address), [addresses]);
  return { items, has };
}

/** A name as it comes from the search: one year, no privacy, no auto renew (P1 §3). */
export function newDomainItem(address: string): DomainItem {
  return { type: 'domain', address, customerId: null, registration: 1, whois: false, autoRenew: false };
}
