import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { asked as doneBy, ofOrders, refused, testWrites } from '../../../../tests/support/asked.tsx';
import { requestsSent } from '../../../../tests/support/request-keys.tsx';
import { setTokenSource } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { followNothing } from '../../lib/followed-work.ts';
import { cartPricesQuery, useEarlierOutcome, usePurchase } from './api.ts';
import { type CartItem, type CertificateItem, cart, newDomainItem, type SentOrder } from './cart.ts';
import { keepRefusal } from './refusal.ts';

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

const customerId = '5f0f6b0c-0000-4000-8000-000000000001';
const body = {
  domains: [{ address: 'a.com', customerId, period: 2, whois: true, autoRenew: true, price: 20 }],
  domainRenewals: [
    { address: 'b.com', period: 3, autoRenew: true, price: 30, expireDate: '2026-12-24T00:00:00.000Z' },
  ],
  domainTransfers: [{ address: 'c.com', customerId, period: 1, EPPCode: 'code', autoRenew: true, price: 10 }],
  certificates: [
    {
      ...({ domain: 'd.com', provider: 'p', productType: 'dv', handle: 'process' } as const),
      ...({ regType: 'renew', dvAuthMethod: 'DNS', approverEmail: 'admin@d.com' } as const),
      ...({ customerId, period: 1, csr: 'CSR', price: 8 } as const),
    },
  ],
  domainRestores: [{ address: 'e.com', price: 80 }],
  price: 148,
} satisfies SentOrder['body'];
const order = (key: string, again?: true): SentOrder => ({ key, body, atMs: 1, ...(again ? { again } : {}) });
const bought = { orderId: 'o1', pending: [] };

testWrites(
  usePurchase,
  [
    [
      'a purchase',
      (purchase) => purchase.mutateAsync(order('k1')),
      ['key POST /cart/purchase', body],
      ...([ofOrders, ofOrders] as const),
    ],
  ],
  { data: bought },
);

testWrites(useEarlierOutcome, [
  [
    'the outcome of an earlier order',
    (earlier) => earlier.mutateAsync(order('k 1')),
    ['GET /cart/purchase/k%201'],
    ...([[], []] as const),
  ],
]);

test('an order is waited for longer than the portal takes to answer, which is 55 seconds', async () => {
  const waits = vi.spyOn(AbortSignal, 'timeout');
  await doneBy(usePurchase, (purchase) => purchase.mutateAsync(order('k1')), undefined, { data: bought });
  const waited = waits.mock.lastCall?.[0] ?? 0;
  waits.mockRestore();
  expect(waited).toBeGreaterThan(60_000);
});

test('an order is sent under its own key, however often, and another one under another', async () => {
  const tries = [
    ...[[order('k1'), 'silence'] as const, [order('k1', true), 'broken'] as const],
    ...[[order('k1', true), 'done'] as const, [order('k2'), 'done'] as const],
  ];
  expect(await requestsSent(usePurchase, tries, bought)).toEqual([1, 1, 1, 2]);
  const keys: (string | null)[] = [];
  await doneBy(
    usePurchase,
    async (purchase) => {
      vi.stubGlobal('fetch', async (_url: string, { headers }: RequestInit) => {
        keys.push(new Headers(headers).get('idempotency-key'));
        return Response.json({ data: bought });
      });
      await purchase.mutateAsync(order('k1'));
    },
    undefined,
  );
  expect(keys).toEqual(['k1']);
});

test.each([
  // The next press is another order.
  ['refused', 'another', refused(422, 'insufficient_funds')],
  ['not answered', 'the same', () => Promise.reject(new TypeError('fetch failed'))],
  ['broken', 'the same', refused(500, 'internal')],
  ['still under way', 'the same', refused(409, 'in_progress')],
] as const)('after an order that was %s the next one is %s', async (_what, next, answer) => {
  cart.init(`ann-${_what}`);
  cart.add(newDomainItem('a.com'));
  const sent = cart.send(body, 1);
  await doneBy(usePurchase, (purchase) => purchase.mutateAsync(sent), answer);
  expect([cart.unanswered()?.key ?? null, cart.key() === sent.key]).toEqual(
    next === 'the same' ? [sent.key, true] : [null, false],
  );
  keepRefusal(null);
});

test('an order that could not go out for want of a network keeps its key, and nobody waits for it', async () => {
  cart.init('ann-offline');
  cart.add(newDomainItem('a.com'));
  const sent = cart.send(body, 1);
  await doneBy(
    usePurchase,
    async (purchase) => {
      vi.stubGlobal('navigator', { onLine: false });
      await expect(purchase.mutateAsync(sent)).rejects.toBeInstanceOf(ApiError);
    },
    () => Promise.reject(new TypeError('fetch failed')),
  );
  expect([cart.unanswered(), cart.key()]).toEqual([null, sent.key]);
  keepRefusal(null);
});

test.each([
  ['is still open', [{ domain: 'a.com', kind: 'domain', itemId: 'i1' }], ['o-open']],
  ['has ended', [], []],
])(
  'an order of which something %s is followed on every screen, or is not',
  async (_what, pending, followed) => {
    followNothing();
    const kept = new Map<string, string>();
    await doneBy(
      usePurchase,
      async (purchase) => {
        vi.stubGlobal('sessionStorage', {
          getItem: (name: string) => kept.get(name) ?? null,
          setItem: (name: string, text: string) => kept.set(name, text),
          removeItem: (name: string) => kept.delete(name),
        });
        await purchase.mutateAsync(order('k1'));
      },
      undefined,
      { data: { orderId: 'o-open', pending } },
    );
    const stored = JSON.parse(kept.get('nameward.followed-work') ?? '[]') as { id: string }[];
    expect(stored.map(({ id }) => id)).toEqual(followed);
  },
);
