import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across } from '../../../../tests/support/rows.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Quote, QuoteKind } from '../../ports/registrar.ts';
import { createDomainPricing } from './pricing.ts';

/** What a suffix is shown at, against what a name under it is charged at. */

const startMs = Date.parse('2026-11-22T12:00:00Z');
const hourMs = 3_600_000;
let database: TestDatabase;
let nowMs: number;
const quote = vi.fn<(address: string) => Promise<Quote>>();

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  nowMs = startMs;
  quote.mockReset().mockResolvedValue({ costCents: 1_000, premium: false });
});

const pricing = () =>
  createDomainPricing({
    ...{ db: database.db, registrar: { quote }, clock: { now: () => new Date(nowMs) } },
    ...{ marginPercent: 20, redemptionCents: new Map([['rare', 80_00]]) },
  });
let version = 0;
const list = (suffix: string, priceCents: number | null, kind: QuoteKind = 'renewal') =>
  across(database, (tx) =>
    tx
      .insertInto('price_entries')
      .values({
        ...{ version: ++version, product: 'domain', name: suffix, kind, price_cents: priceCents },
        valid_from: new Date(startMs - hourMs),
      })
      .execute(),
  );
/** The registrar is asked what the suffix costs, as for a price that is not listed. */
const seen = (suffix: string) => pricing().price(`nameward-standard-price.${suffix}`, 'renewal', 1);
const shown = async (suffix: string) => [
  await pricing().standardPriceCents(suffix, 'renewal'),
  await pricing().knownPriceCents(suffix, 'renewal'),
];
const charged = async (suffix: string) => (await pricing().price(`fig.${suffix}`, 'renewal', 1)).priceCents;

test('a suffix that is listed below its cost is shown at its cost, as it is charged', async () => {
  await list('below', 8_00);
  await seen('below');
  expect(await charged('below')).toBe(10_00);
  expect(await shown('below')).toEqual([10_00, 10_00]);
});

test('a suffix that is listed above its cost is shown as listed', async () => {
  await list('co.above', 15_00);
  await seen('co.above');
  expect(await charged('co.above')).toBe(15_00);
  expect(await shown('co.above')).toEqual([15_00, 15_00]);
});

test('a listed suffix whose cost nobody knows is shown as listed, and the registrar is not asked for it', async () => {
  await list('unseen', 8_00);
  expect(await shown('unseen')).toEqual([8_00, 8_00]);
  expect(quote).not.toHaveBeenCalled();
});

test('the cost that was last named counts however old it is, and the registrar is not asked for a listed price', async () => {
  await list('old', 8_00);
  await seen('old');
  quote.mockClear();
  nowMs += 1_000 * hourMs;
  expect(await shown('old')).toEqual([10_00, 10_00]);
  expect(quote).not.toHaveBeenCalled();
});

test('without a list a suffix is cost and margin: asked for where it may be, otherwise the last that is known', async () => {
  expect(await pricing().knownPriceCents('free', 'renewal')).toBe(null);
  expect(await shown('free')).toEqual([12_00, 12_00]);
  nowMs += hourMs;
  quote.mockRejectedValue(new UpstreamUnavailable('nobody answers'));
  expect(await shown('free')).toEqual([null, 12_00]);
  await list('back', 8_00);
  await list('back', null);
  expect(await pricing().standardPriceCents('back', 'renewal')).toBe(null);
});

describe.each(['new', 'renewal', 'transfer'] as const)('of a suffix with a list (%s)', (kind) => {
  /** As it is asked for, and as it is known from then on. */
  const both = async (address: string, years: number) => [
    await pricing().price(address, kind, years),
    await pricing().known?.(database.db, address, kind, years),
  ];

  test('a premium name is sold at its own cost and the margin, as it was suggested, whatever the list says', async () => {
    await list('gold', 15_00, kind);
    // The last one costs less than the list.
    for (const [years, costCents] of [[1, 900_00] as const, [3, 2_700_00] as const, [2, 11_00] as const]) {
      quote.mockResolvedValue({ costCents, premium: true });
      const price = { priceCents: costCents * 1.2, costCents, premium: true };
      expect(await both(`fig-${costCents}-${kind}.gold`, years)).toEqual([price, price]);
      expect(pricing().premiumPriceCents(costCents)).toBe(price.priceCents);
    }
  });

  test('any other is sold at the list for each of its years, and never below its cost', async () => {
    await list('plain', 15_00, kind);
    const plain = (priceCents: number, costCents: number) => ({ priceCents, costCents, premium: false });
    quote.mockResolvedValue({ costCents: 30_00, premium: false });
    expect(await both(`fig-${kind}.plain`, 3)).toEqual([plain(45_00, 30_00), plain(45_00, 30_00)]);
    quote.mockResolvedValue({ costCents: 50_00, premium: false });
    expect(await both(`oak-${kind}.plain`, 3)).toEqual([plain(50_00, 50_00), plain(50_00, 50_00)]);
  });

  test('the list of another kind, or of another suffix, does not count', async () => {
    for (const other of (['new', 'renewal', 'transfer'] as const).filter((one) => one !== kind)) {
      await list(`by-${kind}`, 15_00, other);
    }
    await list(`elm.by-${kind}`, 15_00, kind);
    const price = { priceCents: 12_00, costCents: 10_00, premium: false };
    expect(await both(`elm.by-${kind}`, 1)).toEqual([price, price]);
  });
});

test.each([true, false])(
  'a restoration is the fee, a year and the margin, without the list; premium: %s',
  async (premium) => {
    await list('rare', 15_00);
    quote.mockResolvedValue({ costCents: 20_00, premium });
    const price = { priceCents: 120_00, costCents: 100_00, premium };
    expect(await pricing().price(`fig-${premium}.rare`, 'redemption', 1)).toEqual(price);
  },
);

describe('what the registrar has said', () => {
  test('is used again for half an hour, and then asked for again', async () => {
    const price = async () => (await pricing().price('kept.pine', 'new', 1)).priceCents;
    expect(await price()).toBe(12_00);
    quote.mockResolvedValue({ costCents: 2_000, premium: false });
    nowMs += hourMs / 2 - 1;
    expect(await price()).toBe(12_00);
    nowMs += 1;
    expect(await price()).toBe(24_00);
    expect(quote.mock.calls).toEqual([1, 2].map(() => ['kept.pine', 'new', 1]));
    // A quote is for its own kind and years.
    await pricing().price('kept.pine', 'renewal', 1);
    await pricing().price('kept.pine', 'new', 2);
    expect(quote).toHaveBeenCalledTimes(4);
  });

  test.each<[string, () => Error, object]>([
    [
      ...(['refuses', () => new UpstreamRefused('invalid', '465', 'the registry is closed')] as const),
      { code: 'unprocessable', message: 'No price for silent.pine: the registry is closed' },
    ],
    ['is silent', () => new UpstreamUnavailable('no answer'), { code: 'upstream_unavailable' }],
  ])('is no price where it %s, and nothing is kept', async (_what, error, told) => {
    quote.mockRejectedValue(error());
    await expect(pricing().price('silent.pine', 'new', 1)).rejects.toMatchObject(told);
    expect(await pricing().known?.(database.db, 'silent.pine', 'new', 1)).toBeNull();
    quote.mockRejectedValue(new TypeError('a bug'));
    await expect(pricing().price('silent.pine', 'new', 1)).rejects.toThrow('a bug');
  });
});

test('the list that counts is the newest that is in force: one that begins later does not yet', async () => {
  const begins = (offsetMs: number, priceCents: number) =>
    across(database, (tx) =>
      tx
        .insertInto('price_entries')
        .values({
          ...{
            version: ++version,
            product: 'domain',
            name: 'timed',
            kind: 'renewal',
            price_cents: priceCents,
          },
          valid_from: new Date(startMs + offsetMs),
        })
        .execute(),
    );
  await begins(0, 20_00);
  await begins(-hourMs, 15_00);
  await begins(hourMs, 30_00);
  expect(await charged('timed')).toBe(20_00);
  nowMs += hourMs;
  expect(await charged('timed')).toBe(30_00);
  // Of two that begin together the later entry counts.
  await begins(hourMs, 40_00);
  expect(await charged('timed')).toBe(40_00);
});

test('a suffix whose registry gives nothing back has no restoration, and the registrar is not asked', async () => {
  await expect(pricing().price('fig.common', 'redemption', 1)).rejects.toMatchObject({
    ...{ code: 'unprocessable', message: 'A deleted .common domain cannot be restored through this portal.' },
  });
  expect(quote).not.toHaveBeenCalled();
});
