import { expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { pricesOf } from './cart-prices.ts';

const refused = new AppError('unprocessable', { message: 'The registry sells no such names.' });
const pricing = {
  domains: {
    price: async (address: string, kind: string, years: number) => {
      if (address === 'none.example') throw refused;
      if (address === 'broken.example') throw new TypeError('a mistake of ours');
      return { priceCents: (kind === 'new' ? 12_31 : 10_00) * years, premium: address === 'rare.example' };
    },
  },
  certificates: {
    price: async (type: string, years: number) => ({ priceCents: (type === 'rapidssl' ? 40_00 : 0) * years }),
  },
} as never;
const domain = (address: string, period = 1) => ({ kind: 'domain' as const, address, period });

test('each thing is priced as what it is, for its years, in dollars', async () => {
  const certificate = { kind: 'certificate' as const, address: 'b.com', period: 2, productType: 'rapidssl' };
  const renewal = { kind: 'renewal' as const, address: 'c.com', period: 1 };
  expect(await pricesOf(pricing, [domain('a.com', 2), domain('rare.example'), certificate, renewal])).toEqual(
    [
      { address: 'a.com', kind: 'domain', price: 24.62, premium: false },
      { address: 'rare.example', kind: 'domain', price: 12.31, premium: true },
      { address: 'b.com', kind: 'certificate', price: 80, premium: false },
      { address: 'c.com', kind: 'renewal', price: 10, premium: false },
    ],
  );
});

test('of several, one without a price says why and hides no other; alone it is an error', async () => {
  expect(await pricesOf(pricing, [domain('none.example'), domain('a.com')])).toEqual([
    { address: 'none.example', kind: 'domain', price: 0, premium: false, error: refused.message },
    { address: 'a.com', kind: 'domain', price: 12.31, premium: false },
  ]);
  await expect(pricesOf(pricing, [domain('none.example')])).rejects.toBe(refused);
});

test('a mistake of ours is not taken for a name without a price', async () => {
  await expect(pricesOf(pricing, [domain('broken.example'), domain('a.com')])).rejects.toThrow(TypeError);
});

test('each kind of thing is asked for by the kind of its price', async () => {
  const asked: unknown[][] = [];
  const domains = {
    price: async (...given: unknown[]) => {
      asked.push(given);
      return { priceCents: 1, premium: false };
    },
  };
  const kinds = ['domain', 'renewal', 'transfer', 'redemption'] as const;
  await pricesOf(
    { domains } as never,
    kinds.map((kind) => ({ kind, address: 'a.com', period: 1 })),
  );
  expect(asked).toEqual(['new', 'renewal', 'transfer', 'redemption'].map((kind) => ['a.com', kind, 1]));
});
