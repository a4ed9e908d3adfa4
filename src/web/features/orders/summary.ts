import type { CustomerChoice } from '#contracts/operations/customers.ts';
import type { OrderItem, PurchaseBody } from '#contracts/operations/orders.ts';
import { lineMarkupCents } from '#contracts/values/direct-billing.ts';
import { type Markups, usdToCents } from '#contracts/values/money.ts';
import type { CartItem, SeenPrice } from './cart.ts';

/** Pure rules of the cart screen (P1 §5). */

export interface ItemPrice {
  address: string;
  kind: OrderItem['kind'];
  price: number;
  error?: string | undefined;
}

export const itemKey = (item: { type: OrderItem['kind']; address: string }) => `${item.type} ${item.address}`;

/** Prices by item; without an entry the price is not known (yet). */
export function priceTable(prices: readonly ItemPrice[] | undefined): Map<string, ItemPrice> {
  return new Map(
    (prices ?? []).map((price) => [itemKey({ type: price.kind, address: price.address }), price]),
  );
}

/** What the price of an item depends on, besides its name. */
const pricedBy = (item: CartItem) =>
  item.type === 'certificate' ? item.productType : String(item.registration);

/** A price of an item, as one that the person knows of. */
export const asSeen = (item: CartItem, price: number): SeenPrice => {
  const { type, address } = item;
  return { type, address, of: pricedBy(item), price };
};

/** A price that is not the one that the person knows of. */
export interface PriceChange {
  present: SeenPrice;
  oldPrice: number;
}

/** Present prices beside those that the person knows of. `prices`: of these very items. */
export function comparedPrices(
  items: readonly CartItem[],
  prices: ReadonlyMap<string, ItemPrice>,
  seen: readonly SeenPrice[],
): { firstSeen: SeenPrice[]; changed: PriceChange[] } {
  const known = new Map(seen.map((entry) => [itemKey(entry), entry]));
  const firstSeen: SeenPrice[] = [];
  const changed: PriceChange[] = [];
  for (const item of items) {
    const now = prices.get(itemKey(item));
    if (!now || now.error !== undefined) continue;
    const before = known.get(itemKey(item));
    const present = asSeen(item, now.price);
    if (before?.of !== present.of) firstSeen.push(present);
    else if (before.price !== now.price) changed.push({ present, oldPrice: before.price });
  }
  return { firstSeen, changed };
}

/** The prices that the person knows of: an order at them is refused where they have changed, with both. */
export function knownPrices(
  prices: ReadonlyMap<string, ItemPrice>,
  changed: readonly PriceChange[],
): Map<string, ItemPrice> {
  const old = changed.map(({ present: { type, address }, oldPrice }) => ({
    kind: type,
    address,
    price: oldPrice,
  }));
  return new Map([...prices, ...priceTable(old)]);
}

/**
 * Why "Finalize Purchase" is disabled; null when it is not. `customers`: those that exist, by id; null while they are not
 * known. The owner of a renewal is whom the domain belongs to, whatever the cart says.
 */
export function purchaseObstacle(
  items: readonly CartItem[],
  prices: Map<string, ItemPrice>,
  customers: ReadonlySet<string> | null,
  loading: boolean,
): string | null {
  if (items.length === 0) return 'Your cart is empty';
  const hasOwner = ({ customerId }: CartItem) =>
    customerId !== null && (customers === null || customers.has(customerId));
  const ownerless = items.find((item) => isOwned(item) && !hasOwner(item));
  if (ownerless) return `Please choose an owner for ${ownerless.address}`;
  const orphan = items.find(
    (item) => item.type === 'certificate' && item.customerId !== null && !hasOwner(item),
  );
  if (orphan) {
    return `The owner of the certificate for ${orphan.address} was deleted. Please remove it from the cart`;
  }
  const bare = items.find((item) => item.type === 'certificate' && item.csr === '');
  if (bare) return 'Please upload a CSR to continue';
  const priceOf = (item: CartItem) => prices.get(itemKey(item));
  const refused = items.find((item) => priceOf(item)?.error !== undefined);
  const unpriced = refused ?? items.find((item) => !priceOf(item));
  if (!unpriced) return null;
  // What has not been answered yet is not missing.
  if (!refused && loading) return 'Looking up prices...';
  return `There is no price for ${unpriced.address} at the moment`;
}

const isOwned = (item: CartItem) => item.type === 'domain' || item.type === 'transfer';

/** Cents of all items that have a price. */
export function totalCents(items: readonly CartItem[], prices: Map<string, ItemPrice>): number {
  return items.reduce((sum, item) => sum + usdToCents(prices.get(itemKey(item))?.price ?? 0), 0);
}

/** What direct-billing customers pay on top, by their `markups`, in cents; rounded per item (P1 §5). null when nobody is billed directly. */
export function totalMarkupCents(
  items: readonly CartItem[],
  prices: Map<string, ItemPrice>,
  markups: ReadonlyMap<string, Markups>,
): number | null {
  let total = 0;
  let direct = false;
  for (const item of items) {
    const own = item.customerId ? markups.get(item.customerId) : undefined;
    if (!own) continue;
    direct = true;
    const renewsCertificate = item.type === 'certificate' && item.renews === true;
    const priceCents = usdToCents(prices.get(itemKey(item))?.price ?? 0);
    total += lineMarkupCents(priceCents, own, { kind: item.type, renewsCertificate });
  }
  return direct ? total : null;
}

/** Names of customers of these items who would be billed directly, and cannot be charged because of a dispute. */
export function stoppedOwners(
  items: readonly CartItem[],
  customers: readonly CustomerChoice[] | undefined,
): string[] {
  const owners = new Set(items.map(({ customerId }) => customerId));
  return (customers ?? [])
    .filter(({ customerId, markups, chargesStopped }) => owners.has(customerId) && markups && chargesStopped)
    .map(({ organization }) => organization);
}

/** As the query of the balance has it. */
export interface BalanceReading {
  data: { spendable: number } | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** What can be spent, in cents; null while it is not known. What was read before a reading that failed may be wrong by now. */
export function knownSpendable({ data, error }: Pick<BalanceReading, 'data' | 'error'>): number | null {
  return error === null && data ? data.spendable : null;
}

/**
 * P1 §5: whether the balance does not cover the order, which is then not sent. What was sent before has its money held
 * already. `spendableCents`: null while the balance is not known; the server decides in any case.
 */
export function lacksFunds(body: PurchaseBody, spendableCents: number | null, isSent: boolean): boolean {
  return !isSent && spendableCents !== null && spendableCents < usdToCents(body.price);
}

/** The order body (P1 §7), with what the person saw for each item. */
export function orderBody(items: readonly CartItem[], prices: Map<string, ItemPrice>): PurchaseBody {
  const seen = (item: CartItem) => prices.get(itemKey(item))?.price;
  const body: PurchaseBody = {
    domains: [],
    domainRenewals: [],
    domainTransfers: [],
    certificates: [],
    price: totalCents(items, prices) / 100,
  };
  for (const item of items) {
    const customerId = item.customerId ?? '';
    const { address } = item;
    const price = seen(item);
    if (item.type === 'domain') {
      const { registration: period, whois, autoRenew } = item;
      body.domains.push({ address, customerId, period, whois, autoRenew, price });
    } else if (item.type === 'renewal') {
      const { autoRenew, expireDate } = item;
      body.domainRenewals.push({ address, period: 1, autoRenew, price, expireDate });
    } else if (item.type === 'transfer') {
      const { EPPCode, autoRenew } = item;
      body.domainTransfers.push({ address, customerId, period: 1, EPPCode, autoRenew, price });
    } else {
      body.certificates.push({
        domain: address,
        provider: item.provider,
        productType: item.productType,
        handle: 'process',
        regType: item.renews ? 'renew' : 'new',
        dvAuthMethod: 'Email',
        customerId,
        period: 1,
        csr: item.csr,
        price,
      });
    }
  }
  return body;
}

/** Until when it will be owned, if it is bought now; null: the registry adds a year to a date that is not known here. */
export function ownedUntil(item: CartItem, now: Date): Date | null {
  if (item.type === 'transfer') return null;
  const until = new Date(item.type === 'renewal' ? item.expireDate : now);
  until.setFullYear(until.getFullYear() + (item.type === 'domain' ? item.registration : 1));
  return until;
}

/** How many of each kind there are, and for how much; in the order of the cart. */
export function sumsByKind(
  items: readonly CartItem[],
  prices: Map<string, ItemPrice>,
): { kind: CartItem['type']; count: number; cents: number }[] {
  const kinds = [...new Set(items.map(({ type }) => type))];
  return kinds.map((kind) => {
    const own = items.filter(({ type }) => type === kind);
    return { kind, count: own.length, cents: totalCents(own, prices) };
  });
}
