import { describe, expect, test } from 'vitest';
import type { AppError } from '#contracts/errors.ts';
import { type Line, lineOf } from './lines.ts';
import { knownPrices, type Pricing, priceLines, requireSeenPrice } from './quote.ts';

const tx = { of: 'the transaction' } as never;
const certificate = (productType: string) =>
  ({ provider: 'p', productType, csr: 'c', validation: 'DNS', approverEmail: null, regType: 'new' }) as const;
const lines: Line[] = [
  lineOf({ kind: 'domain', address: 'a.com', years: 2 }),
  lineOf({ kind: 'renewal', address: 'a.com', years: 3 }),
  lineOf({ kind: 'transfer', address: 'b.com' }),
  lineOf({ kind: 'redemption', address: 'b.com' }),
  lineOf({ kind: 'certificate', address: 'a.com', certificate: certificate('rapidssl') }),
  lineOf({ kind: 'certificate', address: 'a.com', years: 2, certificate: certificate('wildcard') }),
];
const priced = (priceCents: number, premium = false) => ({ priceCents, costCents: priceCents - 1, premium });

/** Who is asked for a price, with what. Each answer is another one: none can stand in for the other. */
function pricing(known = true) {
  const asked: unknown[][] = [];
  let next = 100;
  const note =
    (name: string, answer: () => unknown) =>
    async (...given: unknown[]) => {
      asked.push([name, ...given]);
      return answer();
    };
  const fresh = () => {
    next += 100;
    return priced(next);
  };
  const withoutPremium = () => {
    const { priceCents, costCents } = fresh();
    return { priceCents, costCents };
  };
  const domains = {
    price: note('domain', fresh),
    ...(known ? { known: note('known domain', fresh) } : {}),
  };
  const certificates = {
    price: note('certificate', withoutPremium),
    known: note('known certificate', withoutPremium),
  };
  return { pricing: { domains, certificates } as unknown as Pricing, asked };
}

describe('what can be told without the registrar', () => {
  test('is asked for each line as what it is and for its years; a restoration is never told so', async () => {
    const { pricing: of, asked } = pricing();
    const known = await knownPrices(of, tx, lines);
    expect(asked).toEqual([
      ['known domain', tx, 'a.com', 'new', 2],
      ['known domain', tx, 'a.com', 'renewal', 3],
      ['known domain', tx, 'b.com', 'transfer', 1],
      ['known certificate', tx, 'rapidssl', 1],
      ['known certificate', tx, 'wildcard', 2],
    ]);
    asked.length = 0;
    const all = await priceLines(of, lines, known);
    expect(asked).toEqual([['domain', 'b.com', 'redemption', 1]]);
    expect(all.map(({ priceCents, costCents, premium }) => [priceCents, costCents, premium])).toEqual([
      [200, 199, false],
      [300, 299, false],
      [400, 399, false],
      [700, 699, false],
      [500, 499, false],
      [600, 599, false],
    ]);
    // A price is added to what was asked for, and changes nothing of it.
    for (const [index, line] of lines.entries()) expect(all[index]).toMatchObject(line);
  });

  test('keeps that the registry asks more for a name', async () => {
    const domains = { known: async () => priced(9_000, true) };
    const known = await knownPrices({ domains } as never, tx, lines.slice(0, 1));
    expect(await priceLines({} as never, lines.slice(0, 1), known)).toMatchObject([priced(9_000, true)]);
  });

  test('of another line says nothing about this one: each is asked for where nothing is known', async () => {
    const { pricing: of, asked } = pricing(false);
    expect(await knownPrices(of, tx, lines.slice(0, 4))).toEqual(new Map());
    expect(asked).toEqual([]);
    await priceLines(of, lines);
    expect(asked).toEqual([
      ['domain', 'a.com', 'new', 2],
      ['domain', 'a.com', 'renewal', 3],
      ['domain', 'b.com', 'transfer', 1],
      ['domain', 'b.com', 'redemption', 1],
      ['certificate', 'rapidssl', 1],
      ['certificate', 'wildcard', 2],
    ]);
  });
});

describe('a price that is not what was seen', () => {
  const two = [
    { ...lineOf({ kind: 'domain', address: 'a.com', seenCents: 12_31 }), ...priced(13_00) },
    { ...lineOf({ kind: 'renewal', address: 'b.com' }), ...priced(9_00) },
  ];

  test('is refused with the old and the new total and each line, old and new; unseen is not nothing', () => {
    let refusal: AppError | null = null;
    try {
      requireSeenPrice(two, 21_31);
    } catch (error) {
      refusal = error as AppError;
    }
    expect(refusal).toMatchObject({ code: 'price_changed', status: 409 });
    expect(refusal?.data).toEqual({
      ...{ oldTotal: 21.31, newTotal: 22 },
      items: [
        { address: 'a.com', kind: 'domain', oldPrice: 12.31, newPrice: 13 },
        { address: 'b.com', kind: 'renewal', oldPrice: null, newPrice: 9 },
      ],
    });
  });

  test('is refused for one line though the total is as seen', () => {
    expect(() => requireSeenPrice(two, 22_00)).toThrow();
    expect(() => requireSeenPrice(two.slice(1), 9_00)).not.toThrow();
  });
});
