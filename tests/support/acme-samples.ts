import type { AcmeAccess } from '../../src/contracts/operations/acme.ts';

/** An access that works, buys, and ends after Dec 31, 2076. */
export function accessOf(more: Partial<AcmeAccess> = {}): AcmeAccess {
  return {
    ...{ id: '00000000-0000-4000-8000-000000000041', name: 'Web server', keyId: 'kid-41' },
    ...{ directoryUrl: 'https://portal.test/acme/directory', customer: 'Acme' },
    ...{ customerId: '00000000-0000-4000-8000-000000000021', hosts: ['www.acme.example', '*.acme.example'] },
    ...{ productType: 'rapidssl', product: 'RapidSSL', state: 'active', ended: null, problem: null },
    mayBuy: { ordersPerMonth: 2, centsPerMonth: 6_050 },
    buysNow: { ordersPerMonth: 2, centsPerMonth: 6_050 },
    usedThisMonth: { orders: 1, cents: 2_995 },
    ...{ madeBy: 'ann@msp.example', byCustomer: false, mayChange: true },
    ...{ createdAt: '2026-01-02T12:00:00Z', expiresAt: '2077-01-01T00:00:00Z', lastUsedAt: null },
    ...more,
  };
}

/** Two products that machines may buy, and one that people have to check. */
export const certificatePrices = [
  {
    productType: 'rapidssl',
    certificate: 'RapidSSL',
    price: 9.95,
    wildcard: false,
    businessValidated: false,
  },
  { productType: 'wild', certificate: 'Wild', price: 99.5, wildcard: true, businessValidated: false },
  { productType: 'ov', certificate: 'Business', price: 199, wildcard: false, businessValidated: true },
].map((price) => ({ ...price, provider: 'DigiCert', pricePerYear: price.price }));
