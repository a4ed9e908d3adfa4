import type { Seeding, Who } from './seeding.ts';
import { until } from './seeding.ts';

/** Buying and paying, as the screens do it. */

export interface Cart {
  domains?: Line[];
  domainRenewals?: Line[];
  domainTransfers?: Line[];
}
interface Line {
  address: string;
  [detail: string]: unknown;
}
/** An item of an order, as far as the seed asks. */
interface Item {
  address: string;
  kind: string;
  state: string;
  error: string | null;
}

/** Buys at the present prices, and waits for the end of all but transfers. What was declined is for the caller to expect. */
export async function buy(seeding: Seeding, who: Who, cart: Cart): Promise<Item[]> {
  const asked = [
    ...(cart.domains ?? []).map(({ address, period, whois }) => ({ address, period, whois })),
    ...(cart.domainRenewals ?? []).map(({ address, period }) => ({ address, period, kind: 'renewal' })),
    ...(cart.domainTransfers ?? []).map(({ address }) => ({ address, period: 1, kind: 'transfer' })),
  ];
  const prices = await seeding.call<{ price: number }[]>(who, 'POST', 'cart/prices', asked);
  const cents = prices.reduce((sum, { price }) => sum + Math.round(price * 100), 0);
  await fund(seeding, cents);
  const { orderId } = await seeding.call<{ orderId: string }>(
    ...([who, 'POST', 'cart/purchase', { ...cart, price: cents / 100 }] as const),
  );
  let items: Item[] = [];
  await until('the order is through', async () => {
    ({ items } = await seeding.call<{ items: Item[] }>(who, 'GET', `order/${orderId}`));
    return items.every(({ kind, state }) => kind === 'transfer' || ended.includes(state));
  });
  await chargesSettled(seeding);
  return items.filter(({ state }) => state === 'declined');
}
const ended = ['succeeded', 'declined'];

/** The same, for what has no reason to be declined. */
export async function buyAll(seeding: Seeding, who: Who, cart: Cart): Promise<void> {
  const [declined] = await buy(seeding, who, cart);
  if (declined) throw new Error(`${declined.address} could not be bought: ${declined.error}`);
}

const reserveCents = 6_000;
const topUpDollars = 500;

/** Tops up when an order of so much would take the balance below a small reserve. */
export async function fund(seeding: Seeding, cents: number): Promise<void> {
  const { balance } = await seeding.call<{ balance: number }>('admin', 'GET', 'account/balancev2');
  if (balance - cents < reserveCents) await topUp(seeding, 'owner', topUpDollars);
}

/** Pays with a card; what became of it is the top-up's state. */
export async function topUp(
  seeding: Seeding,
  who: Who,
  amount: number,
  paymentMethod = 'pm_card_visa',
): Promise<string> {
  const started = await seeding.call<{ intentSecret: string; topupId: string }>(
    ...([who, 'POST', 'account/topupv2', { amount }] as const),
  );
  const paymentIntent = started.intentSecret.split('_secret_')[0];
  await seeding.portal.control('payments', 'pay', { paymentIntent, paymentMethod });
  const { state } = await seeding.call<{ state: string }>(who, 'GET', `account/topup/${started.topupId}`);
  return state;
}

const moving = ['collecting', 'sending', 'processing'];

/** The charges of end customers follow an order by jobs; none of them may fall into another month. */
export function chargesSettled(seeding: Seeding): Promise<void> {
  return until('the charges of customers are settled', async () => {
    const charges = await seeding.call<{ state: string }[]>('admin', 'GET', 'direct-charge?open=true');
    return charges.every(({ state }) => !moving.includes(state));
  });
}
