import { describe, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import type { AccessRecord } from './access.repo.ts';
import { nothingSpent, shownAccess, shownAllowance } from './access-shown.ts';

/** An access as its reader may see it: staff see all of it, and a customer's own users nothing of the MSP's money and people. */

const now = new Date('2026-11-22T12:00:00Z');
const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const staff = { reach: { kind: 'organisation' } } as unknown as Scope;
const customer = { reach: { kind: 'customers', ids: ['acme'] } } as unknown as Scope;
const limits = (ordersPerMonth: number, centsPerMonth: number) => ({ ordersPerMonth, centsPerMonth });
const row: AccessRecord = {
  ...{ id: 'access', name: 'Web server', keyId: 'nwe_1', customerId: 'acme', customer: 'Acme Ltd' },
  ...{ hosts: ['a.com'], productType: 'rapidssl', product: 'RapidSSL', mayBuy: limits(3, 90_00) },
  ...{ byCustomer: false, allowance: null, madeBy: 'ann@msp.example', createdAt: at(-9), expiresAt: at(9) },
  ...{ lastUsedAt: at(-1), revokedAt: null, customerDeletedAt: null, newest: null },
};
const shown = (change: Partial<AccessRecord> = {}, scope = staff, spent = nothingSpent) =>
  shownAccess(scope, { ...row, ...change }, spent, {
    now,
    directoryUrl: 'https://portal.test/acme/directory',
  });

test('each field is shown from its own column', () => {
  expect(shown({}, staff, { orders: 1, cents: 29_95 })).toEqual({
    ...{ id: 'access', name: 'Web server', keyId: 'nwe_1', customerId: 'acme', customer: 'Acme Ltd' },
    ...{ directoryUrl: 'https://portal.test/acme/directory', hosts: ['a.com'], productType: 'rapidssl' },
    ...{ product: 'RapidSSL', mayBuy: limits(3, 90_00), buysNow: limits(3, 90_00) },
    ...{ usedThisMonth: { orders: 1, cents: 29_95 }, state: 'active', ended: null, byCustomer: false },
    ...{ madeBy: 'ann@msp.example', mayChange: true, createdAt: at(-9).toISOString(), problem: null },
    ...{ expiresAt: at(9).toISOString(), lastUsedAt: at(-1).toISOString() },
  });
  expect(shown({ product: null, customer: null as never, expiresAt: null, lastUsedAt: null })).toMatchObject({
    ...{ product: 'rapidssl', customer: '', expiresAt: null, lastUsedAt: null },
  });
});

test('what it buys now is within the allowance of its customer, where one of their users made it', () => {
  const allowance = { limits: limits(2, 100_00) };
  expect(shown({ byCustomer: true, allowance })).toMatchObject({
    ...{ mayBuy: limits(3, 90_00), buysNow: limits(2, 90_00) },
  });
  expect(shown({ byCustomer: true }).buysNow).toBeNull();
  expect(shown({ allowance }).buysNow).toEqual(limits(3, 90_00));
});

test("a customer's own users see how many certificates, and no amount", () => {
  const spent = { orders: 1, cents: 29_95 };
  expect(
    shown({ allowance: { limits: limits(2, 100_00) }, byCustomer: true }, customer, spent),
  ).toMatchObject({
    mayBuy: { ordersPerMonth: 3, centsPerMonth: null },
    buysNow: { ordersPerMonth: 2, centsPerMonth: null },
    usedThisMonth: { orders: 1, cents: null },
  });
  expect(shown({ mayBuy: null }, customer).mayBuy).toBeNull();
});

test.each([
  [staff, false, 'ann@msp.example'],
  [staff, true, 'ann@msp.example'],
  [customer, false, ''],
  [customer, true, 'ann@msp.example'],
])(
  '%j is told who made it, unless that is staff of their provider (made by a customer: %s): "%s"',
  (scope, byCustomer, told) => {
    expect(shown({ byCustomer }, scope).madeBy).toBe(told);
  },
);

test.each([
  [staff, false, {}, true],
  [staff, true, {}, true],
  [customer, false, {}, false],
  [customer, true, {}, true],
  [staff, false, { expiresAt: now }, true],
  [customer, true, { expiresAt: now }, true],
  [staff, false, { revokedAt: at(-1) }, false],
  [customer, true, { revokedAt: at(-1) }, false],
  [staff, false, { customerDeletedAt: at(-1) }, false],
])('%j may change it (made by a customer: %s, %j): %s', (scope, byCustomer, change, may) => {
  expect(shown({ byCustomer, ...change }, scope).mayChange).toBe(may);
});

describe('one that works no longer', () => {
  test.each<[Partial<AccessRecord>, string, number, string]>([
    [{ expiresAt: now }, 'expired', 0, 'Its last day is over'],
    [{ expiresAt: at(-2) }, 'expired', -2, 'Its last day is over'],
    [{ customerDeletedAt: at(-3) }, 'revoked', -3, 'The customer was deleted'],
    [{ customerDeletedAt: at(-3), expiresAt: at(-4) }, 'revoked', -3, 'The customer was deleted'],
    [{ revokedAt: at(-5) }, 'revoked', -5, 'It was revoked'],
    [{ revokedAt: at(-1), customerDeletedAt: at(-3), expiresAt: at(-4) }, 'revoked', -1, 'It was revoked'],
  ])('(%j) says since when, and why', (change, state, hours, because) => {
    expect(shown(change)).toMatchObject({ state, ended: { at: at(hours).toISOString(), because } });
  });

  test('is none a moment before its end', () => {
    expect(shown({ expiresAt: new Date(now.getTime() + 1) })).toMatchObject({ state: 'active', ended: null });
  });
});

describe('what its machine was refused last', () => {
  const newest = (outcome: string, advice = 'Add the name.') => ({
    newest: { at: '2026-11-22T11:00:00+00:00', outcome, detail: 'Ask your provider.', advice },
  });

  test('is told to staff with what they can do, and to customers as the reply of the server', () => {
    for (const outcome of ['refused', 'failed']) {
      const told = (scope: Scope, advice?: string) => shown(newest(outcome, advice), scope).problem;
      expect(told(staff)).toEqual({ at: at(-1).toISOString(), text: 'Add the name.' });
      expect(told(customer)?.text).toBe('Ask your provider.');
      expect(told(staff, '')?.text).toBe('Ask your provider.');
    }
  });

  test('is nothing where it succeeded, waits, or has asked for nothing', () => {
    for (const outcome of ['done', 'waiting']) expect(shown(newest(outcome)).problem).toBeNull();
    expect(shown({ newest: null }).problem).toBeNull();
  });
});

test('an allowance names its product, and its amount to staff alone', () => {
  const allowance = { mostAccesses: 2, productType: 'rapidssl', limits: limits(3, 90_00) };
  const products = [
    { productType: 'wild', certificate: 'Wild' },
    { productType: 'rapidssl', certificate: 'RapidSSL' },
  ];
  expect(shownAllowance(staff, null, products)).toBeNull();
  const common = { mostAccesses: 2, productType: 'rapidssl' };
  expect(shownAllowance(staff, allowance, products)).toEqual({
    ...{ ...common, product: 'RapidSSL', mayBuy: limits(3, 90_00) },
  });
  expect(shownAllowance(customer, allowance, products)?.mayBuy).toEqual({
    ...{ ordersPerMonth: 3, centsPerMonth: null },
  });
  expect(shownAllowance(staff, { ...allowance, limits: null }, [])).toEqual({
    ...{ ...common, product: 'rapidssl', mayBuy: null },
  });
});
