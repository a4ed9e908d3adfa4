import { api, type Msp } from './msp.ts';

type Line = Record<string, unknown> & { address: string };

/** Buys at the price the portal quotes, as the cart does. */
export async function buy(
  msp: Msp,
  cart: { domains?: Line[]; domainTransfers?: Line[]; domainRenewals?: Line[] },
): Promise<void> {
  const kinds = [
    ...(cart.domains ?? []).map(({ address }) => ({ address, period: 1, kind: 'domain' })),
    ...(cart.domainTransfers ?? []).map(({ address }) => ({ address, period: 1, kind: 'transfer' })),
    ...(cart.domainRenewals ?? []).map(({ address }) => ({ address, period: 1, kind: 'renewal' })),
  ];
  const prices = await api<{ price: number }[]>(msp.token, 'POST', 'cart/prices', kinds);
  const cents = prices.reduce((sum, { price }) => sum + Math.round(price * 100), 0);
  await api(msp.token, 'POST', 'cart/purchase', { ...cart, price: cents / 100 });
}

/** Registers names for a customer. */
export function own(msp: Msp, names: readonly string[], customerId: string): Promise<void> {
  return buy(msp, {
    domains: names.map((address) => ({ address, customerId, period: 1, whois: false, autoRenew: false })),
  });
}
