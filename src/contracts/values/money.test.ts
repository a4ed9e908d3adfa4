import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cents,
  centsToUsd,
  decimalTextToCents,
  markup,
  markupCents,
  nearestCents,
  noMarkups,
  signedUsd,
  usd,
  usdToCents,
  wholeMarkups,
} from './money.ts';

describe('money', () => {
  test('every amount in cents survives the way to dollars and back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100_000_000_00 }),
        (cents) => usdToCents(centsToUsd(cents)) === cents,
      ),
    );
  });

  test('more than two decimals is refused, never rounded', () => {
    expect(() => usdToCents(10.005)).toThrow(RangeError);
    expect(usd.safeParse(1.234).success).toBe(false);
    expect(usd.safeParse(0.1 + 0.2).success).toBe(true);
    expect(usdToCents(0.1 + 0.2)).toBe(30);
  });

  test('a price is never below nothing; of what may be taken, too, the sum has a bound', () => {
    const taken = (schema: { safeParse(value: unknown): { success: boolean } }, ...values: unknown[]) =>
      values.map((value) => schema.safeParse(value).success);
    const most = 1_000_000_000;
    expect(taken(usd, 0, 0.01, most, -0.01, most + 1, Number.NaN, '1', 0.001)).toEqual([
      ...[true, true, true, false, false, false, false, false],
    ]);
    expect(taken(signedUsd, 0, -0.01, -most, most, -most - 1, most + 1, -0.001)).toEqual([
      ...[true, true, true, true, false, false, false],
    ]);
    expect(taken(cents, 0, -1, most * 100, -most * 100, most * 100 + 1, 0.5)).toEqual([
      ...[true, true, true, true, false, false],
    ]);
    const rule = (value: number) => ({ type: 'percentage', value });
    expect(taken(markup, ...[0, 0.01, 10_000, -1, 10_000.01, 0.001].map(rule))).toEqual([
      ...[true, true, true, false, false, false],
    ]);
  });

  test('cents are told in dollars to the cent', () => {
    expect([1_231, 1, 0, -5, 100].map(centsToUsd)).toEqual([12.31, 0.01, 0, -0.05, 1]);
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => usdToCents(none)).toThrow(RangeError);
    expect([19.99, -1.5, 0].map(usdToCents)).toEqual([1_999, -150, 0]);
  });

  test('decimal text of the registrar becomes cents without floats, and anything else is refused', () => {
    expect(['9.85', '20.2', '5000', '0.00', '2395.00', '19.70', '1.100'].map(decimalTextToCents)).toEqual([
      985, 2020, 500_000, 0, 239_500, 1970, 110,
    ]);
    expect([' 9.85 ', '-9.85', '-0.05'].map(decimalTextToCents)).toEqual([985, -985, -5]);
    expect(['', 'abc', '1,5', '1.234', '1e3', '--1', '99999999999'].map(decimalTextToCents)).toEqual(
      Array(7).fill(null),
    );
  });

  test('a fixed markup adds what it says, to the cent', () => {
    const added = (value: number) => markupCents(1_000, { type: 'fixed', value });
    expect([0, 0.29, 9.95, 10_000].map(added)).toEqual([0, 29, 9_95, 10_000_00]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_00 }), (cents) => added(centsToUsd(cents)) === cents),
    );
  });

  test('a percentage is rounded half up to the cent, exactly', () => {
    expect(markupCents(1_050, { type: 'percentage', value: 10 })).toBe(105);
    expect(markupCents(1_005, { type: 'percentage', value: 10 })).toBe(101);
    expect(markupCents(333, { type: 'percentage', value: 12.5 })).toBe(42);
    expect(markupCents(999, { type: 'fixed', value: 2.5 })).toBe(250);
    expect(markupCents(1_000, { type: 'percentage', value: 0 })).toBe(0);
  });

  test('a percentage never differs from the exact one by more than half a cent', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        (cents, hundredths) => {
          const exact = (BigInt(cents) * BigInt(hundredths)) / 10_000n;
          const got = BigInt(markupCents(cents, { type: 'percentage', value: hundredths / 100 }));
          return got === exact || got === exact + 1n;
        },
      ),
    );
  });

  test('what a customer’s markups lack, or what is none, is no markup; the rest of them holds', () => {
    const [tenPercent, twoDollars] = [
      { type: 'percentage' as const, value: 10 },
      { type: 'fixed' as const, value: 2 },
    ];
    const whole = {
      domain: { purchase: tenPercent, renewal: twoDollars },
      certificate: { purchase: twoDollars, renewal: tenPercent },
    };
    expect(wholeMarkups(whole)).toEqual(whole);
    for (const none of [undefined, null, {}, { domain: null }, 'text']) {
      expect(wholeMarkups(none)).toEqual(noMarkups);
    }
    const odd = {
      domain: { purchase: { type: 'fixed', value: -1 }, renewal: twoDollars },
      certificate: null,
    };
    expect(wholeMarkups(odd)).toEqual({
      ...noMarkups,
      domain: { ...noMarkups.domain, renewal: twoDollars },
    });
  });
});

test('dollars are the nearest cents, also those that a computer holds a little below', () => {
  for (const cents of [1_999, 12_820, 25_603, 1_005, 0, -1_999])
    expect(nearestCents(cents / 100)).toBe(cents);
  expect([nearestCents(1.004), nearestCents(1.006), nearestCents(Number.NaN)]).toEqual([
    100,
    101,
    Number.NaN,
  ]);
});
