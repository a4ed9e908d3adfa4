import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  correction,
  LedgerViolation,
  laterFee,
  owedCents,
  postingsOf,
  purchase,
  refund,
  reversal,
  spendableCents,
  type Transfer,
  topUp,
  walletChange,
} from './ledger.rules.ts';

const posted = (transfers: Transfer[]) =>
  Object.fromEntries(postingsOf(transfers).map(({ account, cents }) => [account, cents]));

describe('an entry', () => {
  test('of whatever transfers adds up to nothing', () => {
    const account = fc.constantFrom('wallet', 'revenue', 'disputes', 'adjustments');
    const transfer = fc
      .record({ from: account, to: account, cents: fc.nat(1_000_000) })
      .filter(({ from, to }) => from !== to);
    fc.assert(
      fc.property(fc.array(transfer as fc.Arbitrary<Transfer>), (transfers) => {
        expect(postingsOf(transfers).reduce((sum, { cents }) => sum + cents, 0)).toBe(0);
      }),
    );
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('of %s cents cannot be written', (cents) => {
    expect(() => postingsOf([{ from: 'wallet', to: 'revenue', cents }])).toThrow(LedgerViolation);
  });

  test('from an account to itself cannot be written', () => {
    expect(() => postingsOf([{ from: 'wallet', to: 'wallet', cents: 1 }])).toThrow(LedgerViolation);
  });

  test('has one posting an account, and none of nothing', () => {
    expect(postingsOf(topUp(100_00, 3_20))).toHaveLength(3);
    expect(postingsOf(topUp(100_00, 0))).toEqual([
      { account: 'payments_clearing', cents: -100_00 },
      { account: 'wallet', cents: 100_00 },
    ]);
    expect(postingsOf([])).toEqual([]);
    expect(walletChange([])).toBe(0);
  });
});

describe('who pays whom', () => {
  test('a purchase: the price out of the wallet, the cost to the registrar, the rest is revenue', () => {
    expect(posted(purchase(1_231, 985))).toEqual({ wallet: -1_231, registrar_cost: 985, revenue: 246 });
    expect(posted(purchase(985, 985))).toEqual({ wallet: -985, registrar_cost: 985 });
  });

  test('a purchase below cost: revenue bears the rest', () => {
    expect(posted(purchase(900, 985))).toEqual({ wallet: -900, registrar_cost: 985, revenue: -85 });
    expect(posted(purchase(0, 985))).toEqual({ registrar_cost: 985, revenue: -985 });
  });

  test('a top-up: all of it into the wallet, the fee borne by the operator', () => {
    const transfers = topUp(100_00, 3_20);
    expect(posted(transfers)).toEqual({ wallet: 100_00, payments_clearing: -96_80, payment_fees: -3_20 });
    expect(walletChange(postingsOf(transfers))).toBe(100_00);
    expect(posted(topUp(20, 30))).toEqual({ wallet: 20, payments_clearing: 10, payment_fees: -30 });
  });

  test('a fee that is known later: the difference, either way, and never the wallet', () => {
    expect(posted(laterFee(3_20))).toEqual({ payments_clearing: 3_20, payment_fees: -3_20 });
    expect(posted(laterFee(-20))).toEqual({ payments_clearing: -20, payment_fees: 20 });
  });

  test('a reversal out of the wallet, and back when the bank decides otherwise', () => {
    expect(posted(reversal(100_00))).toEqual({ wallet: -100_00, disputes: 100_00 });
    expect(posted(reversal(-100_00))).toEqual({ wallet: 100_00, disputes: -100_00 });
  });

  test('a refund into the wallet; a correction either way', () => {
    expect(posted(refund(1_231))).toEqual({ wallet: 1_231, adjustments: -1_231 });
    expect(posted(correction(500))).toEqual({ wallet: 500, adjustments: -500 });
    expect(posted(correction(-500))).toEqual({ wallet: -500, adjustments: 500 });
  });
});

test('of money in processing as much may be spent as the limit allows, and never more than is on its way', () => {
  const spendable = (pendingCents: number) => spendableCents({ balanceCents: 300, pendingCents }, 500);
  expect([0, 499, 500, 501].map(spendable)).toEqual([300, 799, 800, 800]);
  expect(spendableCents({ balanceCents: -300, pendingCents: 500 }, 0)).toBe(-300);
});

test.each([
  [0, 0, 0],
  [-1, 0, 1],
  [-500, 499, 1],
  [-500, 500, 0],
  [500, 0, 0],
])('of a balance of %d with %d in processing, %d is owed', (balanceCents, pendingCents, owed) => {
  expect(owedCents({ balanceCents, pendingCents })).toBe(owed);
});
