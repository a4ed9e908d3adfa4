import type { PurchaseBody } from '../../src/contracts/operations/orders.ts';
import { pickFrom, type Random } from './random.ts';
import { hosts } from './stand.ts';

interface Wanted {
  address: string;
  period: number;
  kind: 'domain' | 'renewal' | 'transfer' | 'certificate';
  productType?: string;
}

interface Shop {
  random: Random;
  /** Of each name that is registered, in milliseconds. */
  expiry: ReadonlyMap<string, number>;
  csrs: ReadonlyMap<string, string>;
}

/** One to three things that somebody buys: few names, so that people want the same ones. */
export function fillCart(customerId: string, shop: Shop): { body: PurchaseBody; wanted: Wanted[] } {
  const body: PurchaseBody = {
    ...{ domains: [], domainRenewals: [], domainTransfers: [], certificates: [] },
    price: 0,
  };
  const wanted = new Map<string, Wanted>();
  const count = 1 + Math.floor(shop.random() * 3);
  for (let index = 0; index < count; index += 1) {
    const one = wish(customerId, body, shop, wanted);
    if (one) wanted.set(one.address, one);
  }
  return { body, wanted: [...wanted.values()] };
}

/** Puts something into the cart; null when it is there already. */
function wish(
  customerId: string,
  body: PurchaseBody,
  { random, expiry, csrs }: Shop,
  used: ReadonlyMap<string, Wanted>,
): Wanted | null {
  const owned = [...expiry.keys()].sort();
  const kinds = ['domain', 'domain', 'domain', 'transfer', 'certificate', 'renewal', 'renewal'] as const;
  const kind = owned.length > 0 ? pickFrom(kinds, random) : 'domain';
  const name = `n${Math.floor(random() * 14)}.com`;
  const places = { domain: name, transfer: `t${name}`, certificate: pickFrom(hosts, random) };
  const address = kind === 'renewal' ? pickFrom(owned, random) : places[kind];
  if (used.has(address)) return null;
  const period = kind === 'domain' && random() < 0.2 ? 2 : 1;
  switch (kind) {
    case 'domain':
      body.domains.push({ address, customerId, period, whois: false, autoRenew: random() < 0.7 });
      return { address, period, kind };
    case 'transfer':
      body.domainTransfers.push({ address, customerId, period: 1, EPPCode: 'code' });
      return { address, period, kind };
    case 'certificate':
      body.certificates.push({
        ...{ domain: address, provider: 'RapidSSL', productType: 'rapidssl', handle: 'process' },
        ...{ regType: 'new', dvAuthMethod: 'DNS', customerId, period: 1 },
        csr: csrs.get(address) ?? '',
      });
      return { address, period, kind, productType: 'rapidssl' };
    case 'renewal': {
      const expireDate = new Date(expiry.get(address) ?? 0).toISOString();
      body.domainRenewals.push({ address, period: 1, ...(random() < 0.5 ? { expireDate } : {}) });
      return { address, period, kind };
    }
  }
}
