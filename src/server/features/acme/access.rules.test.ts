import { describe, expect, test } from 'vitest';
import {
  endOfDay,
  exceedsOwnLimit,
  fitsCommandLines,
  liesWithin,
  limitsNow,
  mayBuy,
  opensMore,
  stateOf,
} from './access.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const later = new Date(now.getTime() + 1);
const standing = { revokedAt: null, expiresAt: null, customerDeletedAt: null, organisationClosedAt: null };
const limits = (ordersPerMonth: number, centsPerMonth: number) => ({ ordersPerMonth, centsPerMonth });

describe('whether an access works', () => {
  test('it works until its end, and not at it', () => {
    expect(stateOf(standing, now)).toBe('active');
    expect(stateOf({ ...standing, expiresAt: later }, now)).toBe('active');
    expect(stateOf({ ...standing, expiresAt: now }, now)).toBe('expired');
  });

  test.each(['revokedAt', 'customerDeletedAt', 'organisationClosedAt'] as const)(
    '%s ends it, whatever its own end is',
    (end) => {
      expect(stateOf({ ...standing, [end]: now }, now)).toBe('revoked');
      expect(stateOf({ ...standing, [end]: now, expiresAt: now }, now)).toBe('revoked');
    },
  );
});

describe('whether one more certificate may be bought', () => {
  const access = { mayBuy: limits(2, 100_00) };
  test('an access without limits never buys, not even for nothing', () => {
    expect(mayBuy({ mayBuy: null }, 0, { orders: 0, cents: 0 })).toBe('never');
  });

  test('the number of certificates is met exactly, and not passed', () => {
    expect(mayBuy(access, 1, { orders: 1, cents: 0 })).toBe('may');
    expect(mayBuy(access, 1, { orders: 2, cents: 0 })).toBe('limit_of_orders');
    expect(mayBuy(access, 0, { orders: 3, cents: 0 })).toBe('limit_of_orders');
  });

  test('the money is met to the cent, and not passed', () => {
    expect(mayBuy(access, 100_00, { orders: 0, cents: 0 })).toBe('may');
    expect(mayBuy(access, 100_01, { orders: 0, cents: 0 })).toBe('limit_of_money');
    expect(mayBuy(access, 40_00, { orders: 1, cents: 60_00 })).toBe('may');
    expect(mayBuy(access, 40_01, { orders: 1, cents: 60_00 })).toBe('limit_of_money');
  });

  test('where both limits are met the number is named', () => {
    expect(mayBuy(access, 1, { orders: 2, cents: 100_00 })).toBe('limit_of_orders');
  });
});

describe('what a customer’s own access may buy', () => {
  const own = limits(5, 50_00);
  test('one that the MSP made has its own limits, whatever the allowance says', () => {
    expect(limitsNow(own, false, null)).toEqual(own);
    expect(limitsNow(own, false, { limits: limits(1, 1) })).toEqual(own);
    expect(limitsNow(null, false, { limits: own })).toBeNull();
  });

  test('one that the customer made has the smaller of both, each by itself', () => {
    expect(limitsNow(own, true, { limits: limits(5, 50_00) })).toEqual(own);
    expect(limitsNow(own, true, { limits: limits(4, 60_00) })).toEqual(limits(4, 50_00));
    expect(limitsNow(own, true, { limits: limits(6, 49_99) })).toEqual(limits(5, 49_99));
  });

  test('it never buys without an allowance, with one that never buys, or when it never buys itself', () => {
    expect(limitsNow(own, true, null)).toBeNull();
    expect(limitsNow(own, true, { limits: null })).toBeNull();
    expect(limitsNow(null, true, { limits: own })).toBeNull();
  });
});

test('limits lie within others when neither number is larger; what never buys lies within everything', () => {
  const most = limits(3, 300);
  expect(liesWithin(limits(3, 300), most)).toBe(true);
  expect(liesWithin(limits(4, 300), most)).toBe(false);
  expect(liesWithin(limits(3, 301), most)).toBe(false);
  expect(liesWithin(null, null)).toBe(true);
  expect(liesWithin(null, most)).toBe(true);
  expect(liesWithin(limits(1, 1), null)).toBe(false);
});

test('somebody with a daily limit gives no machine more money than that; without one, any amount', () => {
  expect(exceedsOwnLimit(100_00, limits(9, 100_00))).toBe(false);
  expect(exceedsOwnLimit(100_00, limits(1, 100_01))).toBe(true);
  expect(exceedsOwnLimit(0, null)).toBe(false);
  expect(exceedsOwnLimit(null, limits(1, 1_000_000_00))).toBe(false);
});

describe('whether a change opens more', () => {
  const before = { hosts: ['a.example.com', 'b.example.com'], mayBuy: limits(2, 200), expiresAt: now };
  test('the same, less of each, or an earlier end opens nothing', () => {
    expect(opensMore(before, before)).toBe(false);
    expect(opensMore(before, { ...before, hosts: ['b.example.com'] })).toBe(false);
    expect(opensMore(before, { ...before, mayBuy: null })).toBe(false);
    expect(opensMore(before, { ...before, mayBuy: limits(1, 200) })).toBe(false);
    expect(opensMore(before, { ...before, expiresAt: new Date(now.getTime() - 1) })).toBe(false);
    const everything = { hosts: null, mayBuy: null, expiresAt: null };
    expect(opensMore(everything, everything)).toBe(false);
    expect(opensMore(everything, { ...everything, hosts: ['a.example.com'], expiresAt: now })).toBe(false);
  });

  test.each([
    ['another host', { hosts: ['a.example.com', 'c.example.com'] }],
    ['all hosts', { hosts: null }],
    ['one certificate more', { mayBuy: limits(3, 200) }],
    ['one cent more', { mayBuy: limits(2, 201) }],
    ['a later end', { expiresAt: later }],
    ['no end', { expiresAt: null }],
  ])('%s opens more', (_what, change) => {
    expect(opensMore(before, { ...before, ...change })).toBe(true);
  });

  test('to buy at all opens more than never to buy', () => {
    expect(opensMore({ ...before, mayBuy: null }, { ...before, mayBuy: limits(1, 1) })).toBe(true);
  });
});

test('an access works to the end of its last day, and a day that is over is none', () => {
  expect(endOfDay('2026-11-22', now)).toEqual(new Date('2026-11-23T00:00:00Z'));
  expect(endOfDay('2026-11-21', now)).toBeNull();
  const midnight = new Date('2026-11-23T00:00:00Z');
  expect(endOfDay('2026-11-22', midnight)).toBeNull();
  expect(endOfDay('2026-11-22', new Date(midnight.getTime() - 1))).toEqual(midnight);
});

test('a key that a command line would read as an option does not fit', () => {
  expect([fitsCommandLines('-abc'), fitsCommandLines('a-bc'), fitsCommandLines('_abc')]).toEqual([
    false,
    true,
    true,
  ]);
});
