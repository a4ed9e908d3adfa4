import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setTokenSource } from '../../lib/api-client.ts';
import { cartPricesQuery } from './api.ts';
import { type CartItem, type CertificateItem, newDomainItem } from './cart.ts';

/** What the server was asked to price, one after the other. */
let asked: unknown[];
beforeEach(() => {
  asked = [];
  vi.stubGlobal('fetch', async (_address: string, { body }: { body: string }) => {
    asked.push(JSON.parse(body));
    return Response.json({ data: [] });
  });
  setTokenSource({ token: async () => 'token', renew: async () => null });
});
afterEach(() => {
  vi.unstubAllGlobals();
  setTokenSource({ token: async () => null, renew: async () => null });
});

test('a price that is known is asked for again for another period or product, and for the same ones it is not', async () => {
  const client = new QueryClient();
  const price = (item: CartItem) => client.fetchQuery(cartPricesQuery([item]));
  const domain = newDomainItem('a.com');
  const certificate: CertificateItem = {
    ...{ type: 'certificate', address: 'a.com', customerId: null, provider: 'p' },
    ...{ productType: 'dv', csr: '', csrName: '' },
  };
  await price(domain);
  await price({ ...domain, registration: 2 });
  await price(certificate);
  await price({ ...certificate, productType: 'ev' });
  await price({ ...domain });
  expect(asked).toMatchObject([
    [{ kind: 'domain', period: 1 }],
    [{ kind: 'domain', period: 2 }],
    [{ kind: 'certificate', productType: 'dv' }],
    [{ kind: 'certificate', productType: 'ev' }],
  ]);
});
